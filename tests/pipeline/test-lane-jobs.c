/* SPDX-License-Identifier: MIT */
/*
 * Promise: a lane opens, reads and ends a job as its source wants it, waits for
 * a disk that another one has, and moves whole.
 */
#include "config.h"

#include "src/lanes/lane.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/base/descriptor.h"
#include "src/lanes/lane_group.h"
#include "tests/pipeline/opinion.h"
#include "tests/support/tap.h"

enum { CAPACITY = 4096, LONG_BYTES = 3 * CAPACITY, READ_AHEAD = 4 << 20 };

static char directory[] = "test-lane-jobs-XXXXXX";
static struct sequencer sequencer;
static struct fifo_registry fifos;
static struct disks disks;
static struct lane_group group;
static struct lane *lane;
static struct job job;
static struct stat st; /* of "long" */
static alignas(4096) uint8_t buffers[4 * CAPACITY];

/* Linked in place of what opens and reads (--wrap). */
static int open_error;
static unsigned timed_reads, cached_reads;
static bool is_cold;

int
__real_descriptor_open(const char *name, int flags);
int
__wrap_descriptor_open(const char *name, int flags);
ssize_t
__wrap_disk_read(int fd, void *to, size_t bytes, bool *waited);
ssize_t
__wrap_disk_read_cached(int fd, void *to, size_t bytes);

int
__wrap_descriptor_open(const char *name, int flags)
{
	errno = open_error;
	return open_error ? -1 : __real_descriptor_open(name, flags);
}

ssize_t
__wrap_disk_read(int fd, void *to, size_t bytes, bool *waited)
{
	timed_reads++;
	*waited = is_cold;
	return read(fd, to, bytes);
}

ssize_t
__wrap_disk_read_cached(int fd, void *to, size_t bytes)
{
	cached_reads++;
	errno = EAGAIN;
	return is_cold ? -1 : read(fd, to, bytes);
}

static enum source_answer
no_job(struct source *source, struct job *of, bool is_oldest)
{
	(void)source;
	(void)of;
	(void)is_oldest;
	return SOURCE_LATER;
}

/* Two lanes, the first one with a job. */
static void
begin(const char *name)
{
	static struct source source = { .next = no_job, .wait_fd = -1 };
	const struct lane model = { .sequencer = &sequencer, .fifos = &fifos };
	const struct lane_room room = { .capacity = CAPACITY,
					.slack_bytes = 128 };

	sequencer_init(&sequencer, &source, 2);
	fifo_registry_init(&fifos);
	disks_init(&disks, "nowhere");
	if (!lane_group_allocate(&group, 1, 2, 2, &model))
		exit(99);
	lane_group_place_buffers(&group, buffers, 1, &room);
	group.lanes[1].buffer = group.lanes[0].buffer;
	group.lanes[1].capacity = CAPACITY;
	lane = &group.lanes[0];
	job = (struct job){ .kind = name ? JOB_FILE : JOB_STDIN,
			    .name = (char *)name };
	open_error = 0;
	timed_reads = cached_reads = 0;
	is_cold = false;
	lane_start(lane, (struct ticket){ .job = &job, .seq = 7 });
}

static void
end(void)
{
	lane_group_free(&group);
	disks_destroy(&disks);
	fifo_registry_destroy(&fifos);
	sequencer_destroy(&sequencer);
}

static enum lane_answer
refill(uint64_t head)
{
	return lane_refill(lane, head, false, false);
}

/* So many blocks of what the lane has. */
static enum lane_answer
hash(uint32_t blocks)
{
	uint32_t state[SHA256_STATE_WORDS];

	batch_get_state(lane->batch, lane->column, state);
	sha256_blocks(state, lane->batch->data[lane->column], blocks);
	batch_set_state(lane->batch, lane->column, state);
	lane->batch->done[lane->column] = blocks;
	return lane_advance(lane);
}

/* "abc" (FIPS 180-2, appendix B.1). */
static bool
is_abc(const uint8_t digest[SHA256_DIGEST_BYTES])
{
	return digest[0] == 0xba && digest[1] == 0x78 && digest[31] == 0xad;
}

