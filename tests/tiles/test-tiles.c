/* SPDX-License-Identifier: MIT */
/*
 * Promise: on a tile device that does what pair.h promises every message gets
 * its hash value, whichever pixels share a thread and however messages lie in
 * lanes; threads are nearly full; memory is bounded, and where it is short the
 * CPU hashes.
 */
#include "config.h"

#define CHAINS_BATCHES 31
#include "tests/engine/chains.h"
#include "tests/pipeline/rig.h"
#include "tests/tiles/scripted_tiles.h"

enum { MIB = 1 << 20 };

static struct chains chains;

static void
begin(uint64_t seed, unsigned blocks)
{
	if (chains_open(&chains, &engine_scripted, "", seed, blocks))
		return;
	printf("Bail out! %s\n", chains.why.text);
	exit(99);
}

/* Lanes of random messages, some idle, some that go on. */
static void
fill_lanes(uint32_t room_most)
{
	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		static uint32_t lengths[CHAINS_BLOCKS];
		const bool idle = chains_random(&chains) % 5 == 0;
		uint32_t room = idle ? 0 :
				       1 + chains_random(&chains) % room_most;
		unsigned n = 0;

		while (room > 0) {
			lengths[n] = 1 + chains_random(&chains) % room;
			room -= lengths[n++];
		}
		chains_fill(&chains, lane, lengths, n,
			    chains_random(&chains) % 3 == 0);
	}
}

static unsigned
run_all(void)
{
	unsigned steps = 0;

	while (chains_left(&chains)) {
		if (!chains_step(&chains)) {
			printf("# %s\n", chains.why.text);
			return 0;
		}
		steps++;
	}
	/* Known answers and second answers are not counted. */
	if (chains_figure(&chains, "blocks on the device") !=
	    (double)chains.blocks) {
		printf("# the figure of blocks is wrong\n");
		return 0;
	}
	return steps;
}

static void
test_lengths(bool is_shuffled)
{
	unsigned good = 0;

	script_reset();
	script.is_shuffled = is_shuffled;
	begin(is_shuffled + 1, 60);
	for (unsigned round = 0; round < 6; round++) {
		fill_lanes(round % 2 ? 60 : 4);
		good += run_all() > 0;
	}
	ok(good == 6 && chains.wrong == 0 && chains.messages > 100,
	   "messages of unlike lengths have their hash values, where threads "
	   "are %s",
	   is_shuffled ? "any quads" : "rows of quads");
	ok(chains.touched == 0, "all data are left alone, where threads are %s",
	   is_shuffled ? "any quads" : "rows of quads");
	chains_close(&chains);
	ok(script.misused == 0 && script.bytes == 0 && script.closes == 1,
	   "the device is asked for nothing strange, and given back");
}

/* Every lane is full of messages of one block. */
static void
test_short(void)
{
	static uint32_t lengths[CHAINS_BLOCKS];
	unsigned steps;

	script_reset();
	begin(5, 250);
	for (unsigned i = 0; i < 250; i++)
		lengths[i] = 1;
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		chains_fill(&chains, lane, lengths, 250, false);
	steps = run_all();
	ok(steps == 2 && chains.wrong == 0 && chains.messages == 250 * 186,
	   "messages of one block, more than fit into a launch, take two");
	ok(chains_figure(&chains, "lane occupancy") > 90,
	   "nine of ten lanes do messages of one block: %.1f %%",
	   chains_figure(&chains, "lane occupancy"));
	chains_close(&chains);
	ok(script.misused == 0 && script.most_queued >= 2,
	   "a large launch is several jobs, two of which wait");
}

/* All streams are busy with long messages. */
static void
test_long(void)
{
	const uint32_t most[] = { 512 };
	uint64_t before;

	script_reset();
	begin(6, 512);
	before = script.busy;
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		chains_fill(&chains, lane, most, 1, true);
	ok(run_all() == 1 && chains.wrong == 0 && chains.blocks == 186 * 512,
	   "parts of 186 long messages are hashed, and go on");
	ok(script.busy - before <= 24 * 512 + 24 * 3,
	   "they take two threads of eight on each of 12 QPUs, known answers "
	   "included");
	ok(chains_figure(&chains, "launches") == 1 &&
		   chains_figure(&chains, "lane occupancy") > 96.2 &&
		   chains_figure(&chains, "lane occupancy") < 96.8,
	   "186 of 192 lanes are occupied, but for the proof: %.2f %%",
	   chains_figure(&chains, "lane occupancy"));
	ok(chains_figure(&chains, "instructions per block of 8 lanes") > 1 &&
		   chains_figure(&chains, "instructions per block of 8 lanes") <
			   1.01,
	   "blocks of threads are counted, but for the proof");
	chains_close(&chains);
}

