/* SPDX-License-Identifier: MIT */
/*
 * Promise: on a tile device that does what pair.h promises every message gets
 * its hash value, whichever pixels share a thread and however messages lie in
 * lanes; threads are nearly full; memory is bounded, and where it is short the
 * CPU hashes.
 */
#include "config.h"

#include "qpu/sha/tiles_launch.h"
#include "tests/pipeline/rig.h"
#include "tests/sha/chains.h"
#include "tests/sha/scripted_tiles.h"

enum { MIB = 1 << 20 };

static struct chains chains;
static struct engine engine_scripted;

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
	/* Known answers are not counted. */
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

/* Lanes with n messages each, and what their launches cost. */
struct load {
	const char *what;
	unsigned lanes, n;
	uint32_t blocks, spread; /* of a message: at least, and more */
	bool go_on;		 /* the last ones of every other lane */
	unsigned queue_ms;	 /* that the device allows */
	/*
	 * Launches, jobs, draws with a delay; blocks until QPUs have ended, of
	 * threads, of pairs; occupied lanes in percent, instructions per block
	 * of eight lanes.
	 */
	const char *cost;
};

static void
fill_load(const struct load *load)
{
	static uint32_t lengths[CHAINS_BLOCKS];

	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		for (unsigned i = 0; i < load->n; i++)
			lengths[i] = load->blocks + chains_random(&chains) %
							    (load->spread + 1);
		chains_fill(&chains, lane, lengths,
			    lane < load->lanes ? load->n : 0,
			    load->go_on && lane % 2);
	}
}

static void
test_load(const struct load *load)
{
	enum { BLOCK_US = 18 /* at 250 MHz */ };
	struct script before;
	char cost[128];
	unsigned launches;

	script_reset();
	script.queue_ms = load->queue_ms;
	begin(11, CHAINS_BLOCKS);
	fill_load(load);
	before = script;
	script.most_queue_blocks = 0;
	launches = run_all();
	ok(launches > 0 && chains.wrong == 0, "%s have their hash values",
	   load->what);
	ok(script.most_queued == 2 &&
		   script.most_queue_blocks * BLOCK_US <= load->queue_ms * 1000,
	   "a frame that is drawn meanwhile waits for two jobs that take %u us "
	   "together, of %u ms, and one is always ready",
	   script.most_queue_blocks * BLOCK_US, load->queue_ms);
	snprintf(cost, sizeof(cost), "%u %u %u, %u %u %u, %.1f %.3f", launches,
		 script.jobs - before.jobs, script.delays - before.delays,
		 (unsigned)(script.time - before.time),
		 (unsigned)(script.busy - before.busy),
		 (unsigned)(script.hashed - before.hashed),
		 chains_figure(&chains, "lane occupancy"),
		 chains_figure(&chains, "instructions per block of 8 lanes"));
	is(cost, load->cost, "%s cost what was planned", load->what);
	ok(!chains_step(&chains) && chains.wrong == 0 &&
		   chains_figure(&chains, "launches") == launches,
	   "a step without blocks after them is no launch and no failure");
	chains_close(&chains);
	ok(script.misused == 0, "%s ask for nothing strange", load->what);
}

