/* SPDX-License-Identifier: MIT */
/*
 * Promise: a worker that waits takes lanes on offer first, gives up its place
 * for a disk, makes way for what has a descriptor, holds one FIFO at most, and
 * sleeps.
 *
 * The linker gives the workers' calls of the wrapped functions to this test,
 * which sees in them what a worker is about to do.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/base/descriptor.h"
#include "src/feed/dispatch.h"
#include "src/lanes/disk.h"
#include "src/lanes/lane_group.h"
#include "src/lanes/migrate.h"
#include "src/lanes/reader.h"
#include "src/lanes/rotating_disks.h"
#include "src/pipeline/worker.h"
#include "tests/pipeline/fake-dispatch.h"
#include "tests/support/tap.h"

enum { FILE_BYTES = 2 * MIGRATE_BYTES, MOST_JOBS = 8, MOST_CLAIMS = 100 };

static char directory[] = "test-waits-XXXXXX";

static struct fifo_registry fifos;
static struct disks disks;
static struct worker_config config;

/* What the worker does on the way; a case sets what it has to look at. */
static struct {
	unsigned claims, sleeps;
	void (*before_sleep)(void);
	bool (*before_idle)(void);  /* true: instead of it */
	void (*before_input)(void); /* is waited for */
	uint64_t held;		    /* disks, by somebody else */
	const char *unopened;	    /* a name that has not been opened */
	bool scarce;		    /* it is the one that cannot be, at first */
} seen;

/* A source of some names; "-" is standard input, "" is none for now. */
static struct names {
	struct source source;
	const char *names[MOST_JOBS + 1];
	unsigned made, emitted, failed;
	unsigned beside_offers; /* made while there were lanes on offer */
} list;

static enum source_answer
next(struct source *source, struct job *job, bool is_oldest)
{
	const char *name = list.names[list.made];

	(void)source;
	(void)is_oldest;
	if (!name)
		return SOURCE_END;
	list.made++;
	list.beside_offers += sequencer.exchange.noffers > 0;
	if (!*name)
		return SOURCE_LATER;
	job->kind = strcmp(name, "-") == 0 ? JOB_STDIN : JOB_FILE;
	job->name = (char *)name;
	return SOURCE_JOB;
}

static void
emit(struct source *source, struct job *job)
{
	(void)source;
	list.emitted++;
	list.failed += job->error != 0;
}

static void
flush(struct source *source)
{
	(void)source;
}

/* Wrapped ------------------------------------------------------------------- */

void
__wrap_rotating_disks_find(const char *root, dev_t device, int fd,
			   struct rotating_disks *found);
ssize_t
__wrap_disk_read_cached(int fd, void *to, size_t bytes);
enum disk_answer
__real_disk_claim(struct disks *disks, const struct disk_request *request,
		  uint64_t *held);
enum disk_answer
__wrap_disk_claim(struct disks *disks, const struct disk_request *request,
		  uint64_t *held);
void
__real_sequencer_wait(struct sequencer *, const struct sequencer_view *);
void
__wrap_sequencer_wait(struct sequencer *, const struct sequencer_view *);
bool
__real_sequencer_wait_idle(struct sequencer *, unsigned worker,
			   const struct sequencer_view *);
bool
__wrap_sequencer_wait_idle(struct sequencer *, unsigned worker,
			   const struct sequencer_view *);
enum reader_answer
__real_reader_next(struct reader *, struct handout *, bool may_wait);
enum reader_answer
__wrap_reader_next(struct reader *, struct handout *, bool may_wait);
int
__real_descriptor_open(const char *name, int flags);
int
__wrap_descriptor_open(const char *name, int flags);

/* All files are on the same disk, which rotates. */
void
__wrap_rotating_disks_find(const char *root, dev_t device, int fd,
			   struct rotating_disks *found)
{
	(void)root;
	(void)device;
	(void)fd;
	found->n = 1;
	found->disks[0] = 1;
}

/* And nothing of them is cached. */
ssize_t
__wrap_disk_read_cached(int fd, void *to, size_t bytes)
{
	(void)fd;
	(void)to;
	(void)bytes;
	errno = EAGAIN;
	return -1;
}

static void
release_disk(void)
{
	disk_release(&disks, seen.held);
	sequencer_wake(&sequencer);
}

/* Whoever asks again and again does not sleep; it must not do so for ever. */
enum disk_answer
__wrap_disk_claim(struct disks *of, const struct disk_request *request,
		  uint64_t *held)
{
	if (++seen.claims == MOST_CLAIMS)
		release_disk();
	return __real_disk_claim(of, request, held);
}

void
__wrap_sequencer_wait(struct sequencer *of, const struct sequencer_view *view)
{
	seen.sleeps++;
	if (seen.before_sleep)
		seen.before_sleep();
	__real_sequencer_wait(of, view);
}