/* There are threads for all QPUs, but not as many for each. */
static void
test_uneven(void)
{
	script_reset();
	begin(9, 300);
	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		const uint32_t length = 100 + chains_random(&chains) % 200;

		chains_fill(&chains, lane, &length, lane % 7 != 0, lane % 2);
	}
	ok(run_all() == 1 && chains.wrong == 0,
	   "long messages of unlike lengths are hashed in stages");
	ok(chains_figure(&chains, "lane occupancy") > 80,
	   "QPUs are busy although threads do not go round: %.1f %%",
	   chains_figure(&chains, "lane occupancy"));
	chains_close(&chains);
	ok(script.misused == 0, "stages ask for nothing strange");
}

/* Launches of messages of one length, by the time of a block at 250 MHz. */
static void
test_job_lengths(unsigned job_ms)
{
	enum { BLOCK_US = 18, ROOM = 500 };
	static const uint32_t rows[] = { 1, 7, 100, ROOM };
	static uint32_t lengths[CHAINS_BLOCKS];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const unsigned n = ROOM / rows[i];
		unsigned steps;

		script_reset();
		script.job_ms = job_ms;
		begin(11 + i, ROOM);
		for (unsigned k = 0; k < n; k++)
			lengths[k] = rows[i];
		for (unsigned lane = 0; lane < chains.lanes; lane++)
			chains_fill(&chains, lane, lengths, n, lane % 2);
		steps = run_all();
		chains_close(&chains);
		ok(steps > 0 && chains.wrong == 0 && script.misused == 0 &&
			   script.most_job_blocks * BLOCK_US <= job_ms * 1000,
		   "a job of messages of %u blocks is not longer than the %u ms "
		   "that the device wants: %u us",
		   rows[i], job_ms, script.most_job_blocks * BLOCK_US);
	}
}

/* A lane of more blocks than a piece may have is done in steps. */
static void
test_longer_lane(void)
{
	const uint32_t lengths[] = { 3, 500 };

	script_reset();
	begin(7, 512);
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		chains_fill(&chains, lane, lengths, lane < 7 ? 2 : 0, lane % 2);
	ok(run_all() == 1 && chains.wrong == 0,
	   "few messages in few lanes are hashed");
	ok(chains_step(&chains) == false && chains.wrong == 0,
	   "a step without blocks is no launch and no failure");
	chains_close(&chains);
	ok(script.misused == 0, "few messages ask for nothing strange");
}

static void
test_elsewhere(void)
{
	static uint8_t data[SHA256_BLOCK_BYTES];
	const uint32_t one = 1;

	script_reset();
	begin(8, 4);
	chains_fill(&chains, 0, &one, 1, false);
	chains.batches[0].data[0] = data;
	ok(engine_scripted.submit(chains.self, chains.batches,
				  chains.limits.batches,
				  &chains.why) == ENGINE_REFUSED &&
		   strcmp(chains.why.text, "data lie outside of its memory") ==
			   0 &&
		   chains.batches[0].done[0] == 0,
	   "data that are not in a buffer of the device's are refused");
	chains_close(&chains);
}

/* What is told of a device that fails when it is tested (job 2), or in the first
 * launch (job 3). */