/* Opening --------------------------------------------------------------------- */

static void
test_open(void)
{
	begin("abc");
	ok(lane->unopened && !lane_is_free(lane),
	   "a job is not opened at once");
	ok(lane_open(lane) == LANE_WAITING && job.opened && !lane->unopened &&
		   reader_size(lane->reader) == 3 &&
		   !reader_is_regular(lane->reader),
	   "a small file is opened with as few calls as can be");
	ok(refill(0) == LANE_READY && lane->batch->nblocks[0] == 1 &&
		   lane->message_bytes == 3 && lane->handed_bytes == 3 &&
		   refill(0) == LANE_READY && lane->handed_bytes == 3,
	   "and read once");
	ok(hash(1) == LANE_ENDED && is_abc(job.digest) && job.size == 3 &&
		   job.error == 0 && job.verdict == JOB_TRUSTED &&
		   lane_is_free(lane) && reader_descriptor(lane->reader) < 0,
	   "to its end, and closed");
	end();
	begin("abc");
	job.watched = true;
	lane_open(lane);
	ok(reader_is_regular(lane->reader), "a watched one is looked at");
	lane_give_up(lane);
	end();
	begin(NULL);
	ok(lane_open(lane) == LANE_WAITING && job.opened,
	   "standard input is open");
	ok(refill(6) == LANE_WAITING, "and waits for its turn");
	lane_give_up(lane);
	end();
}

static void
test_open_errors(void)
{
	static const int errors[] = { EMFILE, ENFILE };

	for (unsigned i = 0; i < 2; i++) {
		begin("abc");
		open_error = errors[i];
		ok(lane_open(lane) == LANE_WAITING && lane->unopened &&
			   job.error == errors[i] && refill(7) == LANE_WAITING,
		   "a file without a descriptor waits for one (%s)",
		   strerror(errors[i]));
		open_error = 0;
		ok(refill(0) == LANE_READY && job.error == 0,
		   "and then is read");
		lane_give_up(lane);
		end();
	}
	begin("abc");
	open_error = EACCES;
	ok(lane_open(lane) == LANE_ENDED && job.error == EACCES &&
		   !job.opened && lane_is_free(lane),
	   "another error is the file's");
	end();
	begin("abc");
	open_error = ENOENT;
	ok(refill(0) == LANE_ENDED && job.error == ENOENT,
	   "also when it is opened late");
	end();
}

