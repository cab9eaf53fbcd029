/* SPDX-License-Identifier: MIT */
/*
 * Promise: storage that does not answer, or far away, or fails, holds up what lies
 * there and nothing else; with --uncached nothing stays in memory, or that is
 * reported.  What is read how otherwise: test-storage.c.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/pipeline/storage.h"

enum { MIB = 1 << 20, LONG = 9 * MIB, SMALL = 3000, MANY = STORAGE_MANY };

static void
begin(enum storage_kind kind, unsigned n, size_t bytes, unsigned threads)
{
	storage_begin(kind);
	rig.config.threads = threads;
	rig_files(n, bytes);
	storage_use();
}

/* The inputs that are there, once more. */
static void
again(void)
{
	rig_again();
	storage_use();
}

static void
begin_ahead(bool is_stream)
{
	begin(FAST, is_stream ? 0 : 1, LONG, 2);
	if (is_stream)
		rig_stdin(LONG, NULL);
}

/* What never answers ------------------------------------------------------------ */

/* Lock held. */
static bool
first_is_read(void)
{
	return storage.reads > 0;
}

static void
test_stuck(void)
{
	for (unsigned threads = 1; threads <= 2; threads++)
		for (unsigned which = 0; which <= 100; which += 50) {
			begin(COLD, 100, SMALL, threads);
			rig_files(2, 500000);
			storage.together = 0;
			storage.stuck = &rig.inputs[which];
			again();
			ok(rig_run(),
			   "%u thread%s: a read that does not return "
			   "holds up its own file only (file %u)",
			   threads, threads == 1 ? "" : "s", which);
		}
	begin(COLD, 1, SMALL, 1);
	rig_file(SMALL)->later = first_is_read;
	storage.together = 0;
	storage.stuck = &rig.inputs[0];
	again();
	ok(rig_run(),
	   "names that come while a read does not return are hashed");
	/* With a server only the time shows that reads wait. */
	begin(SERVER, 200, SMALL, 1);
	rig_files(2, 500000);
	rig_files(100, SMALL);
	storage.stuck = &rig.inputs[200];
	storage.first_reads = 1;
	ok(rig_run() && storage.first_reads == 0,
	   "a later read that does not return holds up its own file only");
}

enum { LATE = 60 };

static unsigned emitted_before; /* the read of the file LATE */

static void
note_emitted(int fd)
{
	rig_lock();
	if (rig_input_of(fd) == &rig.inputs[LATE])
		emitted_before = rig.seen.emitted;
	rig_unlock();
}

static ssize_t
read_late(int fd, void *to, size_t n)
{
	note_emitted(fd);
	return fault_real_read(fd, to, n);
}

static ssize_t
pread_late(int fd, void *to, size_t n, off_t at)
{
	note_emitted(fd);
	return fault_real_pread(fd, to, n, at);
}

static void
test_lines_before_a_read(void)
{
	bool good;

	for (unsigned i = 0; i < 2; i++) {
		begin(BLIND, 2 * LATE, SMALL, 1);
		rig.config.one_at_a_time = i > 0;
		fault_clock_set(FAULT_SECOND);
		fault_clock_step(0);
		fault_hooks.read = read_late;
		fault_hooks.pread = pread_late;
		emitted_before = 0;
		good = rig_run();
		ok(good && emitted_before >= LATE / 2,
		   "%s: before a read that may wait, lines of inputs that have "
		   "ended are out (%u)",
		   i ? "one at a time" : "where the kernel cannot tell",
		   emitted_before);
	}
}

static unsigned slow_opens;

static unsigned opening, most_opening;

static bool
is_served(void)
{
	return most_opening >= MANY || slow_opens < 40;
}

/* A server: the first opens are answered one by one, the others wait for company. */
static int
open_slowly(const char *path, int flags, mode_t mode)
{
	rig_lock();
	slow_opens++;
	if (++opening > most_opening)
		most_opening = opening;
	rig_unlock();
	rig_wait(is_served);
	storage_wait();
	rig_lock();
	opening--;
	rig_unlock();
	return fault_real_open(path, flags, mode);
}

static void
test_opened_together(void)
{
	begin(SERVER, 400, SMALL, 2);
	fault_hooks.open = open_slowly;
	slow_opens = opening = most_opening = 0;
	ok(rig_run() && most_opening >= MANY,
	   "files of a server, where only the time tells that we wait, are "
	   "opened %u at a time",
	   MANY);
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
		begin(SERVER, 0, 0, 2);
		rig_mix(300, 400000);
		rig_stdin(50000, NULL);
		rig_files(100, SMALL);
		rig_fifo(50000, two_are_left);
		rig_files(1, SMALL);
		storage.cache_error = errors[i];
		ok(rig_run(),
		   "whatever is not in the cache comes back in order, "
		   "and FIFOs have their turn (%s)",
		   strerror(errors[i]));
	}
	again();
	rig_verify();
	ok(rig_run(), "all that holds with --verify, too");
	again();
	rig_use_device(32, true);
	ok(rig_run(), "all that holds beside a device, too");
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
	begin_ahead(true);
	written = 0;
	fault_hooks.read = read_after_stall;
	ok(rig_run() && written == LONG &&
		   fault_count(FAULT_pthread_create) > 0,
	   "what was read before a writer stalled is hashed meanwhile");
}

