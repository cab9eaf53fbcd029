/* SPDX-License-Identifier: MIT */
/*
 * Promise: a run has the workers and the feeder that it was asked for and has
 * memory for, gives each what it needs, and sums up what they report.
 *
 * The linker gives the calls of workers, feeders, threads and mappings to this
 * test.
 */
#include "config.h"

#include "src/pipeline/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/pipeline/feeder.h"
#include "tests/pipeline/locks.h"
#include "tests/support/tap.h"

enum { MOST = 8, MIB = 1 << 20 };

/* What the run does; cleared before each. */
static struct {
	unsigned nworkers, nfreed, nran;
	struct worker_config workers[MOST];
	unsigned indexes[MOST];
	struct sequencer *sequencer;
	unsigned max_workers;
	unsigned feeders, fed, lost, feeder_freed, feeder_index, feeder_max;
	struct worker_config feeder;
	int threads, mapped; /* that are there */
	unsigned nthreads, nmapped, speeds;
	bool fed_elsewhere;
} seen;

/* What happens to it. */
static struct {
	unsigned grow;	    /* so often the first worker calls for help */
	unsigned new_fails; /* the worker with this number, from 1 */
	bool no_threads, no_mappings;
	bool feeder_fails, feeder_tells;
	const struct worker_report *reports; /* of the first worker */
	unsigned nreports;
} says;

static char places[MOST]; /* their addresses are workers */
static char feeder_place, dispatch_place;
static pthread_t first_thread;

struct worker *
__wrap_worker_new(const struct worker_config *, struct sequencer *,
		  unsigned index, struct diag *);
void
__wrap_worker_run(struct worker *);
void
__wrap_worker_free(struct worker *);
struct feeder *
__wrap_feeder_new(const struct worker_config *, struct sequencer *,
		  unsigned index, unsigned max_workers, struct diag *);
struct dispatch *
__wrap_feeder_dispatch(struct feeder *);
void
__wrap_feeder_lose_device(struct feeder *);
void
__wrap_feeder_run(struct feeder *);
void
__wrap_feeder_free(struct feeder *);
int
__real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);
int
__wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);
int
__real_pthread_join(pthread_t, void **);
int
__wrap_pthread_join(pthread_t, void **);
void *
__wrap_mmap(void *address, size_t len, int prot, int flags, int fd, off_t at);
void *
__wrap_mmap64(void *address, size_t len, int prot, int flags, int fd, off_t at)
	__attribute__((alias("__wrap_mmap")));
int
__wrap_munmap(void *address, size_t len);

struct worker *
__wrap_worker_new(const struct worker_config *config,
		  struct sequencer *sequencer, unsigned index,
		  struct diag *why_not)
{
	const unsigned i = seen.nworkers++;

	if (i >= MOST)
		exit(99);
	seen.workers[i] = *config;
	seen.indexes[i] = index;
	seen.sequencer = sequencer;
	seen.max_workers = sequencer->exchange.max_workers;
	if (i + 1 != says.new_fails)
		return (struct worker *)&places[i];
	if (why_not)
		diag_set(why_not, "no worker");
	return NULL;
}

/* Those of other threads have ended when they begin. */
void
__wrap_worker_run(struct worker *worker)
{
	const struct worker_config *config = &seen.workers[0];

	__atomic_add_fetch(&seen.nran, 1, __ATOMIC_RELAXED);
	if ((char *)worker != &places[0])
		return;
	for (unsigned i = 0; i < says.grow; i++)
		config->grow(config->pool);
	for (unsigned i = 0; i < says.nreports; i++)
		config->ended(config->pool, &says.reports[i]);
}

void
__wrap_worker_free(struct worker *worker)
{
	if (worker)
		__atomic_add_fetch(&seen.nfreed, 1, __ATOMIC_RELAXED);
}

struct feeder *
__wrap_feeder_new(const struct worker_config *config,
		  struct sequencer *sequencer, unsigned index,
		  unsigned max_workers, struct diag *why_not)
{
	struct worker_report report = { .failed = config->engine };

	(void)sequencer;
	seen.feeders++;
	seen.feeder = *config;
	seen.feeder_index = index;
	seen.feeder_max = max_workers;
	if (!says.feeder_fails)
		return (struct feeder *)&feeder_place;
	diag_set(why_not, "no device");
	report.why = *why_not;
	if (says.feeder_tells)
		config->ended(config->pool, &report);
	return NULL;
}