bool
__wrap_sequencer_wait_idle(struct sequencer *of, unsigned worker,
			   const struct sequencer_view *view)
{
	return (seen.before_idle && seen.before_idle()) ||
	       __real_sequencer_wait_idle(of, worker, view);
}

enum reader_answer
__wrap_reader_next(struct reader *reader, struct handout *handout,
		   bool may_wait)
{
	if (may_wait && seen.before_input)
		seen.before_input();
	return __real_reader_next(reader, handout, may_wait);
}

int
__wrap_descriptor_open(const char *name, int flags)
{
	if (seen.scarce && fake.rest && strcmp(name, seen.unopened) == 0) {
		fake.is_wanted = true;
		errno = EMFILE;
		return -1;
	}
	if (seen.unopened && strcmp(name, seen.unopened) == 0)
		seen.unopened = NULL;
	return __real_descriptor_open(name, flags);
}

/* A worker ------------------------------------------------------------------ */

static void
grow(void *pool)
{
	(void)pool;
}

static void
ended(void *pool, const struct worker_report *report)
{
	(void)pool;
	(void)report;
}

static void
begin(unsigned workers)
{
	memset(&seen, 0, sizeof(seen));
	list.source = (struct source){ next, emit, flush, -1 };
	list.made = list.emitted = list.failed = list.beside_offers = 0;
	fifo_registry_init(&fifos);
	disks_init(&disks, "");
	sequencer_init(&sequencer, &list.source, workers);
	for (unsigned i = 0; i < workers; i++)
		sequencer_add_worker(&sequencer);
	config = (struct worker_config){ .engine = &engine_reference,
					 .options = "",
					 .fallback = &engine_reference,
					 .fifos = &fifos,
					 .grow = grow,
					 .ended = ended };
}

/* Run one worker to the end; did so many jobs end, all of them well? */
static bool
run(unsigned index, unsigned jobs)
{
	struct diag why;
	struct worker *worker = worker_new(&config, &sequencer, index, &why);

	if (!worker)
		exit(99);
	worker_run(worker);
	worker_free(worker);
	sequencer_destroy(&sequencer);
	disks_destroy(&disks);
	fifo_registry_destroy(&fifos);
	return list.emitted == jobs && list.failed == 0;
}

/* Standard input becomes a pipe; the end that writes. */
static int
open_stdin(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], STDIN_FILENO) < 0)
		exit(99);
	close(ends[0]);
	return ends[1];
}

/* Disks --------------------------------------------------------------------- */

/* For a message with this number. */
static enum disk_answer
claim(uint64_t seq, uint64_t *held)
{
	struct disk_request request = { .fd = -1, .seq = seq };
	struct stat st;

	if (stat("a", &st) != 0)
		exit(99);
	request.device = st.st_dev;
	return __real_disk_claim(&disks, &request, held);
}

static void
test_disk_of_another(void)
{
	list.names[0] = "a";
	list.names[1] = NULL;
	begin(1);
	config.disks = &disks;
	seen.before_sleep = release_disk;
	if (claim(7, &seen.held) != DISK_YOURS)
		exit(99);
	ok(run(0, 1) && seen.sleeps == 1 && seen.claims < MOST_CLAIMS,
	   "who lacks a disk sleeps until there is a change");
}

static int writer;
static enum disk_answer answer;

/* The worker is about to wait for standard input. */
static void
claim_later(void)
{
	uint64_t held;

	seen.before_input = NULL;
	disk_release(&disks, seen.held);
	answer = claim(9, &held);
	disk_release(&disks, held);
	close(writer);
}

static void
test_disk_given_up(void)
{
	list.names[0] = "-";
	list.names[1] = "a";
	list.names[2] = NULL;
	begin(1);
	config.disks = &disks;
	writer = open_stdin();
	answer = DISK_TAKEN;
	seen.before_input = claim_later;
	if (claim(7, &seen.held) != DISK_YOURS)
		exit(99);
	ok(run(0, 2) && answer == DISK_YOURS,
	   "who waits for an input keeps no place for a disk");
}

/* FIFOs --------------------------------------------------------------------- */

static unsigned made_before_stdin;
static bool unopened_before_stdin;

