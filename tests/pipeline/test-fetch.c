/* SPDX-License-Identifier: MIT */
/*
 * Promise: while storage makes us wait, many inputs are opened and read at the
 * same time, and one that never answers holds up itself only; while all is in
 * the cache no thread is started for that.  No more threads hash than are
 * allowed, and nothing is read ahead of its turn.
 *
 * The test says what is cached, how long a read takes, and who waits for whom.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/pipeline/rig.h"

enum { MANY = 40, SMALL = 3000 };

/* What the storage is like.  Under the lock of rig.seen. */
static struct {
	bool is_slow;	   /* the clock goes on by 1 ms in each call */
	bool sleeps;	   /* and the thread sleeps meanwhile */
	unsigned together; /* calls that wait for each other */
	unsigned waiting, most_waiting;
	bool was_together;
	unsigned reads;
	/* Reads of this file wait until all others are hashed, but the first
	 * ones. */
	const struct rig_input *stuck;
	unsigned first_reads;
} storage;

static __thread long sleeps;

static bool
are_together(void)
{
	return storage.was_together;
}

static bool
others_are_hashed(void)
{
	for (unsigned i = 0; i < rig.n; i++)
		if (rig.inputs[i].engines == 0 &&
		    &rig.inputs[i] != storage.stuck)
			return false;
	return true;
}

/* A call of open or read that has to wait. */
static void
wait_for_storage(void)
{
	rig_lock();
	if (++storage.waiting > storage.most_waiting)
		storage.most_waiting = storage.waiting;
	storage.was_together |= storage.waiting >= storage.together;
	rig_unlock();
	rig_wait(are_together);
	if (storage.is_slow)
		fault_clock_advance(FAULT_SECOND / 1000);
	sleeps += storage.sleeps;
	rig_lock();
	storage.waiting--;
	rig_unlock();
}

/* Count a read of an input; files in /sys are read with the same call. */
static bool
begin_read(int fd, size_t *n)
{
	const struct rig_input *input = rig_input_of(fd);
	bool is_stuck;

	(void)n;
	if (!input)
		return true;
	rig_lock();
	storage.reads++;
	is_stuck = input == storage.stuck;
	if (is_stuck && storage.first_reads > 0) {
		storage.first_reads--;
		is_stuck = false;
	}
	rig_unlock();
	if (is_stuck)
		rig_wait(others_are_hashed);
	else
		wait_for_storage();
	return true;
}

static int
count_sleeps(int who, struct rusage *usage)
{
	(void)who;
	*usage = (struct rusage){ .ru_nvcsw = sleeps };
	return 0;
}

static void
use_storage(void)
{
	rig_before_reads(begin_read);
	fault_hooks.preadv2 = rig_read_cached;
	fault_hooks.getrusage = count_sleeps;
	fault_clock_set(FAULT_SECOND);
	storage.waiting = storage.most_waiting = storage.reads = 0;
	storage.was_together = storage.together <= 1;
}

/* The inputs of a test; how the storage behaves is set afterwards. */
static void
begin(unsigned n, size_t bytes)
{
	rig_begin();
	rig.config.fetchers = MANY;
	rig.config.threads = 2;
	rig_files(n, bytes);
	memset(&storage, 0, sizeof(storage));
}

static bool
run(void)
{
	rig_again();
	use_storage();
	return rig_run();
}

/* Threads that are no worker's. */
static unsigned
count_fetchers(void)
{
	const unsigned n =
		fault_count(FAULT_pthread_create) - (rig.seen.cpus - 1);

	if (n > 0)
		tap_note("%u fetchers, %u at a time", n, storage.most_waiting);
	return n;
}

static void
test_cached(void)
{
	begin(300, SMALL);
	rig_files(20, 700000);
	ok(run() && rig.seen.cpus == 2 && count_fetchers() == 0 &&
		   storage.reads == 0,
	   "all is in the cache: no thread is started to read, no call waits");
	rig.cache_error = EOPNOTSUPP;
	ok(run() && count_fetchers() == 0,
	   "the system cannot tell what is in the cache: no thread, either");
	storage.is_slow = true;
	ok(run() && count_fetchers() == 0,
	   "a worker has lost its processor meanwhile: no thread, either");
}