struct dispatch *
__wrap_feeder_dispatch(struct feeder *feeder)
{
	(void)feeder;
	return (struct dispatch *)&dispatch_place;
}

void
__wrap_feeder_lose_device(struct feeder *feeder)
{
	seen.lost += (char *)feeder == &feeder_place;
}

void
__wrap_feeder_run(struct feeder *feeder)
{
	seen.fed += (char *)feeder == &feeder_place;
	seen.fed_elsewhere = !pthread_equal(first_thread, pthread_self());
}

void
__wrap_feeder_free(struct feeder *feeder)
{
	seen.feeder_freed += (char *)feeder == &feeder_place;
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg)
{
	int error = EAGAIN;

	seen.nthreads++;
	if (!says.no_threads)
		error = __real_pthread_create(thread, attr, run, arg);
	seen.threads += !error;
	return error;
}

int
__wrap_pthread_join(pthread_t thread, void **result)
{
	seen.threads--;
	return __real_pthread_join(thread, result);
}

/* Of a worker's reserve; nothing is written to it. */
void *
__wrap_mmap(void *address, size_t len, int prot, int flags, int fd, off_t at)
{
	(void)address;
	(void)at;
	if (says.no_mappings)
		return MAP_FAILED;
	seen.nmapped++;
	seen.mapped += len == MIB && prot == (PROT_READ | PROT_WRITE) &&
		       flags == (MAP_PRIVATE | MAP_ANONYMOUS) && fd == -1;
	return &seen;
}

int
__wrap_munmap(void *address, size_t len)
{
	seen.mapped -= address == &seen && len == MIB;
	return 0;
}

static void
tell_speed(const void *context, struct engine_speed *speed)
{
	seen.speeds += context == &places;
	speed->lanes = 48;
}

static struct engine device;
static struct pipeline_config config;
static struct worker_report report;
static struct diag why;
static struct source source;
static unsigned wrong_locks;

static void
begin(bool with_device, unsigned threads)
{
	memset(&seen, 0, sizeof(seen));
	memset(&says, 0, sizeof(says));
	memset(&report, 0x55, sizeof(report));
	first_thread = pthread_self();
	device = engine_reference;
	device.per_thread = false;
	device.speed = tell_speed;
	device.context = &places;
	config = (struct pipeline_config){
		.engine = with_device ? &device : &engine_reference,
		.options = "some words",
		.fallback = &engine_reference,
		.threads = threads,
		.crypto = (const struct libcrypto *)&places
	};
}

static bool
run(void)
{
	const bool ran = pipeline_run(&config, &source, &report, &why);

	wrong_locks += !locks_are_right();
	return ran && seen.threads == 0 && seen.mapped == 0;
}

static void
test_cpu(void)
{
	const struct worker_config *worker = &seen.workers[0];

	begin(false, 1);
	ok(run() && seen.nworkers == 1 && seen.nran == 1 && seen.nfreed == 1 &&
		   seen.indexes[0] == 0 && seen.feeders == 0,
	   "on the CPU there is a worker");
	ok(worker->engine == &engine_reference &&
		   strcmp(worker->options, "some words") == 0 &&
		   worker->fallback == &engine_reference &&
		   worker->crypto == config.crypto && !worker->readahead &&
		   !worker->one_lane && worker->disks && worker->fifos &&
		   !worker->dispatch,
	   "with what it needs");
	ok(seen.max_workers == 1 && report.blocks == 0 && !report.failed &&
		   report.engine.nrows == 0,
	   "and nothing has been done before");
	begin(false, 2);
	ok(run() && worker->readahead && seen.max_workers == 2,
	   "where threads are allowed one may read ahead");
	begin(false, 1);
	config.one_at_a_time = true;
	ok(run() && worker->one_lane && !worker->disks,
	   "one file at a time needs one lane, and no disk");
	begin(false, 1);
	says.new_fails = 1;
	ok(!run() && strcmp(why.text, "no worker") == 0 && seen.nran == 0 &&
		   seen.nfreed == 0,
	   "without a worker there is no run");
}

