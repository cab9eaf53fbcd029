/* SPDX-License-Identifier: MIT */
/*
 * Promise: a long message goes from a lane of a device to a worker and back, and
 * its digest is right, also when the device fails then, the file changes, or it
 * turns out to need its turn.
 *
 * The clock stands still, so that all is planned with the speeds that are
 * expected: a worker is half as fast again as a lane.  Worker and device wait
 * for each other, so that each has something to leave to the other.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/pipeline/engines.h"
#include "tests/pipeline/rig.h"

enum {
	NFILES = 8,
	FILE_BYTES = 1 << 20,
	/* By this launch there is something for the worker to go on with;
	 * after this many steps it has ended whatever it began with. */
	FIRST_LAUNCHES = 6,
	FIRST_STEPS = 12
};

/* In both directions -------------------------------------------------------- */

static void (*change)(void); /* after the first launches */

static bool
has_worker(void)
{
	return rig.seen.steps > 0 || rig.seen.waiting > 0;
}

/* The worker has hashed for a while, or can do nothing more. */
static bool
worker_is_done(void)
{
	return rig.seen.steps >= FIRST_STEPS || rig.seen.waiting > 0;
}

static bool
has_launches(void)
{
	return rig.seen.launches >= FIRST_LAUNCHES;
}

static void
pace_device(void)
{
	rig_wait(has_worker);
	if (rig.seen.launches <= FIRST_LAUNCHES)
		return;
	rig_wait(worker_is_done);
	if (change)
		change();
	change = NULL;
}

static void
pace_worker(uint32_t engine)
{
	(void)engine;
	rig_wait(has_launches);
}

static void
begin(unsigned threads)
{
	const double block = SHA256_BLOCK_BYTES;

	rig_again();
	rig_use_device(RIG_LANES, true);
	rig.device.before = pace_device;
	rig.cpu.before = pace_worker;
	rig.cpu.lanes = 1;
	rig.config.threads = threads;
	rig.config.speed =
		(struct engine_speed){ .lanes = RIG_LANES,
				       .device_rate = RIG_LANES * 1e6 * block,
				       .core_rate = 1.5e6 * block,
				       .copy_rate = 1e15 };
	fault_clock_set(1);
}

/* Return true if a run is right in which a worker continues a lane's message,
 * and a lane a worker's. */
static bool
hands_over(void)
{
	const bool good = rig_run();
	unsigned to_cpu = 0, to_device = 0;

	for (unsigned i = 0; i < rig.n; i++) {
		to_cpu += rig.inputs[i].to_cpu > 0;
		to_device += rig.inputs[i].to_device > 0;
	}
	return good && to_cpu > 0 && to_device > 0;
}

static void
test_both_ways(void)
{
	rig_begin();
	rig_files(NFILES, FILE_BYTES);
	begin(1);
	ok(hands_over(), "lanes leave long messages to a worker and "
			 "get some of them back: all right");
	ok(rig.seen.device_blocks + rig.seen.cpu_blocks == rig.report.blocks,
	   "each block of what is handed over is hashed once");
	begin(1);
	rig.device.cuts = 300;
	ok(hands_over(),
	   "messages are handed over where launches are cut short: all right");
	begin(1);
	rig_verify();
	ok(hands_over(),
	   "with --verify messages are handed over, and digests trusted");
}

/* The rig sees whether the buffers of readers are given back.  Which message a lane
 * takes is chance: on a busy machine there may be none in a run. */
static void
test_fetched(void)
{
	enum { RUNS = 100 };
	unsigned taken = 0;
	bool good = true;

	rig_begin();
	rig_files(NFILES, FILE_BYTES);
	for (unsigned i = 0; i < RUNS && good && taken == 0; i++) {
		begin(1);
		rig.device.before = NULL;
		rig.cpu.before = NULL;
		rig.readers = 4;
		rig.cache_error = EAGAIN;
		fault_hooks.preadv2 = rig_read_cached;
		good = rig_run();
		for (unsigned k = 0; k < rig.n; k++)
			taken += rig.inputs[k].to_device > 0;
	}
	ok(good && taken > 0, "lanes go on with messages that readers have "
			      "begun to read: all right");
}