/* The FIFO's turn: a writer comes and goes. */
static void
end_fifo(void)
{
	const int fd = open("fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	seen.before_input = NULL;
	if (fd < 0)
		exit(99);
	close(fd);
}

static void
note_before_stdin(void)
{
	made_before_stdin = list.made;
	unopened_before_stdin = seen.unopened;
	seen.before_input = end_fifo;
	close(writer);
}

static void
test_past_a_fifo(void)
{
	static const char *const names[] = { "empty", "-", "fifo", "b",
					     "",      "a", NULL };

	memcpy(list.names, names, sizeof(names));
	begin(1);
	writer = open_stdin();
	seen.before_input = note_before_stdin;
	seen.unopened = "b";
	ok(run(0, 5), "a FIFO between files, and standard input");
	ok(unopened_before_stdin,
	   "what comes behind a FIFO is not opened before the FIFO's turn");
	ok(made_before_stdin == 5, "and no more jobs are taken");
}

/* Lanes on offer ------------------------------------------------------------ */

static struct lane_group group;

/* Another worker, which has begun the first two jobs. */
static void
begin_other(void)
{
	const struct lane model = { .sequencer = &sequencer, .fifos = &fifos };
	const struct lane_room room = { .capacity = 4096 };
	struct ticket tickets[2];
	struct sequencer_view view;
	uint8_t *buffers = calloc(1, lane_group_buffer_bytes(2, &room));

	if (!buffers || !lane_group_allocate(&group, 1, 2, 2, &model) ||
	    sequencer_take(&sequencer, 1, 0, tickets, 2, &view) != 2)
		exit(99);
	lane_group_place_buffers(&group, buffers, 2, &room);
	for (unsigned i = 0; i < 2; i++) {
		lane_start(&group.lanes[i], tickets[i]);
		lane_open(&group.lanes[i]);
	}
	group.busy = 2;
}

/* It offers the second one and ends the first. */
static void
end_other(void)
{
	const struct ticket first = group.lanes[0].ticket;
	uint8_t *buffers = group.lanes[0].buffer;

	sequencer.exchange.idle++;
	if (migrate_offer(&sequencer, 1, &group) != 1)
		exit(99);
	sequencer.exchange.idle--;
	lane_finish(&group.lanes[0], 0);
	sequencer_set_busy(&sequencer, 1, 0);
	sequencer_publish(&sequencer, &first, 1);
	lane_group_free(&group);
	free(buffers);
}

/* Nobody would wake it: the change is what it has to make. */
static void
look_at_offers(void)
{
	if (sequencer.exchange.noffers == 0)
		return;
	ok(false, "nobody sleeps beside lanes on offer");
	exit(tap_done());
}

static void
test_accept_first(void)
{
	static const char *const names[] = { "a", "b", "/dev/null", NULL };

	memcpy(list.names, names, sizeof(names));
	begin(2);
	begin_other();
	end_other();
	seen.before_sleep = look_at_offers;
	ok(run(0, 3), "who has a job that waits for its turn takes over those "
		      "before it");
}

static bool
offer_when_idle(void)
{
	seen.before_idle = NULL;
	end_other();
	return true;
}

static void
test_accept_before_new(void)
{
	static const char *const names[] = { "a", "b", "", "a", NULL };

	memcpy(list.names, names, sizeof(names));
	begin(2);
	config.one_lane = true;
	begin_other();
	seen.before_idle = offer_when_idle;
	ok(run(0, 3) && list.beside_offers == 0,
	   "an idle worker takes lanes on offer before new jobs");
}

/* Descriptors --------------------------------------------------------------- */

/* The second job is a rest; the first one lacks a descriptor until it ends. */
static void
test_make_way(void)
{
	static const char *const names[] = { "a", "b", NULL };
	uint8_t *buffers;

	memcpy(list.names, names, sizeof(names));
	begin(2);
	begin_other();
	buffers = group.lanes[0].buffer;
	fake.rest = lane_transfer_new();
	if (!fake.rest)
		exit(99);
	lane_export(&group.lanes[1], fake.rest);
	fake.job = group.lanes[0].ticket;
	fake.is_wanted = false;
	lane_give_up(&group.lanes[0]);
	lane_group_free(&group);
	free(buffers);
	sequencer_set_busy(&sequencer, 1, 0);
	config.one_lane = true;
	config.dispatch = (struct dispatch *)&fake;
	seen.unopened = "a";
	seen.scarce = true;
	ok(run(0, 2) && !fake.rest,
	   "a job without a descriptor makes way for a message that has one");
}

static void
make_file(const char *name, off_t bytes)
{
	const int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, bytes) != 0 || close(fd) != 0)
		exit(99);
}

int
main(void)
{
	alarm(120);
	if (!mkdtemp(directory) || chdir(directory) != 0 ||
	    mkfifo("fifo", 0600) != 0)
		return 99;
	make_file("a", FILE_BYTES);
	make_file("b", FILE_BYTES);
	make_file("empty", 0);
	test_disk_of_another();
	test_disk_given_up();
	test_past_a_fifo();
	test_accept_first();
	test_accept_before_new();
	test_make_way();
	if (unlink("a") != 0 || unlink("b") != 0 || unlink("empty") != 0 ||
	    unlink("fifo") != 0 || chdir("..") != 0 || rmdir(directory) != 0)
		return 99;
	return tap_done();
}
