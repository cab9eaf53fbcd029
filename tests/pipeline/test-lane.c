/* SPDX-License-Identifier: MIT */
/*
 * Promise: a message leaves its lane only between two hand-outs and without
 * what it has claimed, if there is much left of it, and stays if nobody wants
 * it.  A long stream is read ahead by a thread.
 */
#include "config.h"

#include "src/lanes/lane.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/lanes/migrate.h"
#include "src/lanes/reader.h"
#include "tests/support/balance.h"
#include "tests/support/tap.h"

enum { FILE_BYTES = 2 * MIGRATE_BYTES, CAPACITY = 4096, LANES = 4 };

static char path[] = "test-lane-XXXXXX";
static char fifo[sizeof(path) + 8];
static struct sequencer sequencer;
static struct fifo_registry fifos;
static struct lane_group group;
static struct job jobs[LANES];
static uint8_t *buffers;

static enum source_answer
no_job(struct source *source, struct job *job, bool is_oldest)
{
	(void)source;
	(void)job;
	(void)is_oldest;
	return SOURCE_LATER;
}

/* Lanes without jobs, and two workers. */
static void
begin(void)
{
	static struct source source = { .next = no_job, .wait_fd = -1 };
	const struct lane model = { .sequencer = &sequencer, .fifos = &fifos };
	const struct lane_room room = { .capacity = CAPACITY,
					.slack_bytes = 128 };

	sequencer_init(&sequencer, &source, 2);
	sequencer_add_worker(&sequencer);
	sequencer_add_worker(&sequencer);
	fifo_registry_init(&fifos);
	buffers = aligned_alloc(4096,
				(lane_group_buffer_bytes(LANES, &room) + 4095) /
					4096 * 4096);
	if (!buffers || !lane_group_allocate(&group, 1, LANES, LANES, &model))
		exit(99);
	lane_group_place_buffers(&group, buffers, LANES, &room);
}

static void
end(void)
{
	lane_group_free(&group);
	free(buffers);
	fifo_registry_destroy(&fifos);
	sequencer_destroy(&sequencer);
}

/* The file in a lane, its first blocks hashed if wanted. */
static struct lane *
start(unsigned i, char *name, bool hash_some)
{
	struct lane *lane = &group.lanes[i];

	jobs[i] = (struct job){ .kind = JOB_FILE, .name = name, .seq = i };
	group.busy++;
	lane_start(lane, (struct ticket){ .job = &jobs[i], .seq = i });
	lane_open(lane);
	if (!hash_some)
		return lane;
	if (lane_refill(lane, 0, false, false) != LANE_READY)
		exit(99);
	lane->batch->done[lane->column] = lane->batch->nblocks[lane->column];
	lane_advance(lane);
	return lane;
}

static void
test_export_bytes(void)
{
	struct lane *lane;

	begin();
	ok(lane_export_bytes(&group.lanes[0]) == 0, "a free lane has nothing");
	lane = start(0, path, false);
	ok(lane_export_bytes(lane) == FILE_BYTES,
	   "a file that was just opened");
	lane_refill(lane, 0, false, false);
	ok(lane_export_bytes(lane) == 0, "blocks that wait to be hashed stay");
	lane->batch->done[lane->column] = lane->batch->nblocks[lane->column];
	lane_advance(lane);
	ok(lane_export_bytes(lane) == FILE_BYTES - CAPACITY,
	   "between two hand-outs the rest can move");
	lane->disks_held = 1;
	ok(lane_export_bytes(lane) == 0, "but not away from its disk");
	lane->disks_held = 0;
	lane->unopened = true;
	ok(lane_export_bytes(lane) == 0, "nor before it is open");
	lane->unopened = false;
	lane_give_up(lane);
	lane = start(1, fifo, false);
	ok(reader_is_fifo(lane->reader) && lane_export_bytes(lane) == 0,
	   "a FIFO stays where its turn is waited for");
	lane_give_up(lane);
	end();
}

/* A kernel's log: a regular file that makes its reader wait. */
static bool blocks;

ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	if (!blocks)
		return __real_read(fd, to, bytes);
	errno = EAGAIN;
	return -1;
}

static void
test_log(void)
{
	struct lane *lane;

	begin();
	lane = start(0, path, true);
	blocks = true;
	ok(lane_refill(lane, 1, false, false) == LANE_WAITING &&
		   lane_export_bytes(lane) == 0,
	   "a file that has to wait for its turn stays");
	blocks = false;
	lane_give_up(lane);
	end();
}