/* Far away ---------------------------------------------------------------------------- */

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
	if (at >= 4 * LONG)
		return fault_real_pread(fd, to, n, at);
	own = (uint64_t)at;
	rig_lock();
	if (++nin_flight > most_in_flight)
		most_in_flight = nin_flight;
	rig_unlock();
	rig_wait(may_return);
	rig_lock();
	nin_flight--;
	rig_unlock();
	storage_wait();
	return fault_real_pread(fd, to, n, at);
}

static void
test_far(void)
{
	static const struct {
		enum storage_kind kind;
		unsigned threads, readers, in_flight;
		const char *promise;
	} far[] = {
		{ COLD, 1, 64, 32,
		  "of a file that is not in the cache 32 reads are in flight "
		  "with one thread that hashes" },
		{ COLD, 1, 16, 8,
		  "a file takes no more than half of the threads" },
		{ FAST, 2, 0, 32,
		  "where each read of a file takes long, 32 are in flight" },
	};

	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++) {
		begin(far[i].kind, 1, 4 * LONG, far[i].threads);
		rig.readers = far[i].readers;
		storage.is_slow = storage.sleeps = storage.was_together = true;
		fault_clock_set(FAULT_SECOND);
		fault_clock_step(0);
		fault_hooks.pread = read_far;
		rig.cpu.before = note_waits;
		nin_flight = most_in_flight = 0;
		ok(rig_run() && most_in_flight == far[i].in_flight &&
			   rig.seen.cpus == 1,
		   "%s", far[i].promise);
	}
	ok(rig.report.waits.n > 32 && rig.report.waits.max == 32,
	   "the report says so");
}

/* What fails ------------------------------------------------------------------------ */

static void
test_shortage(void)
{
	unsigned n;
	bool good;

	begin(COLD, 20 * MANY, SMALL, 2);
	storage.together = 0;
	again();
	good = rig_run();
	n = fault_count(FAULT_aligned_alloc);
	/* At most 128 files are read ahead; lanes hold the other buffers. */
	ok(good && n > 0 && n <= 4 * MANY,
	   "%u inputs share the buffers of readers (%u)", 20 * MANY, n);
	begin(COLD, 200, SMALL, 2);
	rig_files(4, 500000);
	storage.together = 0;
	ok(rig_survives(60, storage_use, fault_at),
	   "if any one allocation fails, all is right or the run is refused");
	ok(rig_survives(60, storage_use, fault_from),
	   "if all allocations fail from any one on, all is right or the run "
	   "is refused");
}

/* Uncached ---------------------------------------------------------------------------- */

static void
begin_uncached(enum storage_kind kind, const char *log)
{
	begin(kind, 1, SMALL, 1);
	rig.readers = 0;
	rig.config.uncached = true;
	storage.log = log;
	storage_use();
}

/* Writing it back fails. */
static void
test_unwritten(bool device, int error, bool counts)
{
	begin_uncached(DIRTY, counts ? "DDc" : "DrDc");
	if (device)
		rig_use_device(6, false);
	rig.inputs[0].error = counts ? error : 0;
	fault_from(FAULT_fdatasync, 1, error);
	ok(rig_run() && storage.matching == 1 && rig.inputs[0].job.opened,
	   counts ? "%s: what cannot be written is an error of the file (%s)" :
		    "%s: where nothing can be written a file is read (%s)",
	   device ? "device" : "cpu", strerror(error));
}

static void
test_staying(void)
{
	static const struct {
		enum storage_kind kind;
		unsigned staying, advice_fails, reported;
		const char *promise;
	} stays[] = {
		{ MEDIUM, 0, 0, 0, "a file that was dropped is not reported" },
		{ MEDIUM, 2, 0, 1, "pages that stay are reported" },
		{ SILENT, 0, 1, 1, "a system without the advice is reported" },
		{ MEDIUM, 0, 1, 0,
		  "a file that was never in memory need not be dropped" },
		{ SILENT, 0, 2, 0,
		  "pages that cannot be dropped afterwards do no harm" },
	};

	for (size_t i = 0; i < sizeof(stays) / sizeof(*stays); i++) {
		begin_uncached(stays[i].kind, "");
		storage.staying = stays[i].staying;
		if (stays[i].advice_fails > 0)
			fault_from(FAULT_posix_fadvise, stays[i].advice_fails,
				   ENOSYS);
		ok(rig_run() &&
			   rig.inputs[0].job.was_cached == stays[i].reported,
		   "%s", stays[i].promise);
	}
}

static void
test_uncached(void)
{
	for (int device = 0; device < 2; device++) {
		test_unwritten(device, EIO, true);
		test_unwritten(device, EROFS, false);
		test_unwritten(device, EINVAL, false);
	}
	test_unwritten(false, ENOSYS, false);
	test_unwritten(false, EOPNOTSUPP, false);
	test_staying();
	begin(MEDIUM, 0, 0, 1);
	rig_fifo(SMALL, NULL);
	rig_name("/dev/null", 0);
	rig.config.uncached = true;
	ok(rig_run() && fault_count(FAULT_posix_fadvise) == 0 &&
		   fault_count(FAULT_fdatasync) == 0,
	   "a FIFO and a device without pages are read as without it");
	begin_uncached(MEDIUM, "");
	rig_as_stdin(&rig.inputs[0]);
	ok(rig_run() && strcmp(storage_stdin_log(), "DrD") == 0,
	   "the pages of a file that is standard input are dropped");
}

int
main(void)
{
	rig_open();
	make_own_device("rotating", "1\n");
	make_own_device("still", "0\n");
	test_stuck();
	test_lines_before_a_read();
	test_opened_together();
	test_mixed();
	test_stalling();
	test_far();
	test_shortage();
	test_uncached();
	return tap_done();
}