static void
test_filter(void)
{
	static const struct {
		const char *name;
		bool has_output;
		int device, inode; /* off by so much */
		enum job_verdict verdict;
		const char *what;
	} rows[] = {
		{ "long", true, 0, 0, JOB_IS_OUTPUT, "the output itself" },
		{ "long", false, 0, 0, JOB_TRUSTED, "without an output" },
		{ "long", true, 1, 0, JOB_TRUSTED, "on another device" },
		{ "long", true, 0, 1, JOB_TRUSTED, "another file" },
		{ "fifo", true, 0, 0, JOB_NOT_REGULAR, "no regular file" },
		{ "/dev/null", true, 0, 0, JOB_TRUSTED, "not opened yet" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct job_filter filter = {
			.has_output = rows[i].has_output,
			.device = st.st_dev + (dev_t)rows[i].device,
			.inode = st.st_ino + (ino_t)rows[i].inode
		};
		const bool refused = rows[i].verdict != JOB_TRUSTED;

		begin(rows[i].name);
		job.filter = &filter;
		job.verdict = JOB_DISPUTED;
		ok((lane_open(lane) == LANE_ENDED) == refused &&
			   job.verdict == rows[i].verdict &&
			   lane_is_free(lane) == refused,
		   "a filter: %s", rows[i].what);
		if (!refused)
			lane_give_up(lane);
		end();
	}
}

static void
test_changed(bool watched)
{
	begin("grows");
	job.watched = watched;
	lane_open(lane);
	if (truncate("grows", 4) != 0)
		exit(99);
	refill(0);
	hash(1);
	if (!lane_is_free(lane) && refill(0) != LANE_ENDED)
		exit(99);
	ok(job.verdict == (watched ? JOB_CHANGED : JOB_TRUSTED) &&
		   job.size == 4,
	   "a file that changes, %s", watched ? "watched" : "unwatched");
	if (truncate("grows", 3) != 0)
		exit(99);
	end();
}

/* Disks ----------------------------------------------------------------------- */

/* All files are on one disk, which is known to rotate, or not known. */
static void
use_disk(bool known)
{
	disks.count = 1;
	if (known) {
		disks.devices[0].device = st.st_dev;
		disks.devices[0].disks = 1;
		disks.ndevices = 1;
	}
	lane->disks = &disks;
}

static void
test_disk(void)
{
	uint64_t changes;

	begin("long");
	use_disk(false);
	ok(refill(0) == LANE_READY && timed_reads == 1 && cached_reads == 0,
	   "reads from an unknown disk are timed");
	lane_give_up(lane);
	end();
	begin("full");
	use_disk(true);
	ok(refill(0) == LANE_READY && timed_reads + cached_reads == 0,
	   "a file that takes one read is just read");
	lane_give_up(lane);
	end();
	begin("long");
	ok(refill(0) == LANE_READY && timed_reads + cached_reads == 0,
	   "and so is any if disks do not matter");
	lane_give_up(lane);
	end();

	begin("long");
	use_disk(true);
	is_cold = true;
	disks.taken = 1;
	ok(refill(0) == LANE_WAITING && cached_reads == 1 &&
		   lane_lacks_disk(lane) && !lane->disks_held &&
		   disks.waiting[0] == 7,
	   "what is not cached waits for the disk that another lane has");
	ok(lane_export_bytes(lane) == 0, "and stays in its lane");
	disks.taken = 0;
	changes = sequencer.changes;
	ok(refill(0) == LANE_READY && lane->disks_held == 1 &&
		   disks.taken == 1 && cached_reads == 1,
	   "then it has the disk");
	ok(!lane_is_too_early(lane, 0), "and is not given up");
	lane_give_up(lane);
	ok(disks.taken == 0 && !lane->disks_held &&
		   sequencer.changes == changes + 1,
	   "until it has ended, which is told");
	end();

	begin("long");
	use_disk(true);
	is_cold = true;
	ok(refill(0) == LANE_READY && lane->disks_held == 1,
	   "a disk that is free is claimed at once");
	hash(CAPACITY / 64);
	ok(refill(0) == LANE_READY && cached_reads == 1,
	   "and then the file is read from it");
	lane_give_up(lane);
	end();
}

/* Turns ------------------------------------------------------------------------ */

static void
test_too_early(void)
{
	begin("fifo");
	ok(lane_is_too_early(lane, 0) && !lane_is_too_early(lane, 7),
	   "before it is opened a job may have to wait, if it is not the oldest");
	lane_open(lane);
	ok(lane_is_too_early(lane, 0) && !lane_is_too_early(lane, 7),
	   "and so may a FIFO");
	lane_give_up(lane);
	end();
	begin("abc");
	lane_open(lane);
	ok(!lane_is_too_early(lane, 0), "but no file");
	lane_give_up(lane);
	end();
	begin("/dev/null");
	lane_open(lane);
	ok(refill(6) == LANE_WAITING && refill(7) == LANE_WAITING &&
		   reader_is_postponed(lane->reader),
	   "a device is not opened again by one that may not wait");
	ok(lane_refill(lane, 7, true, false) == LANE_READY && job.opened,
	   "but by one that may");
	lane_give_up(lane);
	end();
}

/* Is a stream read ahead of which so many bytes have been read? */
static bool
reads_ahead(uint64_t handed, bool allowed, bool file)
{
	bool ahead;
	int fd = open("long", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		exit(99);
	close(fd);
	begin(file ? "long" : NULL);
	lane_open(lane);
	lane->handed_bytes = handed;
	if (lane_refill(lane, 7, true, allowed) != LANE_READY)
		exit(99);
	ahead = lane->ahead;
	do
		hash(lane->batch->nblocks[0]);
	while (!lane_is_free(lane) &&
	       lane_refill(lane, 7, true, allowed) == LANE_READY);
	end();
	return ahead;
}

static void
test_read_ahead(void)
{
	ok(reads_ahead(READ_AHEAD, true, false) &&
		   !reads_ahead(READ_AHEAD - 1, true, false),
	   "a stream is read ahead from 4 MiB on");
	ok(!reads_ahead(READ_AHEAD, false, false) &&
		   !reads_ahead(READ_AHEAD, true, true),
	   "if that is allowed, and it is a stream");
}

/* Blocks ----------------------------------------------------------------------- */

static void
test_advance(void)
{
	begin("long");
	lane->crypto = &opinion;
	lane_start(lane, lane->ticket);
	refill(0);
	ok(hash(3) == LANE_READY && lane->message_bytes == CAPACITY - 192 &&
		   lane->batch->nblocks[0] == 61 &&
		   lane->batch->data[0] == lane->buffer + 192 &&
		   opinion_bytes == 192,
	   "blocks that are done are left behind");
	ok(hash(61) == LANE_WAITING && lane->message_bytes == 0 &&
		   opinion_bytes == CAPACITY,
	   "then there are none");
	while (!lane_is_free(lane) && refill(0) == LANE_READY)
		hash(lane->batch->nblocks[0]);
	ok(job.size == LONG_BYTES && opinion_bytes == LONG_BYTES &&
		   lane_is_free(lane),
	   "padding is no part of the message");
	end();
}

static void
test_move(void)
{
	struct lane_transfer *transfer = lane_transfer_new();
	struct lane *other;
	struct reader *reader;
	uint32_t state[SHA256_STATE_WORDS];

	begin("long");
	lane_open(lane);
	reader = lane->reader;
	refill(0);
	hash(64);
	memset(state, 0x21, sizeof(state));
	batch_set_state(lane->batch, 0, state);
	memset(&lane->verify.state, 0x43, sizeof(lane->verify.state));
	ok(transfer->promised == 0 &&
		   lane_export_bytes(lane) == LONG_BYTES - CAPACITY,
	   "a message has so much left");
	lane_export(lane, transfer);
	ok(lane_is_free(lane) && lane->reader && lane->reader != reader,
	   "it leaves its lane, which gets another reader");
	other = &group.lanes[1];
	other->unopened = true;
	lane_import(other, transfer);
	memset(state, 0, sizeof(state));
	batch_get_state(other->batch, 1, state);
	ok(other->ticket.job == &job && other->ticket.seq == 7 &&
		   other->reader == reader && other->handed_bytes == CAPACITY &&
		   !other->unopened && state[0] == 0x21212121 &&
		   state[7] == 0x21212121 &&
		   other->verify.state[3] == 0x43434343,
	   "and is whole in another one");
	ok(lane_refill(other, 0, false, false) == LANE_READY &&
		   other->batch->data[1] == other->buffer &&
		   other->handed_bytes == 2 * CAPACITY,
	   "where it goes on");
	lane_give_up(other);
	lane_transfer_free(transfer);
	end();
}

static void
make_file(const char *name, off_t bytes)
{
	const int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "abc", 3) != 3 || ftruncate(fd, bytes) != 0 ||
	    close(fd) != 0)
		exit(99);
}

int
main(void)
{
	char command[64];

	alarm(120);
	if (!mkdtemp(directory) || chdir(directory) != 0 ||
	    mkfifo("fifo", 0600) != 0)
		return 99;
	make_file("abc", 3);
	make_file("grows", 3);
	make_file("full", CAPACITY);
	make_file("long", LONG_BYTES);
	if (stat("long", &st) != 0)
		return 99;
	test_open();
	test_open_errors();
	test_filter();
	test_changed(true);
	test_changed(false);
	test_disk();
	test_too_early();
	test_read_ahead();
	test_advance();
	test_move();
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
