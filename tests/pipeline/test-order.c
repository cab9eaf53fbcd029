/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever the engine does within its contract, on however many
 * threads, and however the source gives its jobs, they come back in order with
 * the right digest, each as soon as all before it have ended.
 */
#include "config.h"

#include "tests/pipeline/rig.h"

enum {
	/* Memory of jobs under way, at most; names included. */
	HELD_BYTES = 48 << 20,
	JOB_BYTES = sizeof(struct message),
	MAX_JOBS = (HELD_BYTES + JOB_BYTES - 1) / JOB_BYTES
};

static void
test_threads(void)
{
	for (unsigned threads = 1; threads <= 5; threads += 2) {
		rig_begin();
		rig_mix(300, 400000);
		rig.config.threads = threads;
		ok(rig_run() && !rig.report.failed,
		   "%u threads: all digests are right and in order", threads);
		ok(rig.report.blocks == rig.seen.cpu_blocks,
		   "%u threads: all blocks are reported", threads);
	}
	rig_again();
	rig.cpu.lazy = true;
	rig.cpu.lanes = 15;
	ok(rig_run(),
	   "an engine of 15 lanes that does as little as it may: all is right");
}

/* Every third read gets less than it wants, and leaves an incomplete block. */
static bool
shorten(int fd, size_t *n)
{
	enum { SHORT = 40001 };
	static _Atomic unsigned reads;

	(void)fd;
	if (*n > SHORT && ++reads % 3 == 0)
		*n = SHORT;
	return true;
}

static void
test_slack(void)
{
	/* The slack is larger than a page, to which the buffers of lanes are
	 * rounded up. */
	enum { SLACK_BYTES = 5000 };

	for (unsigned threads = 1; threads <= 3; threads += 2) {
		rig_begin();
		rig_mix(300, 400000);
		rig.config.threads = threads;
		rig.cpu.slack = SLACK_BYTES;
		rig.cpu.lazy = true;
		rig_before_reads(shorten);
		ok(rig_run(),
		   "%u threads, an engine that writes on its slack: no byte of "
		   "a message is lost, even if reads are short",
		   threads);
	}
}

/* The source ---------------------------------------------------------------- */

static bool
all_are_emitted(void)
{
	return rig.seen.emitted == rig.seen.taken;
}

static void
test_slow_source(void)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		rig_begin();
		rig_mix(120, 100000);
		for (unsigned i = 0; i < rig.n; i++)
			rig.inputs[i].later = all_are_emitted;
		rig.config.threads = threads;
		ok(rig_run() && rig.seen.most_taken == 1,
		   "%u threads, a source that has its next job only when all "
		   "others were emitted: nobody waits for ever",
		   threads);
		rig_again();
		for (unsigned i = 0; i < rig.n; i++)
			rig.inputs[i].later_has_no_fd = i % 2;
		ok(rig_run(),
		   "%u threads, a source that says at times that only an "
		   "emission helps: nobody waits for ever",
		   threads);
	}
	rig_again();
	rig_use_device(RIG_LANES, true);
	ok(rig_run(), "the same beside a device: nobody waits for ever");
	rig_again();
	rig_use_device(RIG_LANES, false);
	ok(rig_run(), "the same, hashed by a device: nobody waits for ever");
}

static bool
has_second(void)
{
	return rig.seen.cpus == 2;
}

static bool
goes_on(void)
{
	return rig.seen.cpus < 2 || rig.seen.taken > 60;
}

/* The first worker hashes until the other one has waited for the source. */
static void
hold_first(uint32_t engine)
{
	if (engine == 2)
		rig_wait(goes_on);
}

static void
test_busy_worker(void)
{
	rig_begin();
	rig_files(100, 3000);
	rig.inputs[60].later = has_second;
	rig.cpu.before = hold_first;
	rig.config.threads = 2;
	ok(rig_run(), "a worker waits for the source while another one hashes");
}

static void
test_remarks(void)
{
	rig_begin();
	for (unsigned i = 0; i < 3; i++) {
		rig_remark();
		rig_remark()->later = all_are_emitted;
		rig_file(1000)->later = all_are_emitted;
		rig_file(1000);
	}
	ok(rig_run(), "a remark is emitted at once when all before it were");
}

static void
test_end(void)
{
	rig_begin();
	ok(rig_run() && rig.seen.ended && rig.report.blocks == 0,
	   "a source without jobs ends the run");
	rig_use_device(RIG_LANES, true);
	rig_again();
	ok(rig_run() && rig.seen.launches == 0,
	   "a source without jobs ends the run of a device");
}

/* Bounds -------------------------------------------------------------------- */

static bool
is_full(void)
{
	return rig.seen.taken >= MAX_JOBS;
}

static bool
has_names(void)
{
	return rig.seen.taken >= 4;
}

static void
test_bounds(void)
{
	rig_begin();
	rig_stdin(10, is_full);
	while (rig.n < MAX_JOBS + 1000)
		rig_remark();
	ok(rig_run() && rig.seen.most_taken == MAX_JOBS && MAX_JOBS > 65536,
	   "while the first job waits, jobs under way take 48 MiB at most");
	rig_begin();
	rig_stdin(10, has_names)->held_bytes = HELD_BYTES / 4;
	while (rig.n < 12)
		rig_file(100)->held_bytes = HELD_BYTES / 4;
	ok(rig_run() && rig.seen.most_taken == 4, "with their names");
	rig_begin();
	while (rig.n < 6)
		rig_file(100)->held_bytes = 2 * HELD_BYTES;
	ok(rig_run() && rig.seen.most_taken == 1,
	   "a job that holds more than that is taken alone");
	rig_begin();
	rig_stdin(10, has_names);
	rig_remark()->held_bytes = HELD_BYTES / 2;
	rig_file(1)->held_bytes = HELD_BYTES / 2 - 3 * JOB_BYTES - 1;
	rig_file(1)->held_bytes = 5;
	rig_file(1)->held_bytes = 5;
	ok(rig_run() && rig.seen.most_taken == 4,
	   "a byte of room is enough for one more job");
}

int
main(void)
{
	rig_open();
	test_threads();
	test_slack();
	test_slow_source();
	test_busy_worker();
	test_remarks();
	test_end();
	test_bounds();
	return tap_done();
}