static void
test_failure(void)
{
	unsigned good = 0, failed = 0;

	rig_begin();
	rig_files(NFILES, FILE_BYTES);
	for (unsigned at = FIRST_LAUNCHES; at < FIRST_LAUNCHES + 8; at++) {
		begin(1);
		if (at % 2)
			rig.device.fails_at = at;
		else
			rig.device.refuses_at = at;
		good += rig_run() && (rig.report.failed == rig.device_engine) ==
					     rig.seen.device_failed;
		failed += rig.seen.device_failed;
	}
	ok(good == 8 && failed > 0,
	   "a device that fails while messages change hands loses "
	   "no digest (%u of 8)",
	   good);
}

/* A worker has begun with standard input, and a lane goes on with it, when the device
 * fails. */
static void
test_failure_of_stdin(void)
{
	enum { LAST_LAUNCH = FIRST_LAUNCHES + 28 };
	unsigned good = 0, runs = 0, begun = 0;
	struct rig_input *input;

	rig_begin();
	input = rig_file(4 * FILE_BYTES);
	rig_files(NFILES, FILE_BYTES);
	for (unsigned at = FIRST_LAUNCHES; at < LAST_LAUNCH; at += 2, runs++) {
		begin(1);
		rig.device.fails_at = at;
		rig_as_stdin(input);
		good += rig_run();
		begun += rig.seen.device_failed && input->to_device > 0;
	}
	ok(good == runs && begun > 0,
	   "standard input is read again from where it began when the device "
	   "fails that went on with it (%u of %u, %u begun)",
	   good, runs, begun);
}

static void
test_many(void)
{
	unsigned good = 0;

	rig_begin();
	rig_files(40, FILE_BYTES / 4);
	for (unsigned threads = 1; threads <= 4; threads++)
		for (uint32_t cuts = 0; cuts <= 150; cuts += 150) {
			begin(threads);
			rig.device.cuts = cuts;
			good += rig_run();
		}
	ok(good == 8,
	   "messages change hands between a device and one to four workers: "
	   "all right (%u of 8)",
	   good);
}

static bool
device_has_begun(void)
{
	return rig.seen.launches > 0;
}

static bool is_short, has_starved;

static bool
worker_has_starved(void)
{
	return has_starved;
}

static void
await_starving(void)
{
	if (rig.seen.launches > 3)
		rig_wait(worker_has_starved);
}

/* The worker has nothing open, and no descriptor for the only job that it may
 * take, until it has gone on with a message of the device. */
static int
open_or_starve(const char *path, int flags, mode_t mode)
{
	bool starves;

	rig_lock();
	starves = is_short && path == rig.inputs[1].name &&
		  rig.inputs[2].to_cpu == 0;
	has_starved |= starves;
	rig_unlock();
	if (!starves)
		return fault_real_open(path, flags, mode);
	errno = EMFILE;
	return -1;
}

/* An empty file is the worker's; so is what a lane leaves. */
static void
test_make_way(void)
{
	struct rig_input *file;

	rig_begin();
	rig_stdin(10, device_has_begun);
	rig_file(0);
	file = rig_file(4 * FILE_BYTES);
	begin(1);
	rig.device.before = await_starving;
	rig.cpu.before = NULL;
	rig.device.cuts = 100;
	is_short = true;
	has_starved = false;
	fault_hooks.open = open_or_starve;
	ok(rig_run() && file->to_cpu > 0,
	   "a job without a descriptor makes way for a message that has one");
	is_short = false;
}

/* Files that change --------------------------------------------------------- */

static void
resize_files(void)
{
	for (unsigned i = 0; i < NFILES; i++)
		rig_write_file(&rig.inputs[i], rig.inputs[i].other_bytes);
}

static void
test_change(size_t bytes, const char *what)
{
	rig_begin();
	rig_files(NFILES, FILE_BYTES);
	for (unsigned i = 0; i < NFILES; i++) {
		rig.inputs[i].changes = true;
		rig.inputs[i].other_bytes = bytes;
	}
	begin(1);
	change = resize_files;
	ok(hands_over(), "%s", what);
}

/* Emulated QPUs ------------------------------------------------------------- */