static void
test_grow(void)
{
	begin(false, 4);
	says.grow = 6;
	ok(run() && seen.nworkers == 4 && seen.nran == 4 && seen.nfreed == 4 &&
		   seen.nthreads == 3 && seen.nmapped == 3 &&
		   seen.indexes[1] == 1 && seen.indexes[3] == 3,
	   "there are as many workers as are called for and allowed");
	begin(false, 4);
	says.grow = 2;
	ok(run() && seen.nworkers == 3 && seen.nthreads == 2, "and no more");
	begin(false, 4);
	says.grow = 3;
	says.no_threads = true;
	ok(run() && seen.nworkers == 2 && seen.nran == 1 && seen.nfreed == 2 &&
		   seen.nthreads == 1,
	   "where one gets no thread no other one is tried");
	begin(false, 4);
	says.grow = 3;
	says.new_fails = 2;
	ok(run() && seen.nworkers == 2 && seen.nran == 1 && seen.nthreads == 0,
	   "nor where one cannot be made");
	begin(false, 4);
	says.grow = 3;
	says.no_mappings = true;
	ok(run() && seen.nworkers == 1,
	   "nor where no memory would be left for the others");
}

static void
test_device(void)
{
	const struct worker_config *worker = &seen.workers[0];

	begin(true, 3);
	config.shared = true;
	says.grow = 9;
	ok(run() && seen.feeders == 1 && seen.fed == 1 && seen.fed_elsewhere &&
		   seen.feeder_freed == 1 && seen.lost == 0,
	   "a device has a feeder on a thread of its own");
	ok(seen.feeder.engine == &device && seen.feeder.shared &&
		   strcmp(seen.feeder.options, "some words") == 0 &&
		   seen.feeder.fallback == &engine_reference &&
		   seen.feeder_index == 0 && seen.feeder_max == 3 &&
		   seen.feeder.crypto == config.crypto,
	   "with what it needs");
	ok(seen.speeds == 1 && seen.feeder.speed.lanes == 48,
	   "a device says how fast it is");
	ok(seen.nworkers == 3 && seen.indexes[0] == 1 &&
		   seen.max_workers == 4 &&
		   worker->engine == &engine_reference &&
		   strcmp(worker->options, "") == 0 &&
		   worker->dispatch == (struct dispatch *)&dispatch_place,
	   "beside it there are workers of the CPU");
	begin(true, 1);
	config.speed.lanes = 12;
	ok(run() && seen.speeds == 0 && seen.feeder.speed.lanes == 12 &&
		   !seen.feeder.shared,
	   "unless that is known better");
	begin(true, 1);
	says.no_threads = true;
	ok(run() && seen.fed == 0 && seen.lost == 1 && seen.nran == 1 &&
		   seen.feeder_freed == 1,
	   "without a thread for it the CPU does its work");
	begin(true, 1);
	says.new_fails = 1;
	ok(!run() && seen.fed == 0 && seen.feeder_freed == 1,
	   "without a worker there is no run");
}

static void
test_no_device(void)
{
	begin(true, 1);
	says.feeder_fails = true;
	ok(!run() && strcmp(why.text, "no device") == 0 && seen.nworkers == 0 &&
		   !report.failed,
	   "a device that is not there is refused");
	begin(true, 1);
	says.feeder_fails = says.feeder_tells = true;
	ok(run() && seen.nran == 1 && !seen.workers[0].dispatch &&
		   report.failed == &device &&
		   strcmp(report.why.text, "no device") == 0 && seen.fed == 0,
	   "one without memory is reported, and the CPU works alone");
}

static void
test_reports(void)
{
	const struct worker_report reports[] = {
		{ .blocks = 5, .engine = { .nrows = 3 } },
		{ .blocks = 7, .failed = &device, .why = { .text = "lost" } },
		{ .blocks = 9 },
	};

	begin(false, 1);
	says.reports = reports;
	says.nreports = 3;
	ok(run() && report.blocks == 21 && report.engine.nrows == 3 &&
		   report.failed == &device &&
		   strcmp(report.why.text, "lost") == 0,
	   "what all report is summed up");
}

int
main(void)
{
	alarm(60);
	test_cpu();
	test_grow();
	test_device();
	test_no_device();
	test_reports();
	ok(wrong_locks == 0, "all locks are given back");
	return tap_done();
}
