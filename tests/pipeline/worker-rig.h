/* SPDX-License-Identifier: MIT */
/*
 * worker-rig: a worker on the test's thread, and what it asks, tells and gives.
 * The linker gives its calls of the dispatch to the test (worker_rig in
 * tests/local.mk), which notes them, and gives out what the source has.  Header
 * only.
 */
#ifndef TESTS_PIPELINE_WORKER_RIG_H
#define TESTS_PIPELINE_WORKER_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/feed/dispatch.h"
#include "src/lanes/lane_group.h"
#include "src/lanes/migrate.h"
#include "src/lanes/progress.h"
#include "src/pipeline/worker.h"
#include "tests/pipeline/transfers.h"
#include "tests/support/tap.h"

enum {
	LANES = 16,
	LANE_BYTES = 128 << 10,
	MOST_JOBS = 80,
	MOST_STEPS = 40,
	LONG_BYTES = 1 << 20 /* more than that is worth another worker */
};

static char directory[] = "test-worker-turns-XXXXXX";
static struct sequencer sequencer;
static struct fifo_registry fifos;
static struct worker_config config;
static struct engine engine;
static struct worker_report report;

/* What the worker does; cleared before each run. */
static struct {
	unsigned steps, grown, offers, ended, closed, freed;
	unsigned grown_before[MOST_STEPS]; /* the step */
	unsigned made_before[MOST_STEPS];
	uint64_t bytes, jobs; /* its progress */
	/* Of its dispatch: */
	unsigned rests_asked, left, standstills, notes;
	uint64_t noted_blocks, noted_ns;
	uint64_t left_blocks[4];
	uint64_t heads[8]; /* asked with */
	struct job *returned;
	struct lane_transfer *returned_rest;
} seen;

/* What the dispatch says. */
static struct {
	bool wants_workers, goes_on;
	uint64_t level;
	struct lane_transfer *rest;
} says;

static void (*on_step)(unsigned step); /* from 1; cleared before each run */
static bool no_memory;
static const char *blocking; /* a name that has to wait after its first read */

/* A source of names; "" is none for now. */
static struct {
	struct source source;
	const char *names[MOST_JOBS + 1];
	struct job emitted[MOST_JOBS];
	unsigned made, nemitted;
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
	if (!*name)
		return SOURCE_LATER;
	job->kind = JOB_FILE;
	job->name = (char *)name;
	return SOURCE_JOB;
}

static void
emit(struct source *source, struct job *job)
{
	(void)source;
	list.emitted[list.nemitted++] = *job;
}

static void
flush(struct source *source)
{
	(void)source;
}

/* Wrapped -------------------------------------------------------------------- */

uint64_t
__wrap_clock_ns(void);
void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);
void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);
unsigned
__wrap_migrate_offer(struct sequencer *, unsigned worker, struct lane_group *);
void
__wrap_progress_note(unsigned worker, uint64_t bytes, uint64_t files);
unsigned
__wrap_dispatch_take(struct dispatch *, unsigned worker, unsigned busy,
		     struct ticket *tickets, unsigned max,
		     struct sequencer_view *);
struct lane_transfer *
__wrap_dispatch_take_rest(struct dispatch *, unsigned worker, uint64_t head);
void
__wrap_dispatch_return(struct dispatch *, struct job *);
void
__wrap_dispatch_return_rest(struct dispatch *, struct lane_transfer *);
void
__wrap_dispatch_leave_rest(struct dispatch *, unsigned worker,
			   struct lane_transfer *);
bool
__wrap_dispatch_wants_workers(struct dispatch *);
bool
__wrap_dispatch_note_standstill(struct dispatch *, unsigned worker);
uint64_t
__wrap_dispatch_note_worker(struct dispatch *, unsigned worker, uint64_t blocks,
			    uint64_t ns);

/* It goes on by a second each time that it is asked. */
uint64_t
__wrap_clock_ns(void)
{
	static uint64_t now;

	return now += 1000000000;
}

void *
__wrap_malloc(size_t bytes)
{
	return no_memory ? NULL : __real_malloc(bytes);
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return no_memory ? NULL : __real_calloc(n, bytes);
}

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	struct stat of, st;

	if (blocking && lseek(fd, 0, SEEK_CUR) > 0 && fstat(fd, &of) == 0 &&
	    stat(blocking, &st) == 0 && of.st_ino == st.st_ino) {
		blocking = NULL;
		errno = EAGAIN;
		return -1;
	}
	return __real_read(fd, to, bytes);
}

unsigned
__wrap_migrate_offer(struct sequencer *of, unsigned worker,
		     struct lane_group *group)
{
	seen.offers += of == &sequencer && worker == 1 && group->nlanes > 0;
	return 0;
}

void
__wrap_progress_note(unsigned worker, uint64_t bytes, uint64_t files)
{
	if (worker != 1)
		exit(99);
	seen.bytes = bytes;
	seen.jobs = files;
}