static void
test_loads(void)
{
	static const struct load loads[] = {
		{ "messages of one block, more than fit into a launch,", 186,
		  250, 1, 0, false, 40, "2 8 0, 502 6024 48192, 96.5 1.004" },
		{ "parts of long messages in all lanes", 186, 1, 512, 0, true,
		  40, "1 3 2, 1025 12300 98400, 96.8 1.001" },
		{ "long messages of unlike lengths in some lanes", 159, 1, 100,
		  199, true, 40, "1 3 2, 381 4311 33850, 88.2 1.003" },
		{ "short messages", 186, 71, 7, 0, true, 40,
		  "1 3 0, 995 11940 95520, 96.8 1.001" },
		{ "messages of 100 blocks", 186, 5, 100, 0, true, 40,
		  "1 3 2, 1001 12012 96096, 96.8 1.001" },
		{ "short messages beside a desktop", 186, 71, 7, 0, true, 8,
		  "1 9 0, 995 11940 95520, 96.8 1.001" },
		{ "messages of 100 blocks beside a desktop", 186, 5, 100, 0,
		  true, 8, "1 7 6, 1001 12012 96096, 96.8 1.001" },
		{ "long messages beside a desktop", 186, 1, 500, 0, true, 8,
		  "1 7 6, 1001 12012 96096, 96.8 1.001" },
		{ "long messages in jobs of a millisecond", 186, 1, 512, 0,
		  true, 2, "1 21 20, 1025 12300 98400, 96.8 1.001" },
		{ "short messages in jobs of a millisecond", 186, 71, 7, 0,
		  true, 2, "1 30 0, 995 11940 95520, 96.8 1.001" },
		{ "two messages in few lanes", 7, 2, 3, 200, true, 40,
		  "1 2 1, 193 1171 9353, 7.6 1.010" },
		{ "few messages", 5, 1, 3, 0, false, 40,
		  "1 2 0, 4 30 240, 3.9 2.000" },
		{ "messages of all lengths", 186, 4, 1, 120, true, 40,
		  "1 2 1, 508 6067 48088, 95.4 1.002" },
	};

	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		test_load(&loads[i]);
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

static void
test_buffers(void)
{
	struct engine_limits limits = { .batches = 0 };
	struct diag why;
	void *self, *one, *other;
	size_t before;

	script_reset();
	self = engine_open(&engine_scripted, "", &limits, &why);
	before = script.bytes;
	for (unsigned parts = 1; parts <= 2; parts++) {
		const size_t bytes = ((12 << 20) - (32 << 10)) / parts;

		one = engine_scripted.alloc(self, bytes);
		other = engine_scripted.alloc(self, bytes);
		ok(one && !other == (parts == 1) &&
			   !engine_scripted.alloc(self, 1),
		   "%u buffers have all memory for buffers, and another one "
		   "has none",
		   parts);
		memset(one, 1, bytes);
		if (other)
			engine_scripted.free(self, other, bytes);
		engine_scripted.free(self, one, bytes);
		ok(script.bytes == before, "%u buffers are given back", parts);
	}
	engine_scripted.close(self);
	ok(script.misused == 0 && script.bytes == 0,
	   "buffers ask for nothing strange");
}

/* What is told of a device that fails when it is tested (from job 2 on), or in the
 * first launch (job 5). */
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
		{ SCRIPT_CONSTANT, 4, true, ENGINE_FAULT,
		  "the GPU's answers are wrong" },
		{ SCRIPT_REFUSED, 2, true, ENGINE_REFUSED,
		  "a job was refused" },
		{ SCRIPT_NOTHING, 5, true, ENGINE_FAULT,
		  "the GPU has not stored all of its results" },
		{ SCRIPT_CONSTANT, 5, true, ENGINE_FAULT,
		  "the GPU's answers are wrong" },
		{ SCRIPT_TIMEOUT, 5, true, ENGINE_TIMEOUT,
		  "a job does not end, or breaks a rule" },
		{ SCRIPT_FAULTED, 5, true, ENGINE_FAULT,
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

/* A job that is lost, or ends after it was given up, as when another program
 * has hung the GPU, is done again, but not for ever. */
static void
test_retries(enum script_fault fault, const char *what)
{
	enum { RETRIES = 8 };
	unsigned good = 0;

	script_reset();
	begin(21, 30);
	for (unsigned launch = 0; launch <= RETRIES; launch++) {
		script.fault = fault;
		script.fault_at = script.jobs + 1;
		script.is_over = false;
		fill_lanes(30);
		good += chains_step(&chains);
		if (launch < RETRIES)
			good += run_all() > 0 || !chains_left(&chains);
	}
	ok(good == 2 * RETRIES,
	   "a launch that %s is repeated, and the device used afterwards; the "
	   "ninth one in a process is not",
	   what);
	ok(chains.wrong == 0 && script.misused == 0 && script.opens == 1,
	   "nothing of a launch that %s is taken for a result", what);
	chains_close(&chains);
}

/* The second launch begins with what QPUs have looked up in the first one, which
 * is larger than their caches. */
static void
test_caches(void)
{
	script_reset();
	begin(22, 60);
	fill_lanes(60);
	ok(run_all() == 1, "caches are cleared, and a launch is right");
	chains_renew(&chains);
	script.fault = SCRIPT_CACHES;
	script.fault_at = script.jobs + 1;
	script.lasts = true;
	fill_lanes(60);
	ok(!chains_step(&chains) && chains.wrong == 0,
	   "caches that are not cleared are found in the next launch");
	chains_close(&chains);
}

/* Launches of a tile and a proof. */
static void
test_places(void)
{
	enum { LAUNCHES = 24, TESTED = 12 };
	const uint32_t three = 3;
	bool seen[TESTED] = { false };
	unsigned places = 0, strange = 0, full;

	script_reset();
	begin(23, 60);
	for (unsigned launch = 0; launch < LAUNCHES; launch++) {
		unsigned place;

		for (unsigned lane = 0; lane < 9; lane++)
			chains_fill(&chains, lane, &three, 1, false);
		strange += run_all() != 1;
		place = script.last[(script.jobs + 1) % 2].place;
		strange += place >= TESTED ||
			   place == script.last[script.jobs % 2].place;
		if (place < TESTED) {
			places += !seen[place];
			seen[place] = true;
		}
	}
	ok(strange == 0 && places == 2,
	   "small launches have %u places by turns, all of which were tested, "
	   "and none that of its proof",
	   places);
	fill_lanes(60);
	strange += run_all() != 1;
	full = script.last[script.jobs % 2].height;
	for (unsigned launch = 0; launch < 2; launch++) {
		for (unsigned lane = 0; lane < 9; lane++)
			chains_fill(&chains, lane, &three, 1, false);
		strange += run_all() != 1;
		strange += (script.last[script.jobs % 2].height == full) !=
			   (launch == 0);
	}
	ok(strange == 0, "a proof has all rows of the launch before, too");
	chains_close(&chains);
}

/* A lane in which a message of n blocks begins. */
static void
fill_all(unsigned lanes, uint32_t n)
{
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		chains_fill(&chains, lane, &n, lane < lanes, true);
}

/* After much work a short launch is followed by a test, which is a job. */
static void
test_again(void)
{
	static const struct {
		enum script_fault fault;
		const char *what;
		bool is_good;
	} rows[] = { { SCRIPT_NO_FAULT, "that is right", true },
		     { SCRIPT_NOTHING, "that is lost", true },
		     { SCRIPT_CONSTANT, "that is wrong", false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned before, done = 0;
		bool good;

		script_reset();
		begin(24, CHAINS_BLOCKS);
		fill_all(9, 3);
		before = script.jobs;
		good = run_all() == 1 && script.jobs - before == 2;
		fill_all(chains.lanes, CHAINS_BLOCKS);
		before = script.jobs;
		good = good && run_all() == 1 && script.jobs - before == 3;
		script.fault = rows[i].fault;
		script.fault_at = script.jobs + 3;
		fill_all(9, 3);
		before = script.jobs;
		ok(good && chains_step(&chains) == rows[i].is_good &&
			   script.jobs - before >= 3,
		   "a launch that is short has a test, %s, if much was done "
		   "before it",
		   rows[i].what);
		for (unsigned lane = 0; lane < chains.lanes; lane++)
			done += chains.batches[lane / 6].done[lane % 6];
		ok((done > 0) == rows[i].is_good && chains.wrong == 0,
		   "after a test %s the launch counts as %s", rows[i].what,
		   rows[i].is_good ? "done" : "failed");
		if (rows[i].is_good) {
			fill_all(9, 3);
			before = script.jobs;
			ok(run_all() == 1 && script.jobs - before == 2,
			   "the launch after it has none");
		}
		chains_close(&chains);
	}
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
	script_reset();
	script.most_programs = 1;
	begin(12, 4);
	fill_lanes(4);
	ok(engine_scripted.submit(chains.self, chains.batches,
				  chains.limits.batches,
				  &chains.why) == ENGINE_REFUSED,
	   "a device without room for its programs is refused");
	is(chains.why.text, "no program", "the device's reason is told");
	chains_close(&chains);
}

int
main(void)
{
	engine_scripted = scripted_engine();
	rig_open();
	test_lengths(false);
	test_lengths(true);
	test_loads();
	test_elsewhere();
	test_buffers();
	test_retries(SCRIPT_NOTHING, "is lost");
	test_retries(SCRIPT_LATE, "ends late");
	test_retries(SCRIPT_EARLY, "is said to have ended early");
	test_caches();
	test_places();
	test_again();
	test_picture();
	test_failures();
	test_pipeline();
	test_shortage();
	return tap_done();
}