static void
test_together(void)
{
	static const struct {
		unsigned n, bytes;
		const char *what;
	} rows[] = {
		{ 60, 500000, "longer files that are not in the cache" },
		{ 400, SMALL, "small ones" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(rows[i].n, rows[i].bytes);
		rig.cache_error = EAGAIN;
		storage.together = MANY;
		ok(run() && storage.was_together &&
			   storage.most_waiting == MANY,
		   "%u of %s are read at a time, and no more", MANY,
		   rows[i].what);
		ok(count_fetchers() == MANY && rig.seen.cpus <= 2,
		   "as many threads are started for that, and no worker more");
	}
	rig.config.threads = 1;
	ok(run() && storage.was_together && rig.seen.cpus == 1,
	   "one thread that hashes is enough for that");
}

/* Memory is for inputs on their way, however many there are. */
static void
test_buffers(void)
{
	unsigned n;
	bool good;

	begin(20 * MANY, SMALL);
	rig.cache_error = EAGAIN;
	good = run();
	n = fault_count(FAULT_aligned_alloc);
	ok(good && n > 0 && n <= 3 * MANY,
	   "%u inputs share the buffers of fetchers (%u)", 20 * MANY, n);
}

static unsigned slow_calls;

/* A server: the first calls answer one by one, the others wait for company. */
static bool
is_served(void)
{
	return storage.was_together || slow_calls < 40;
}

static int
open_slowly(const char *path, int flags, mode_t mode)
{
	rig_lock();
	slow_calls++;
	if (++storage.waiting >= MANY)
		storage.was_together = true;
	rig_unlock();
	rig_wait(is_served);
	fault_clock_advance(FAULT_SECOND / 1000);
	sleeps++;
	rig_lock();
	storage.waiting--;
	rig_unlock();
	return fault_real_open(path, flags, mode);
}

static void
test_timed(void)
{
	begin(400, SMALL);
	rig.cache_error = EOPNOTSUPP;
	rig_again();
	use_storage();
	fault_hooks.open = open_slowly;
	slow_calls = 0;
	storage.was_together = false;
	storage.together = 1;
	ok(rig_run() && storage.was_together,
	   "files of a server, where only the time tells that we wait, are "
	   "opened %u at a time",
	   MANY);
}

/* One file whose read does not return before all others are hashed. */
static void
test_stuck(void)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		for (unsigned which = 0; which < 3; which++) {
			begin(100, SMALL);
			rig_files(2, 500000);
			storage.stuck = &rig.inputs[which * 50];
			rig.cache_error = EAGAIN;
			rig.config.threads = threads;
			ok(run(),
			   "%u thread%s: a read that does not return "
			   "holds up its own file only (file %u)",
			   threads, threads == 1 ? "" : "s", which * 50);
		}
	}
}

/* Lock held. */
static bool
first_is_read(void)
{
	return storage.reads > 0;
}

/* Test a stuck input while the list of names is slow. */
static void
test_stuck_and_late(void)
{
	begin(1, SMALL);
	rig_file(SMALL)->later = first_is_read;
	storage.stuck = &rig.inputs[0];
	rig.cache_error = EAGAIN;
	rig.config.threads = 1;
	ok(run(), "names that come while a read does not return are hashed");
}

/* Test the same with a server, where only the time shows that reads wait: once
 * that is known no worker reads on. */
static void
test_stuck_later(void)
{
	begin(200, SMALL);
	rig_files(2, 500000);
	rig_files(100, SMALL);
	storage.stuck = &rig.inputs[200];
	storage.first_reads = 1;
	rig.cache_error = EOPNOTSUPP;
	storage.is_slow = storage.sleeps = true;
	rig.config.threads = 1;
	ok(run() && storage.first_reads == 0,
	   "a later read that does not return holds up its own file only");
}

static bool
two_are_left(void)
{
	return rig.seen.emitted >= rig.n - 2;
}

static void
test_mixed(void)
{
	static const int errors[] = { EAGAIN, EOPNOTSUPP, EIO };

	for (unsigned i = 0; i < 3; i++) {
		begin(0, 0);
		rig_mix(300, 400000);
		rig_stdin(50000, NULL);
		rig_files(100, SMALL);
		rig_fifo(50000, two_are_left);
		rig_files(1, SMALL);
		rig.cache_error = errors[i];
		storage.is_slow = storage.sleeps = true;
		ok(run(),
		   "whatever is not in the cache comes back in order, "
		   "and FIFOs have their turn (%s)",
		   strerror(errors[i]));
	}
	rig_verify();
	ok(run(), "all that holds with --verify, too");
	rig_use_device(32, true);
	ok(run(), "all that holds beside a device, too");
}

static void
test_rotating(void)
{
	begin(200, SMALL);
	rig_files(10, 500000);
	make_own_device("rotating", "1\n");
	make_own_device("still", "0\n");
	rig.cache_error = EAGAIN;
	rig.config.root = "rotating";
	ok(run() && count_fetchers() == 0 && storage.most_waiting <= 2,
	   "a disk that rotates is read by workers only");
	storage.together = MANY;
	rig.config.root = "still";
	ok(run() && storage.was_together, "an SSD is read by many threads");
}

static void
test_missing(void)
{
	begin(200, SMALL);
	rig_files(4, 500000);
	rig.cache_error = EAGAIN;
	rig_again();
	use_storage();
	fault_from(FAULT_pthread_create, 1, EAGAIN);
	ok(rig_run() && rig.seen.cpus <= 2, "without threads workers read");
	rig_again();
	use_storage();
	fault_from(FAULT_pthread_create, 5, EAGAIN);
	ok(rig_run() && storage.most_waiting <= 5,
	   "with few threads these read");
	for (unsigned n = 20; n < 200; n += 45) {
		rig_again();
		use_storage();
		fault_at(FAULT_open, n, EMFILE);
		ok(rig_run(), "a descriptor that is missing is waited for");
	}
	ok(rig_survives(60, use_storage, fault_at),
	   "if any one allocation fails, all is right or the run is refused");
	ok(rig_survives(60, use_storage, fault_from),
	   "if all allocations fail from any one on, all is right or the run "
	   "is refused");
}

static void
test_off(void)
{
	begin(200, SMALL);
	rig.cache_error = EAGAIN;
	rig.config.fetchers = 0;
	ok(run() && count_fetchers() == 0 && storage.most_waiting <= 2,
	   "where there are few descriptors workers read");
}

int
main(void)
{
	rig_open();
	test_cached();
	test_together();
	test_buffers();
	test_timed();
	test_stuck();
	test_stuck_later();
	test_stuck_and_late();
	test_mixed();
	test_rotating();
	test_missing();
	test_off();
	return tap_done();
}