static void
test_emulator(void)
{
	struct pipeline_config choice = { .threads = 1 };
	struct diag why_not;

	if (!engines_choose("emulator:qpus=1", &choice, &why_not)) {
		tap_skip("%s", why_not.text);
		return;
	}
	rig_begin();
	rig_files(NFILES, FILE_BYTES / 2);
	begin(1);
	rig.device.real = choice.engine;
	rig.config.options = "qpus=1";
	ok(hands_over() && !rig.report.failed,
	   "messages change hands between emulated QPUs and a worker, and the "
	   "QPUs' proofs are right");
	begin(1);
	rig.device.real = choice.engine;
	rig.config.options = "qpus=1,fault=lane@13";
	ok(rig_run() && rig.report.failed,
	   "QPUs that fail while messages change hands lose no digest");
}

/* Logs ---------------------------------------------------------------------- */

/* A log has `first` bytes at once, and more for who waits. */
enum { LOGS = 3, FIRST_BYTES = 1000, LOG_BYTES = 200000 };
static struct log {
	const struct rig_input *input;
	bool has_size;
	size_t at; /* without a size: what was read is gone */
	bool waited;
} logs[LOGS];
static unsigned nlogs;

static ssize_t
read_log(int fd, void *to, size_t n)
{
	const struct rig_input *input = rig_input_of(fd);
	struct log *log = logs;
	size_t end;

	while (log < logs + nlogs && log->input != input)
		log++;
	if (log == logs + nlogs)
		return fault_real_read(fd, to, n);
	if (log->has_size)
		log->at = (size_t)lseek(fd, 0, SEEK_CUR);
	if (log->at == FIRST_BYTES && !log->waited) {
		log->waited = true;
		errno = EAGAIN;
		return -1;
	}
	end = log->waited ? LOG_BYTES : FIRST_BYTES;
	if (n > end - log->at)
		n = end - log->at;
	rig_content(log->input, log->at, to, n);
	log->at += n;
	if (log->has_size)
		lseek(fd, (off_t)log->at, SEEK_SET);
	return (ssize_t)n;
}

/* With a size it is the device's at first, and without one a worker's. */
static void
add_log(bool has_size)
{
	const struct rig_input *input = rig_file(LOG_BYTES);

	if (!has_size && truncate(input->name, 0) != 0)
		exit(99);
	logs[nlogs++] = (struct log){ .input = input, .has_size = has_size };
}

/* The device by itself, and a worker with one lane. */
static bool
runs_logs(unsigned nfiles)
{
	bool good;

	rig_files(nfiles, 40000);
	rig_use_device(RIG_LANES, false);
	rig.cpu.lanes = 1;
	fault_hooks.read = read_log;
	good = rig_run();
	nlogs = 0;
	return good;
}

static bool
files_are_done(void)
{
	return rig.seen.device_blocks >= 200 * (40000 / 64 + 1);
}

static void
test_logs(void)
{
	rig_begin();
	rig_stdin(0, files_are_done);
	rig_name("/dev/null", 0);
	add_log(true);
	ok(runs_logs(200), "a log that the device has begun keeps no earlier "
			   "input from the only lane");
	rig_begin();
	add_log(true);
	add_log(false);
	ok(runs_logs(200), "a log that the worker has begun keeps no earlier "
			   "one from the only lane");
	rig_begin();
	add_log(false);
	add_log(true);
	add_log(false);
	ok(runs_logs(20), "a row of logs: all right and in order");
}

static void
test_log_cpu(void)
{
	rig_begin();
	rig_stdin(70000, NULL);
	add_log(true);
	add_log(false);
	rig_files(20, 40000);
	fault_hooks.read = read_log;
	ok(rig_run(), "logs among the files of a CPU are read in their turn");
	nlogs = 0;
}

int
main(void)
{
	rig_open();
	test_both_ways();
	test_fetched();
	test_failure();
	test_failure_of_stdin();
	test_many();
	test_make_way();
	test_change(900000,
		    "files that shrink while they change hands: all right");
	test_change(FILE_BYTES + 777,
		    "files that grow while they change hands: all right");
	test_emulator();
	test_logs();
	test_log_cpu();
	return tap_done();
}
