/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a device lacks, and whenever it fails or lies, no digest is
 * lost or wrong, the failure is reported with its cause, and the device is not
 * used again.
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "src/lanes/message.h"
#include "tests/pipeline/rig.h"
#include "tests/support/scratch.h"

static void
again(unsigned qpus, bool shared)
{
	rig_again();
	rig_use_device(qpus * RIG_LANES, shared);
}

/* Shared with the CPU the run may end before the device fails. */
static bool
is_told(const char *why)
{
	if (!rig.seen.device_failed)
		return !rig.report.failed;
	return rig.report.failed == rig.device_engine &&
	       strcmp(rig.report.why.text, why) == 0;
}

static void
test_failures(void)
{
	unsigned good = 0, told = 0;

	rig_begin();
	rig_mix(600, 150000);
	for (unsigned at = 1; at <= 5; at++)
		for (unsigned shared = 0; shared < 2; shared++) {
			again(2, shared);
			rig.config.threads = 2;
			rig.device.refuses_at = at;
			good += rig_run();
			told += is_told("refused");
			again(2, shared);
			rig.config.threads = 1;
			rig.device.fails_at = at;
			rig.device.cuts = at * 60 * shared;
			good += rig_run();
			told += is_told("lost its way");
		}
	ok(good == 20,
	   "a device fails at any launch: no digest is lost (%u of 20)", good);
	ok(told == 20, "the failure is reported with its cause (%u of 20)",
	   told);
	again(2, false);
	rig.device.fails_at = 2;
	ok(rig_run() && rig.seen.launches == 2 && rig.seen.cpu_blocks > 0,
	   "after a failure the CPU does all the work of the device");
	ok(rig.report.device_facts.n == 1,
	   "a device that has failed tells its figures all the same");
	ok(rig.report.blocks >= rig.seen.device_blocks + rig.seen.cpu_blocks,
	   "all blocks are reported after a failure");
}

/* What a device has read and not ended is read again ------------------------- */

static unsigned fails_at;

/* While the launch runs that fails one of its files is removed, one has other
 * bytes of the same number, and one is another file of that name. */
static void
change_files(void)
{
	if (rig.seen.launches != fails_at)
		return;
	if (unlink(rig.inputs[1].name) != 0 ||
	    rename("other", rig.inputs[3].name) != 0)
		exit(99);
	rig_write_file(&rig.inputs[2], rig.inputs[2].bytes - 1);
}

static void
test_again(void)
{
	for (fails_at = 1; fails_at <= 3; fails_at += 2) {
		rig_begin();
		rig_files(RIG_LANES, 64 * 2000);
		again(1, false);
		scratch_text("other", "");
		rig.device.fails_at = fails_at;
		rig.device.before = change_files;
		rig.inputs[1].error = ENOENT;
		rig.inputs[2].verdict = rig.inputs[3].verdict = JOB_CHANGED;
		ok(rig_run() && rig.seen.launches == fails_at,
		   "what a device had begun is hashed anew from its file; one "
		   "that is gone or another one by now is an error");
		ok(rig.inputs[1].job.opened,
		   "a file that is gone since a device has read it does not "
		   "count as one that never was there");
		ok(rig.report.by_device == 0,
		   "the device had a part in no digest of these");
	}
}

/* Fifteen messages of one block and one that has more than a launch does. */
static void
test_doubtful(void)
{
	static const struct {
		unsigned fails_at, refuses_at;
		bool verify, is_wrong;
		uint64_t by_device;
		const char *promise;
	} rows[] = {
		{ 3, 0, false, true, 15,
		  "a device whose results are wrong had a part in what it has "
		  "ended, and not in what it has begun" },
		{ 1, 0, false, true, 0,
		  "a device whose first results are wrong had a part in none" },
		{ 0, 3, false, false, 15,
		  "digests of a device that only refuses are not doubtful" },
		{ 3, 0, true, false, 15,
		  "digests that --verify has compared are not doubtful" },
	};
	bool good;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rig_begin();
		rig_file(64 * 2000);
		rig_files(RIG_LANES - 1, 50);
		rig_use_device(RIG_LANES, false);
		rig.device.fails_at = rows[i].fails_at;
		rig.device.refuses_at = rows[i].refuses_at;
		if (rows[i].verify)
			rig_verify();
		good = rig_run();
		ok(good && rig.report.failed &&
			   rig.report.is_wrong == rows[i].is_wrong &&
			   rig.report.by_device == rows[i].by_device,
		   "%s (%u of 16)", rows[i].promise,
		   (unsigned)rig.report.by_device);
	}
}

static void
test_healed(void)
{
	rig_begin();
	rig_files(20, 1000);
	again(1, false);
	ok(rig_run() && !rig.report.healed, "a sound device is not reported");
	again(1, false);
	rig.device.heals = true;
	ok(rig_run() && rig.report.healed == rig.device_engine &&
		   strcmp(rig.report.why_healed.text, "healed") == 0,
	   "a device that failed its first test only is reported");
}

