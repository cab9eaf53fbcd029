/* SPDX-License-Identifier: MIT */
/*
 * Promise: in each turn a feeder leaves rests to workers and takes theirs,
 * tells how long all took, and publishes what has ended.
 */
#include "config.h"

#include "tests/pipeline/lone-feeder.h"

/* A lane's buffer has 509 blocks for messages. */
static void
test_publish(void)
{
	begin(false);
	rig_add_files(300, 1);
	run();
	ok(seen.npublished == 2 && seen.published[0] == 256 &&
		   seen.published[1] == 44,
	   "what has ended is published, 256 jobs at a time");
	ok(seen.jobs == 300 && seen.bytes == 300 * 55,
	   "and counted for the status line");
	ok(seen.reports == 1 && report.blocks == 300 && !report.failed &&
		   report.engine.nrows == 7,
	   "the device's part is told, and what it says itself");
	ok(seen.closings == 2, "the device and the CPU are closed");
	ok(!sequencer.feeding && sequencer.exchange.busy[1] == 0,
	   "workers know that the feeder has ended");
}

static void
test_launches(void)
{
	begin(false);
	rig_add_files(1, 1000);
	rig_add_files(1, 20);
	rig_step_ns = 1000;
	says.launch_ns = 500000;
	run();
	ok(seen.launches == 2 && seen.nnoted == 2 &&
		   seen.noted[0].blocks == 529 &&
		   seen.noted[0].longest == 509 &&
		   seen.noted[1].blocks == 491 && seen.noted[1].longest == 491,
	   "the blocks of each launch and of its longest lane are noted");
	ok(report.blocks == 1020 && seen.wrong == 0, "all of them are told");
	ok(seen.left[0] == 1000 && seen.left[1] == 20 && seen.left[2] == 0,
	   "what lanes have to do is planned with");
	ok(seen.looked_for == 32768 && seen.looked_busy == 2,
	   "half of the jobs that may be under way are looked for");
	ok(seen.fillings == 16 * LANES * seen.nidle,
	   "lanes are filled in 16 steps each time");
	ok(seen.noted[0].ns >= 500000 && seen.noted[0].ns < 520000 &&
		   seen.noted[0].filling_ns > 0 &&
		   seen.noted[0].filling_ns < seen.noted[0].ns,
	   "the time of a launch, and of it that of filling the next");
	ok(seen.busy_max == LANES, "others see that all lanes may have a file");
}

/* Three long files; behind the first launch workers want rests. */
static void
begin_rests(unsigned rests, uint64_t blocks, uint64_t least)
{
	begin(true);
	rig_add_files(1, 2000);
	rig_add_files(1, 4000);
	rig_add_files(1, 3000);
	says.plans = true;
	says.plan.rests = rests;
	says.plan.rest_blocks = blocks;
	says.plan.work.least = least;
}

static bool
has_promised(unsigned n, uint64_t first, uint64_t second)
{
	return seen.npromised == n && (n < 1 || seen.promised[0] == first) &&
	       (n < 2 || seen.promised[1] == second);
}

static void
free_rests(void)
{
	struct dispatch *of = feeder_dispatch(feeder);
	struct lane_transfer *rest;

	while ((rest = dispatch_take_any_rest(of, 0, 0)) != NULL)
		lane_transfer_free(rest);
}

static void
run_rests(void)
{
	struct diag why;

	feeder = feeder_new(&config, &sequencer, 1, 2, &why);
	if (!feeder)
		exit(99);
	feeder_run(feeder);
	free_rests();
	feeder_free(feeder);
	end();
}