/* Nobody is idle: all is as before. */
static void
test_offer_refused(void)
{
	struct reader *readers[LANES];
	bool same = true;

	begin();
	for (unsigned i = 0; i < LANES; i++)
		readers[i] = start(i, path, true)->reader;
	ok(migrate_offer(&sequencer, 0, &group) == 0 && group.busy == LANES,
	   "without an idle worker no lane is given away");
	for (unsigned i = 0; i < LANES; i++)
		same = same && group.lanes[i].reader == readers[i] &&
		       group.lanes[i].ticket.job == &jobs[i] &&
		       group.lanes[i].handed_bytes == CAPACITY;
	ok(same, "and all messages are where they were");

	/* Two idle workers take every other message. */
	sequencer.exchange.idle = 2;
	ok(migrate_offer(&sequencer, 0, &group) == 2 && group.busy == 2 &&
		   !lane_is_free(&group.lanes[0]) &&
		   lane_is_free(&group.lanes[1]),
	   "every other one is offered to idle workers");
	ok(migrate_accept(&sequencer, 1, &group) == 2 && group.busy == LANES,
	   "and can be taken over");
	for (unsigned i = 0; i < LANES; i++)
		lane_give_up(&group.lanes[i]);
	end();
}

/* One of too few bytes is not worth it. */
static void
test_short_rest(void)
{
	begin();
	if (truncate(path, MIGRATE_BYTES - 1) != 0)
		exit(99);
	for (unsigned i = 0; i < LANES; i++)
		start(i, path, false);
	sequencer.exchange.idle = 2;
	ok(migrate_offer(&sequencer, 0, &group) == 0,
	   "short messages stay with their worker");
	for (unsigned i = 0; i < LANES; i++)
		lane_give_up(&group.lanes[i]);
	end();
	begin();
	if (truncate(path, MIGRATE_BYTES) != 0)
		exit(99);
	for (unsigned i = 0; i < LANES; i++)
		start(i, path, false);
	sequencer.exchange.idle = 2;
	ok(migrate_offer(&sequencer, 0, &group) == 2,
	   "those that are a byte longer do not");
	while (migrate_accept(&sequencer, 1, &group) > 0)
		continue;
	for (unsigned i = 0; i < LANES; i++)
		lane_give_up(&group.lanes[i]);
	end();
}

/* Whoever has a FIFO open sees the end of the writer that is another's. */
static void
test_same_fifo(void)
{
	struct lane *first, *second;

	begin();
	first = start(0, fifo, false);
	second = start(1, fifo, false);
	ok(!reader_is_postponed(first->reader) &&
		   reader_is_postponed(second->reader),
	   "a FIFO is open once, and closed where it waits for its turn");
	lane_give_up(first);
	lane_give_up(second);
	first = start(2, fifo, false);
	ok(!reader_is_postponed(first->reader), "then the next has it");
	lane_give_up(first);
	end();
}

/* So many other FIFOs are open that the first lane's claim does not count. */
static void
test_uncounted_fifo(void)
{
	struct fifo_slot *slots[FIFO_REGISTRY_SLOTS];
	struct lane *uncounted, *second, *third;
	bool first;

	begin();
	for (unsigned i = 0; i < FIFO_REGISTRY_SLOTS; i++)
		slots[i] = fifo_registry_claim(&fifos, 1, 1000 + i, &first);
	uncounted = start(0, fifo, false);
	ok(reader_is_postponed(uncounted->reader),
	   "with too many FIFOs open, one more waits for its turn");
	fifo_registry_release(&fifos, slots[9]);
	second = start(1, fifo, false);
	lane_give_up(uncounted);
	third = start(2, fifo, false);
	ok(!reader_is_postponed(second->reader) &&
		   reader_is_postponed(third->reader),
	   "and its end does not count as that of another lane");
	lane_give_up(second);
	lane_give_up(third);
	end();
}

/* While it waits for its turn, another file gets its name. */
static void
test_renamed_fifo(void)
{
	char other[sizeof(fifo) + 1];
	struct lane *first, *second, *third;

	begin();
	snprintf(other, sizeof(other), "%s2", fifo);
	first = start(0, fifo, false);
	second = start(1, fifo, false);
	if (rename(fifo, other) != 0 || link(path, fifo) != 0)
		exit(99);
	ok(lane_refill(second, 1, true, false) == LANE_READY,
	   "what has the name when its turn comes is read");
	lane_give_up(second);
	lane_give_up(first);
	third = start(2, other, false);
	ok(reader_is_fifo(third->reader) && !reader_is_postponed(third->reader),
	   "and its end is that of the FIFO");
	lane_give_up(third);
	if (rename(other, fifo) != 0)
		exit(99);
	end();
}

/* It is looked at, closed since another lane has it, and gone in its turn. */
static void
test_missing_in_turn(void)
{
	struct lane *first, *second;

	begin();
	first = start(0, fifo, false);
	second = start(1, fifo, false);
	if (unlink(fifo) != 0)
		exit(99);
	ok(jobs[1].opened &&
		   lane_refill(second, 1, true, false) == LANE_ENDED &&
		   jobs[1].error == ENOENT && !jobs[1].opened,
	   "what is gone when its turn comes is missing");
	lane_give_up(first);
	if (mkfifo(fifo, 0600) != 0)
		exit(99);
	end();
}

/* A file that another process has a lease on is opened when its turn comes;
 * only then can it be seen what it is. */