static void
test_failures(void)
{
	static const struct {
		enum script_fault fault;
		unsigned at;
		bool lasts;
		enum engine_status status;
		const char *why;
	} rows[] = {
		{ SCRIPT_CONSTANT, 2, true, ENGINE_FAULT,
		  "the GPU's answers are wrong" },
		{ SCRIPT_REFUSED, 2, true, ENGINE_REFUSED,
		  "a job was refused" },
		{ SCRIPT_NOTHING, 3, true, ENGINE_FAULT,
		  "the GPU has not stored all of its results" },
		{ SCRIPT_CONSTANT, 3, true, ENGINE_FAULT,
		  "the GPU's answers are wrong" },
		{ SCRIPT_TIMEOUT, 3, true, ENGINE_TIMEOUT,
		  "a job does not end, or breaks a rule" },
		{ SCRIPT_FAULTED, 3, true, ENGINE_FAULT,
		  "a job does not end, or breaks a rule" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum engine_status status;

		script_reset();
		script.fault = rows[i].fault;
		script.fault_at = rows[i].at;
		script.lasts = rows[i].lasts;
		begin(20, 30);
		fill_lanes(30);
		status = engine_scripted.submit(chains.self, chains.batches,
						chains.limits.batches,
						&chains.why);
		if (status == ENGINE_OK)
			status = engine_scripted.wait(chains.self, &chains.why);
		ok(status == rows[i].status &&
			   strcmp(chains.why.text, rows[i].why) == 0,
		   "a failure of job %u has its reason: %s", rows[i].at,
		   chains.why.text);
		chains_close(&chains);
		ok(script.misused == 0, "a device that failed is given back");
	}
}

static void
test_speed(void)
{
	struct engine_speed speed = { .lanes = 0 };

	engine_scripted.speed(engine_scripted.context, &speed);
	ok(speed.lanes == 186 && speed.device_rate == 310e6,
	   "a device of 250 MHz has 186 lanes and hashes 310 MB a second");
}

static void
test_picture(void)
{
	const uint32_t one = 1;

	script_reset();
	script.is_mirrored = true;
	begin(10, 4);
	chains_fill(&chains, 0, &one, 1, false);
	ok(engine_scripted.submit(chains.self, chains.batches,
				  chains.limits.batches,
				  &chains.why) == ENGINE_FAULT &&
		   script.opens == 2 && chains.batches[0].done[0] == 0,
	   "a device whose pixels are elsewhere is opened twice and not used");
	is(chains.why.text, "the GPU's test picture is wrong",
	   "pixels that are elsewhere are told");
	chains_close(&chains);
}

/* A run through the pipeline: several memories, files of all sizes. */
static void
run_files(size_t most_bytes, const char *promise)
{
	rig_begin();
	script_reset();
	script.most_bytes = most_bytes;
	rig_use_device(31, 6, false);
	rig.device.real = &engine_scripted;
	for (unsigned i = 0; i < 400; i++)
		rig_file(i % 7 == 0 ? 40000 + 100 * i : 13 * i);
	rig_file(3 * MIB);
	ok(rig_run() && script.misused == 0, "%s", promise);
}

static void
test_pipeline(void)
{
	run_files(0, "files of all sizes, fed by the pipeline, have their "
		     "digests");
	ok(!rig.seen.device_failed && rig.seen.device_blocks > 1000,
	   "the device has hashed most of them");
	ok(script.peak_bytes + 16 * MIB <= 40 * MIB,
	   "memory is at most 40 MiB with the binner's 16: %.1f MiB",
	   (double)script.peak_bytes / MIB + 16);
	run_files(5 * MIB, "with 5 MiB there are smaller buffers");
	ok(rig.seen.device_blocks > 1000, "5 MiB are used");
	run_files(1 * MIB, "with 1 MiB the CPU hashes");
	ok(rig.seen.device_blocks == 0, "1 MiB is too little");
}

/* Each allocation fails in turn. */
static void
test_shortage(void)
{
	unsigned good = 0, n = 0;

	for (n = 1; n < 12; n++) {
		rig_begin();
		script_reset();
		script.most_allocs = n;
		rig_use_device(31, 6, false);
		rig.device.real = &engine_scripted;
		rig_files(20, 5000);
		good += rig_runs_or_is_refused() && script.misused == 0 &&
			script.bytes == 0;
	}
	ok(good == n - 1, "a run survives each allocation that fails");
}

int
main(void)
{
	rig_open();
	test_lengths(false);
	test_lengths(true);
	test_short();
	test_long();
	test_uneven();
	test_job_lengths(8);
	test_job_lengths(20);
	test_longer_lane();
	test_elsewhere();
	test_picture();
	test_speed();
	test_failures();
	test_pipeline();
	test_shortage();
	return tap_done();
}