static void
test_leave_rests(void)
{
	begin_rests(0, 0, 1000);
	run_rests();
	ok(has_promised(0, 0, 0), "where no worker wants a rest there is none");
	begin_rests(1, 0, 1000);
	run_rests();
	ok(has_promised(1, 4000 - 509, 0), "one that does gets the longest");
	begin_rests(2, 0, 1000);
	run_rests();
	ok(has_promised(2, 4000 - 509, 3000 - 509), "two the two longest");
	begin_rests(0, 1, 1000);
	run_rests();
	ok(has_promised(1, 4000 - 509, 0), "a block is reason enough");
	begin_rests(0, 4000 - 509, 1000);
	run_rests();
	ok(has_promised(1, 4000 - 509, 0), "as many as there are");
	begin_rests(0, 4000 - 508, 1000);
	run_rests();
	ok(has_promised(2, 4000 - 509, 3000 - 509), "and no less");
	begin_rests(9, 0, 3000 - 509);
	run_rests();
	ok(has_promised(1, 4000 - 509, 0), "short ones stay");
	ok(seen.grown == 0, "no worker is spawned for that");
	begin_rests(0, 0, 1000);
	says.plan.may_spawn = true;
	run_rests();
	ok(seen.grown == 1, "unless it may be");
	begin_rests(0, 0, 100000);
	says.plan.may_spawn = true;
	run_rests();
	ok(seen.grown == 0, "and there is a rest for it");
	begin_rests(0, 0, 100000);
	says.wants_workers = true;
	run_rests();
	ok(seen.grown == seen.nidle, "or there are many jobs");
}

static void
test_idle(void)
{
	begin(false);
	rig_add_files(2, 600);
	run();
	ok(seen.idle[0] == 1 && seen.idle[1] == 1 && seen.idle[2] == 3,
	   "how many lanes have nothing to go on with is told");
}

/* A worker has begun a message, of which a lane takes the rest. */
static void
test_take_rest(void)
{
	struct lane_transfer *rest;
	static struct job job;
	struct diag why;

	begin(true);
	feeder = feeder_new(&config, &sequencer, 1, 2, &why);
	rest = rig_make_rest(5, 700);
	job = (struct job){ .name = (char *)"input", .blocks = 700 };
	rest->ticket.job = &job;
	rest->handed_bytes = 64;
	memset(rest->state, 0, sizeof(rest->state));
	memset(&rest->verify, 0, sizeof(rest->verify));
	dispatch_leave_rest(feeder_dispatch(feeder), 0, rest);
	feeder_run(feeder);
	feeder_free(feeder);
	end();
	ok(job.done && transfers_live == 0 && report.blocks == 700 &&
		   job.size == 700 * 64 - 9 &&
		   strcmp(job.device, "device") == 0,
	   "a lane goes on with what a worker leaves");
}

static void
test_failures(void)
{
	begin(false);
	rig_add_files(5, 600);
	says.refuses = true;
	run();
	ok(report.failed == &device &&
		   strcmp(report.why.text, "no launch") == 0 &&
		   seen.launches == 1 && report.blocks == 3000 &&
		   seen.jobs == 5 && seen.wrong == 0,
	   "a device that refuses is not asked again, and the CPU does it all");
	begin(false);
	rig_add_files(5, 600);
	says.fails = true;
	run();
	ok(report.failed == &device &&
		   strcmp(report.why.text, "no proof") == 0 &&
		   seen.launches == 1 && report.blocks == 3000 &&
		   seen.jobs == 5 && seen.wrong == 0,
	   "nor is one that fails");
}

/* Where the device's digest is `lies`, and another opinion says it is right. */
static void
run_verify(bool lies, bool agrees)
{
	begin(false);
	config.crypto = &opinion;
	says.lies = lies;
	hash(600 * 64 - 9, opinion_digest);
	opinion_digest[0] ^= !agrees;
	rig_add_files(2, 600);
	run();
}

static void
test_verify(void)
{
	run_verify(false, true);
	ok(seen.wrong == 0 && seen.corrected == 0 && seen.disputed == 0,
	   "with --verify right digests are trusted");
	run_verify(true, true);
	ok(seen.wrong == 0 && seen.corrected == 2 && seen.disputed == 0,
	   "and wrong ones corrected");
	run_verify(false, false);
	ok(seen.wrong == 0 && seen.corrected == 0 && seen.disputed == 2,
	   "or disputed, where there are two opinions");
	run_verify(true, false);
	ok(seen.wrong == 2 && seen.corrected == 0 && seen.disputed == 2,
	   "about what the device says");
}