static void
test_leased_file(void)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	struct job_filter filter = { .has_output = true };
	struct lane *lane;
	struct stat st;

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || fstat(fd, &st) != 0 ||
	    fcntl(fd, F_SETLEASE, F_WRLCK) != 0) {
		tap_skip("no leases here");
		return;
	}
	filter.device = st.st_dev;
	filter.inode = st.st_ino;
	begin();
	lane = &group.lanes[0];
	jobs[0] = (struct job){ .kind = JOB_FILE,
				.name = path,
				.filter = &filter };
	lane_start(lane, (struct ticket){ .job = &jobs[0] });
	ok(lane_open(lane) == LANE_WAITING && reader_is_postponed(lane->reader),
	   "a file with a lease waits for its turn");
	fcntl(fd, F_SETLEASE, F_UNLCK);
	ok(lane_refill(lane, 0, true, false) == LANE_ENDED &&
		   jobs[0].verdict == JOB_IS_OUTPUT && lane_is_free(lane),
	   "and is refused if it is the one of standard output");
	jobs[0].filter = NULL;
	fcntl(fd, F_SETLEASE, F_WRLCK);
	lane_start(lane, (struct ticket){ .job = &jobs[0] });
	lane_open(lane);
	fcntl(fd, F_SETLEASE, F_UNLCK);
	ok(!jobs[0].opened && lane_refill(lane, 0, true, false) == LANE_READY &&
		   jobs[0].opened,
	   "else it is opened then");
	lane_give_up(lane);
	end();
	close(fd);
}

/* Reading ahead --------------------------------------------------------------- */

enum { LONG_BYTES = (4 << 20) + 300007 };

static uint8_t expected[SHA256_DIGEST_BYTES];

/* Hash what the lane has. */
static enum lane_answer
hash(struct lane *lane)
{
	struct batch *batch = lane->batch;
	const uint32_t n = batch->nblocks[lane->column];
	uint32_t state[SHA256_STATE_WORDS];

	batch_get_state(batch, lane->column, state);
	sha256_blocks(state, batch->data[lane->column], n);
	batch_set_state(batch, lane->column, state);
	batch->done[lane->column] = n;
	return lane_advance(lane);
}

/* To its end; the thread that reads ahead is there first.  Was there one? */
static bool
hash_all(struct lane *lane)
{
	bool ahead = false;

	while (lane_refill(lane, 0, true, true) == LANE_READY) {
		while (lane->ahead && !reader_has_ended(lane->reader))
			sched_yield();
		ahead = ahead || lane->ahead;
		if (hash(lane) == LANE_ENDED)
			break;
	}
	return ahead;
}

/* Is a long message right, and is it read ahead if that is expected? */
static bool
long_message(struct job job, bool ahead)
{
	struct lane *lane;
	bool good;

	begin();
	lane = &group.lanes[0];
	job.name = path;
	jobs[0] = job;
	lane_start(lane, (struct ticket){ .job = &jobs[0] });
	lane_open(lane);
	good = jobs[0].opened && hash_all(lane) == ahead &&
	       lane_is_free(lane) && jobs[0].size == LONG_BYTES &&
	       memcmp(jobs[0].digest, expected, sizeof(expected)) == 0;
	end();
	return good;
}

static bool stream_is_right;

static void
read_stream(void)
{
	if (lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
		exit(99);
	stream_is_right = long_message((struct job){ .kind = JOB_STDIN }, true);
}

static void
test_read_ahead(void)
{
	uint8_t *message = malloc(LONG_BYTES + 2 * SHA256_BLOCK_BYTES);
	const size_t whole = LONG_BYTES / SHA256_BLOCK_BYTES;
	const size_t tail = LONG_BYTES % SHA256_BLOCK_BYTES;
	uint32_t state[SHA256_STATE_WORDS];
	uint32_t seed = 1;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	for (size_t i = 0; message && i < LONG_BYTES; i++) {
		seed = seed * 1664525 + 1013904223;
		message[i] = (uint8_t)(seed >> 24);
	}
	if (fd < 0 || !message ||
	    write(fd, message, LONG_BYTES) != LONG_BYTES ||
	    dup2(fd, STDIN_FILENO) < 0)
		exit(99);
	close(fd);
	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, message,
		      whole + reader_pad(message + LONG_BYTES - tail, tail,
					 LONG_BYTES));
	sha256_digest(state, expected);
	free(message);
	balance_test(read_stream, "a stream that is read ahead");
	ok(stream_is_right, "a long stream is read ahead by a thread");
	ok(long_message((struct job){ .kind = JOB_FILE }, false),
	   "a file is not");
}

int
main(void)
{
	const int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, FILE_BYTES) != 0 || close(fd) != 0)
		return 99;
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	if (mkfifo(fifo, 0600) != 0)
		return 99;
	test_export_bytes();
	test_log();
	balance_test(test_offer_refused, "an offer, refused or not,");
	test_short_rest();
	test_same_fifo();
	test_uncounted_fifo();
	test_renamed_fifo();
	test_missing_in_turn();
	test_leased_file();
	test_read_ahead();
	unlink(path);
	unlink(fifo);
	return tap_done();
}
