/* SPDX-License-Identifier: MIT */
/*
 * Promise: a long input is read on another thread than it is hashed on where a
 * processor would be idle otherwise, and its line is the same.
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "tests/pipeline/rig.h"

enum { LONG_BYTES = 9 << 20, MIB = 1 << 20 };

enum input { STDIN, FIFO, REGULAR };

static void
begin_with(enum input input, size_t bytes, unsigned threads)
{
	rig_begin();
	if (input == STDIN)
		rig_stdin(bytes, NULL);
	else if (input == FIFO)
		rig_fifo(bytes, NULL);
	else
		rig_file(bytes);
	rig.config.threads = threads;
}

/* Return whether a thread has been started to read.  A second one may be, while the first one has
 * filled the ring and does not sleep yet. */
static bool
is_ahead(void)
{
	return fault_count(FAULT_pthread_create) > 0 &&
	       fault_count(FAULT_pthread_create) <= 2;
}

static unsigned processors, asked;

static unsigned
count_processors(void)
{
	asked++;
	return processors;
}

static void
test_which(void)
{
	static const struct {
		enum input input;
		size_t bytes;
		unsigned threads, processors, ahead, asked;
		const char *promise;
	} rows[] = {
		{ STDIN, LONG_BYTES, 1, 0, 0, 0,
		  "with one thread no stream is read ahead" },
		{ REGULAR, LONG_BYTES, 1, 0, 0, 0,
		  "with one thread no file is read ahead" },
		{ STDIN, 4 * MIB - 100, 2, 0, 0, 0,
		  "a stream of less than 4 MiB is not read ahead" },
		{ STDIN, 4 * MIB + 200000, 2, 0, 1, 0,
		  "a stream longer than 4 MiB is read ahead" },
		{ REGULAR, 8 * MIB - 100, 2, 0, 0, 0,
		  "a file of less than 8 MiB is not read ahead" },
		{ REGULAR, LONG_BYTES, 2, 0, 1, 0,
		  "a file longer than 8 MiB is read ahead" },
		{ REGULAR, 8 * MIB - 100, 1, 2, 0, 0,
		  "for a single small file nobody counts processors" },
		{ REGULAR, LONG_BYTES, 1, 1, 0, 1,
		  "on one processor a single file is not read ahead" },
		{ REGULAR, LONG_BYTES, 1, 2, 1, 1,
		  "on two processors a single file is read ahead" },
		{ STDIN, LONG_BYTES, 1, 2, 1, 1,
		  "on two processors standard input alone is read ahead" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin_with(rows[i].input, rows[i].bytes, rows[i].threads);
		processors = rows[i].processors;
		asked = 0;
		if (processors > 0)
			rig.config.processors = count_processors;
		ok(rig_run() && is_ahead() == (rows[i].ahead > 0) &&
			   asked == rows[i].asked,
		   "%s", rows[i].promise);
	}
}

static void
test_verify(void)
{
	begin_with(FIFO, LONG_BYTES, 2);
	rig_verify();
	ok(rig_run() && is_ahead(),
	   "with --verify a long FIFO is read ahead, and its digest trusted");
}

/* The allocation that fails from the third MiB on, or 0. */
static unsigned missing;

static void
end_memory(uint32_t engine)
{
	(void)engine;
	if (rig.seen.cpu_blocks * 64 < 3 * MIB || missing == 0)
		return;
	fault_from(FAULT_MEMORY, missing, ENOMEM);
	missing = 0;
}

static void
test_shortage(enum input input)
{
	unsigned good = 0;

	for (unsigned n = 1; n <= 3; n++) {
		begin_with(input, LONG_BYTES, 2);
		missing = n;
		rig.cpu.before = end_memory;
		good += rig_run() && missing == 0;
	}
	begin_with(input, LONG_BYTES, 2);
	fault_from(FAULT_pthread_create, 1, EAGAIN);
	good += rig_run();
	ok(good == 4,
	   "without memory or a thread to read ahead the worker reads (%u of 4)",
	   good);
}

/* Changes of an input while a thread reads it, after 5 MiB: */

static void
resize_file(uint32_t engine)
{
	(void)engine;
	if (rig.seen.cpu_blocks * 64 < 5 * MIB)
		return;
	rig_write_file(&rig.inputs[0], rig.inputs[0].other_bytes);
	rig.cpu.before = NULL;
}

static void
test_change(size_t bytes, const char *promise)
{
	begin_with(REGULAR, LONG_BYTES, 2);
	rig.inputs[0].changes = true;
	rig.inputs[0].other_bytes = bytes;
	rig.cpu.before = resize_file;
	ok(rig_run() && is_ahead(), "%s", promise);
}

/* A writer stalls until all that it has written is hashed. */
static size_t written;

static bool
is_hashed(void)
{
	return rig.seen.cpu_blocks >= written / 64;
}

static ssize_t
read_after_stall(int fd, void *to, size_t n)
{
	ssize_t got;

	if (fd != STDIN_FILENO)
		return fault_real_read(fd, to, n);
	if (written >= 6 * MIB)
		rig_wait(is_hashed);
	got = fault_real_read(fd, to, n);
	written += got > 0 ? (size_t)got : 0;
	return got;
}

static void
test_stalling(void)
{
	begin_with(STDIN, LONG_BYTES, 2);
	written = 0;
	fault_hooks.read = read_after_stall;
	ok(rig_run() && written == LONG_BYTES && is_ahead(),
	   "what was read before a writer stalled is hashed meanwhile");
}

/* Lock held. */
static bool
is_late(void)
{
	return rig.seen.cpu_blocks * 64 > 5 * MIB;
}

static int failing_fd, failure;

static bool
succeeds(int fd, size_t *n)
{
	bool late;

	rig_lock();
	late = is_late();
	rig_unlock();
	if (*n < 4096 || (failing_fd >= 0 && fd != failing_fd) || !late)
		return true;
	errno = failure;
	if (failure == EAGAIN)
		failure = 0;
	return errno == 0;
}

static void
test_error(enum input input)
{
	begin_with(input, LONG_BYTES, 2);
	rig.inputs[0].error = failure = EIO;
	failing_fd = input == STDIN ? STDIN_FILENO : -1;
	rig_before_reads(succeeds);
	ok(rig_run() && rig.inputs[0].job.opened,
	   "an error that is found while %s is read ahead is that of the input",
	   input == STDIN ? "a stream" : "a file");
}

static void
test_blocks(void)
{
	begin_with(REGULAR, LONG_BYTES, 2);
	failing_fd = -1;
	failure = EAGAIN;
	rig_before_reads(succeeds);
	ok(rig_run() && failure == 0,
	   "a file that would block while it is read ahead is read by the "
	   "worker");
}

/* Reads of the file take long: one returns when the worker has hashed all before it
 * and waits, and all do when 32 are in flight. */
static unsigned nin_flight, most_in_flight;
static __thread uint64_t own;

static unsigned waits; /* before the last step of the engine */

static void
note_waits(uint32_t engine)
{
	(void)engine;
	rig_lock();
	waits = rig.seen.waits;
	rig_unlock();
}

static bool
may_return(void)
{
	return most_in_flight >= 32 ||
	       (rig.seen.waits > waits && own == rig.seen.cpu_blocks * 64);
}

static ssize_t
read_far(int fd, void *to, size_t n, off_t at)
{
	/* The rest is read by the lane. */
	if (at >= 4 * LONG_BYTES)
		return fault_real_pread(fd, to, n, at);
	own = (uint64_t)at;
	rig_lock();
	if (++nin_flight > most_in_flight)
		most_in_flight = nin_flight;
	rig_unlock();
	fault_clock_advance(FAULT_SECOND / 100);
	rig_wait(may_return);
	rig_lock();
	nin_flight--;
	rig_unlock();
	return fault_real_pread(fd, to, n, at);
}

/* The processor is taken away meanwhile. */
static ssize_t
read_interrupted(int fd, void *to, size_t n, off_t at)
{
	fault_clock_advance(FAULT_SECOND / 100);
	return fault_real_pread(fd, to, n, at);
}

static int
count_sleeps(int who, struct rusage *usage)
{
	static _Atomic long sleeps;

	(void)who;
	*usage = (struct rusage){ .ru_nvcsw = ++sleeps };
	return 0;
}

static int
count_no_sleeps(int who, struct rusage *usage)
{
	(void)who;
	*usage = (struct rusage){ .ru_nvcsw = 0 };
	return 0;
}

static ssize_t
read_slowly(int fd, void *to, size_t n)
{
	fault_clock_advance(FAULT_SECOND / 100);
	return fault_real_read(fd, to, n);
}

static void
begin_far(unsigned threads)
{
	begin_with(REGULAR, 4 * LONG_BYTES, threads);
	fault_clock_set(FAULT_SECOND);
	fault_hooks.read = read_slowly;
	fault_hooks.pread = read_far;
	rig.cpu.before = note_waits;
	fault_hooks.getrusage = count_sleeps;
	nin_flight = most_in_flight = 0;
}

static void
test_far(void)
{
	begin_far(1);
	rig.config.fetchers = 64;
	rig.cache_error = EAGAIN;
	fault_hooks.preadv2 = rig_read_cached;
	ok(rig_run() && most_in_flight == 32 && rig.seen.cpus == 1,
	   "of a file that is not in the cache 32 reads are in flight with one "
	   "thread that hashes");
	begin_far(1);
	rig.config.fetchers = 16;
	rig.cache_error = EAGAIN;
	fault_hooks.preadv2 = rig_read_cached;
	ok(rig_run() && most_in_flight == 8,
	   "a file takes no more than half of the threads");
	begin_far(2);
	ok(rig_run() && most_in_flight == 32,
	   "where each read of a file takes long, 32 are in flight");
	ok(rig.report.waits.n > 32 && rig.report.waits.most == 32,
	   "the report says so");
	begin_with(REGULAR, 4 * LONG_BYTES, 2);
	fault_clock_set(FAULT_SECOND);
	fault_hooks.pread = read_interrupted;
	fault_hooks.getrusage = count_no_sleeps;
	ok(rig_run() && fault_count(FAULT_pthread_create) <= 2,
	   "where others have the processor, one thread is enough");
	begin_with(REGULAR, 4 * LONG_BYTES, 2);
	fault_clock_set(FAULT_SECOND);
	ok(rig_run() && fault_count(FAULT_pthread_create) <= 2,
	   "where none takes long, one thread reads");
}

int
main(void)
{
	rig_open();
	test_which();
	test_verify();
	test_shortage(STDIN);
	test_shortage(REGULAR);
	test_change(6 * MIB, "a file that shrinks while it is read ahead ends "
			     "where it ends");
	test_change(LONG_BYTES + 3 * MIB,
		    "a file that grows while it is read ahead has either size");
	test_stalling();
	test_error(STDIN);
	test_error(REGULAR);
	test_blocks();
	test_far();
	return tap_done();
}