static void
test_lose_device(void)
{
	struct diag why;

	begin(false);
	feeder = feeder_new(&config, &sequencer, 1, 2, &why);
	ok(feeder && sequencer.feeding, "while there is a feeder workers stay");
	feeder_lose_device(feeder);
	ok(!sequencer.feeding && feeder_dispatch(feeder)->shared &&
		   feeder_dispatch(feeder)->speeds.expected.device_rate == 0,
	   "without a thread for it they do its work");
	feeder_free(feeder);
	end();
	ok(report.failed == &device && report.blocks == 0 &&
		   strcmp(report.why.text, "no thread can be started for it") ==
			   0,
	   "and that is told");
	begin(true);
	config.options = "four lanes";
	ok(!feeder_new(&config, &sequencer, 1, 2, &why) &&
		   strcmp(why.text, "what is that") == 0 &&
		   seen.closings == 1 && seen.reports == 0,
	   "a device that does not open says why, and the CPU is closed");
	end();
	feeder_free(NULL);
}

static void *
open_nothing(const void *context, const char *words,
	     struct engine_limits *limits, struct diag *why_not)
{
	(void)context;
	(void)words;
	(void)limits;
	diag_set(why_not, "no CPU");
	return NULL;
}

/* A device without memory was there, and so is reported. */
static void *
alloc_none(void *self, size_t bytes)
{
	(void)self;
	(void)bytes;
	return NULL;
}

static void
test_no_memory(void)
{
	struct diag why;

	begin(true);
	device.alloc = alloc_none;
	ok(!feeder_new(&config, &sequencer, 1, 2, &why) && seen.closings == 2 &&
		   seen.reports == 1 && report.failed == &device &&
		   strcmp(report.why.text,
			  "its memory is too small for a single buffer") == 0 &&
		   strcmp(why.text, report.why.text) == 0,
	   "a device without memory is reported and closed");
	ok(!sequencer.has_feeder, "and there is no feeder");
	end();
	begin(true);
	cpu.open = open_nothing;
	ok(!feeder_new(&config, &sequencer, 1, 2, &why) && seen.closings == 0 &&
		   seen.opened == 0 && strcmp(why.text, "no CPU") == 0,
	   "without a CPU to go on with there is none");
	end();
}

/* So many allocations are made before the feeder is there. */
static void
test_allocations(void)
{
	struct diag why = { .text = "" };
	unsigned n = 0, right = 0;
	bool done;

	do {
		begin(true);
		config.crypto = &opinion;
		allocations_left = n;
		allocations_live = 0;
		feeder = feeder_new(&config, &sequencer, 1, 2, &why);
		allocations_left = UINT_MAX;
		done = feeder != NULL;
		if (n == 0)
			right += strcmp(why.text, "memory exhausted") == 0 &&
				 seen.opened == 0;
		feeder_free(feeder);
		end();
		right += allocations_live == 0 && seen.closings <= 2;
	} while (!done && n++ < 100);
	ok(n > 20 && n < 100 && right == n + 2,
	   "whatever memory is missing, all else is given back (%u of %u)",
	   right, n + 2);
}

/* Files may come later, or be gone. */
static void
test_source(void)
{
	begin(false);
	list.at_end = SOURCE_LATER;
	rig_add_files(1, 700);
	run();
	ok(seen.waits == 1 && seen.jobs == 1 && report.blocks == 700,
	   "without work the feeder waits for the source");
	begin(false);
	says.gone = "b4";
	rig_add_files(1, 4);
	rig_add_files(1, 5);
	run();
	ok(seen.jobs == 2 && report.blocks == 5 && seen.wrong == 1,
	   "a file that is gone is published with its error");
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_publish();
	test_launches();
	test_leave_rests();
	test_idle();
	test_take_rest();
	test_failures();
	test_verify();
	test_lose_device();
	test_no_memory();
	test_allocations();
	test_source();
	return rig_close() ? tap_done() : 99;
}