unsigned
__wrap_dispatch_take(struct dispatch *dispatch, unsigned worker, unsigned busy,
		     struct ticket *tickets, unsigned max,
		     struct sequencer_view *view)
{
	(void)dispatch;
	return sequencer_take(&sequencer, worker, busy, tickets, max, view);
}

struct lane_transfer *
__wrap_dispatch_take_rest(struct dispatch *dispatch, unsigned worker,
			  uint64_t head)
{
	struct lane_transfer *rest = says.rest;

	(void)dispatch;
	(void)worker;
	if (seen.rests_asked < 8)
		seen.heads[seen.rests_asked] = head;
	seen.rests_asked++;
	says.rest = NULL;
	return rest;
}

void
__wrap_dispatch_return(struct dispatch *dispatch, struct job *job)
{
	(void)dispatch;
	seen.returned = job;
}

void
__wrap_dispatch_return_rest(struct dispatch *dispatch,
			    struct lane_transfer *rest)
{
	(void)dispatch;
	seen.returned_rest = rest;
}

void
__wrap_dispatch_leave_rest(struct dispatch *dispatch, unsigned worker,
			   struct lane_transfer *rest)
{
	(void)dispatch;
	(void)worker;
	if (seen.left < 4)
		seen.left_blocks[seen.left] = rest_blocks(rest);
	seen.left++;
	lane_transfer_free(rest);
}

bool
__wrap_dispatch_wants_workers(struct dispatch *dispatch)
{
	(void)dispatch;
	return says.wants_workers;
}

bool
__wrap_dispatch_note_standstill(struct dispatch *dispatch, unsigned worker)
{
	const bool goes_on = says.goes_on;

	(void)dispatch;
	(void)worker;
	seen.standstills++;
	says.goes_on = false;
	return goes_on;
}

uint64_t
__wrap_dispatch_note_worker(struct dispatch *dispatch, unsigned worker,
			    uint64_t blocks, uint64_t ns)
{
	(void)dispatch;
	if (worker == 1 && seen.notes++ == 0) {
		seen.noted_blocks = blocks;
		seen.noted_ns = ns;
	}
	return says.level;
}

/* The worker ------------------------------------------------------------------ */

static void *
open_lanes(const void *context, const char *words, struct engine_limits *limits,
	   struct diag *why_not)
{
	void *self = engine_reference.open(context, words, limits, why_not);

	limits->lanes = LANES;
	return self;
}

static enum engine_status
note_step(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	if (seen.steps < MOST_STEPS) {
		seen.made_before[seen.steps] = list.made;
		seen.grown_before[seen.steps++] = seen.grown;
	}
	if (on_step)
		on_step(seen.steps);
	return engine_reference.submit(self, batches, n, why);
}

static void
note_close(void *self)
{
	seen.closed++;
	engine_reference.close(self);
}

static void
grow(void *pool)
{
	seen.grown += pool == &seen;
}

static void
note_end(void *pool, const struct worker_report *of)
{
	seen.ended += pool == &seen;
	report = *of;
}

/* Names, from now on. */
static inline void
begin(bool with_dispatch)
{
	memset(&seen, 0, sizeof(seen));
	memset(&says, 0, sizeof(says));
	memset(list.names, 0, sizeof(list.names));
	list.source = (struct source){ next, emit, flush, -1 };
	list.made = list.nemitted = 0;
	blocking = NULL;
	on_step = NULL;
	engine = engine_reference;
	engine.open = open_lanes;
	engine.submit = note_step;
	engine.close = note_close;
	fifo_registry_init(&fifos);
	sequencer_init(&sequencer, &list.source, 2);
	sequencer_add_worker(&sequencer);
	sequencer_add_worker(&sequencer);
	config = (struct worker_config){
		.engine = &engine,
		.options = "",
		.fifos = &fifos,
		.grow = grow,
		.ended = note_end,
		.pool = &seen,
		/* Which knows it by its address only. */
		.dispatch = with_dispatch ? (struct dispatch *)&says : NULL
	};
}

static inline void
add(unsigned n, const char *name)
{
	unsigned at = 0;

	while (list.names[at])
		at++;
	while (n-- > 0)
		list.names[at++] = name;
}

static inline void
run(void)
{
	struct diag why;
	struct worker *worker = worker_new(&config, &sequencer, 1, &why);

	if (!worker)
		exit(99);
	worker_run(worker);
	worker_free(worker);
	sequencer_destroy(&sequencer);
	fifo_registry_destroy(&fifos);
}

static inline void
make_file(const char *name, off_t bytes)
{
	const int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, bytes) != 0 || close(fd) != 0)
		exit(99);
}

static inline bool
rig_open(void)
{
	alarm(120);
	if (!mkdtemp(directory) || chdir(directory) != 0 ||
	    mkfifo("fifo", 0600) != 0)
		return false;
	make_file("small", 1000);
	make_file("long", LONG_BYTES);
	make_file("longer", LONG_BYTES + 1);
	make_file("log", 300000);
	return true;
}

static inline bool
rig_close(void)
{
	char command[64];

	ok(transfers_live == 0, "what messages were moved with is freed");
	if (chdir("..") != 0)
		return false;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0;
}

#endif