/* Opening ------------------------------------------------------------------- */

static void
test_missing(void)
{
	rig_begin();
	rig_mix(200, 50000);
	again(2, false);
	rig.device.why_not = "there is none";
	ok(rig_is_refused() && strcmp(rig.why_not.text, "there is none") == 0,
	   "a device that cannot be opened ends the run, with the reason");
	again(2, false);
	rig.device.why_not = "there is none";
	rig.config.automatic = true;
	rig.config.speed = rig.device.speed;
	ok(rig_run() && rig.report.choice.device && rig.seen.cpus == 1 &&
		   rig.report.used == rig.cpu_engine &&
		   strcmp(rig.report.choice.why_not.text, "there is none") == 0,
	   "where the choice is the program's the CPU works alone then");
	rig.config.automatic = false;
	again(2, false);
	rig.cpu.refuses_at = 1;
	ok(rig_is_refused() && strcmp(rig.why_not.text, "not today") == 0,
	   "without a CPU worker beside the device there is no run");
	again(2, false);
	rig.cpu.refuses_at = 0;
	rig.device.memory = 1;
	ok(rig_run() && rig.seen.launches == 0 &&
		   rig.report.failed == rig.device_engine,
	   "a device without memory is replaced, and that is reported");
	is(rig.report.why.text, "there is no memory for a single buffer",
	   "that there is no memory for a buffer is told");
	again(2, false);
	fault_from(FAULT_pthread_create, 1, EAGAIN);
	ok(rig_run() && rig.seen.launches == 0 &&
		   rig.report.failed == rig.device_engine,
	   "a device that gets no thread is replaced, and that is reported");
	is(rig.report.why.text, "no thread can be started for it",
	   "that no thread can be started is told");
	again(2, false);
	rig.config.options = "speed=9";
	ok(rig_run(), "a device gets its options, and its CPU gets none");
}

static void
use_two_threads(void)
{
	rig_use_device(RIG_LANES, true);
	rig.config.threads = 2;
}

static void
test_no_memory(void)
{
	rig_begin();
	rig_mix(100, 40000);
	rig_files(3, 400000);
	ok(rig_survives(160, use_two_threads, fault_at),
	   "if any one allocation fails beside a device, all is right or the "
	   "run is refused");
	ok(rig_survives(160, use_two_threads, fault_from),
	   "if all allocations fail from one on beside a device, all is right "
	   "or the run is refused");
}

/* --verify ------------------------------------------------------------------ */

enum { CPU, DEVICE, BOTH };

/* Who is wrong: the engine, the memory of the device, libcrypto. */
enum { ENGINE = 1, MEMORY = 2, CRYPTO = 4 };

static void
test_verify(void)
{
	static const struct {
		unsigned way, wrong;
		enum job_verdict verdict;
		const char *promise;
	} rows[] = {
		{ DEVICE, 0, JOB_TRUSTED, "digests of a device are trusted" },
		{ DEVICE, ENGINE, JOB_CORRECTED,
		  "a device that lies is corrected" },
		{ DEVICE, MEMORY, JOB_CORRECTED,
		  "data that change in the device's memory are noticed" },
		{ DEVICE, CRYPTO, JOB_DISPUTED,
		  "a digest of a device is disputed" },
		{ BOTH, 0, JOB_TRUSTED,
		  "digests of a device and the CPU beside it are trusted" },
		{ CPU, 0, JOB_TRUSTED, "right digests of the CPU are trusted" },
		{ CPU, ENGINE, JOB_CORRECTED, "a CPU that lies is corrected" },
		{ CPU, ENGINE | CRYPTO, JOB_DISPUTED,
		  "a digest is disputed, no matter which is wrong" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rig_begin();
		rig_verify();
		rig_files(100, 3000);
		rig_files(10, 200000);
		if (rows[i].way == CPU)
			rig_file(0);
		else
			again(2, rows[i].way == BOTH);
		rig.config.threads = rows[i].way == BOTH ? 2 : 1;
		rig.cpu.lazy = rows[i].way == CPU;
		rig.cpu.lies = rows[i].way == CPU && rows[i].wrong & ENGINE;
		rig.device.lies = rows[i].wrong & ENGINE;
		rig.device.corrupts = rows[i].wrong & MEMORY;
		rig.crypto_lies = rows[i].wrong & CRYPTO;
		for (unsigned k = 0; k < rig.n; k++)
			rig.inputs[k].verdict = rows[i].verdict;
		ok(rig_run(), "with --verify %s", rows[i].promise);
	}
}

int
main(void)
{
	rig_open();
	test_failures();
	test_again();
	test_doubtful();
	test_healed();
	test_missing();
	test_no_memory();
	test_verify();
	return tap_done();
}
