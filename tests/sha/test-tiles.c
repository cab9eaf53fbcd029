/* SPDX-License-Identifier: MIT */
/*
 * Promise: an engine of tiles fills threads nearly, leaves a desktop its time,
 * and tries again what was lost or late.
 *
 * The device is the emulated one.  What it is asked for is counted, and one of
 * its jobs ends as the test wants it.
 */
#include "config.h"

#include <math.h>

#include "qpu/kernel/pair.h"
#include "qpu/pi/emulated.h"
#include "qpu/sha/launcher.h"
#include "qpu/sha/tiles_launch.h"
#include "tests/sha/chains.h"
#include "tests/support/tap.h"

/* Outcomes of a job. */
enum fate {
	RUNS,
	LOST,	 /* it is said to have ended, and does not run */
	EARLY,	 /* the same, but it runs with the job after it */
	LATE,	 /* it ends after the wait for it was given up */
	TIMEOUT, /* it does not end */
	REFUSED, /* it is not taken */
	FAULT	 /* it breaks a rule of the hardware */
};

static struct {
	/* Set by a test. */
	enum fate fate;
	unsigned fate_at;  /* number of the job, from 1 */
	bool lasts;	   /* all jobs after it have the same fate */
	bool is_shuffled;  /* pixels report wrong threads */
	bool is_mirrored;  /* and wrong places */
	bool unscheduled;  /* the kernel has no section that is kept */
	unsigned queue_ms; /* the queue may take this long */
	/* Seen. */
	size_t bytes; /* of memory */
	unsigned jobs, queued, most_queued;
	double ms, most_ms; /* of all jobs; of one */
	unsigned delays;    /* draws whose threads begin one after the other */
	/* The results of the job that shows threads, until it has ended; the
	 * newest one; that with another fate; and whether it was given up. */
	uint32_t *picture;
	uint64_t newest, fated;
	bool is_late;
} world;

enum { RETRIES = 8 }; /* of a process */

static struct way device;
static struct engine engine;
static struct chains chains;

/* The device ---------------------------------------------------------------- */

static bool
take_memory(void *self, size_t bytes, struct way_memory *memory,
	    struct diag *why_not)
{
	if (!way_emulated_tiles.alloc(self, bytes, memory, why_not))
		return false;
	world.bytes += memory->bytes;
	return true;
}

static void
give_memory(void *self, const struct way_memory *memory)
{
	world.bytes -= memory->bytes;
	way_emulated_tiles.free(self, memory);
}

/* Take, in the place of the kernel, what qpuasm -O makes of pair_rounds.m4. */
static bool
load(void *self, const uint64_t *code, size_t n, struct way_program *program,
     struct diag *why_not)
{
	static const uint64_t words[] = {
#include "tests/kernel/unscheduled-pair.words"
	};

	if (world.unscheduled && code == pair_code) {
		code = words;
		n = sizeof(words) / sizeof(*words);
	}
	return way_emulated_tiles.load(self, code, n, program, why_not);
}

static void
note_job(const struct tile_job *job)
{
	unsigned delay = 0;

	while (pair_uniforms[delay].kind != PAIR_UNIFORM_DELAY)
		delay++;
	if (job->draws->program->uniforms != pair_nuniforms)
		world.picture = job->results->cpu;
	for (unsigned i = 0; !world.picture && i < job->ndraws; i++)
		world.delays += job->draws[i].uniforms[delay] > 0;
}

static enum device_status
submit(void *self, const struct way_job *job, uint64_t *ticket,
       struct diag *why_not)
{
	enum device_status status = DEVICE_OK;
	bool has_fate;

	world.jobs++;
	has_fate = world.fate != RUNS &&
		   (world.lasts ? world.jobs >= world.fate_at :
				  world.jobs == world.fate_at);
	if (has_fate && world.fate == REFUSED) {
		diag_set(why_not, "a job was refused");
		return DEVICE_REFUSED;
	}
	note_job(&job->tiles);
	*ticket = world.newest;
	if (!has_fate || world.fate != LOST)
		status = way_emulated_tiles.submit(self, job, ticket, why_not);
	world.newest = *ticket;
	if (has_fate)
		world.fated = *ticket;
	if (++world.queued > world.most_queued)
		world.most_queued = world.queued;
	return status;
}

/* Spoil that job's report of threads and places. */
static void
change_picture(uint32_t *tile)
{
	for (unsigned t = 0; t < SHAPE_ROWS; t++, tile += TILE_BYTES / 4)
		for (unsigned pair = 0; pair < (t + 1) * SHAPE_ROW_PAIRS;
		     pair++) {
			const unsigned quads = (t + 1) * SHAPE_ROW_PAIRS / 2;

			/* 7 has no factor in common with most numbers. */
			if (world.is_shuffled)
				tile[shape_word(pair, 2)] =
					pair / 2 * 7 % quads / 4;
			tile[shape_word(pair, 3)] ^= world.is_mirrored;
		}
}

static enum device_status
wait_for(void *self, uint64_t ticket, unsigned timeout_ms, struct diag *why)
{
	const bool has_fate = ticket == world.fated && world.fated;
	struct device_totals totals;
	enum device_status status;

	/* The kernel may take so long to end another program's job. */
	if (timeout_ms < 4000)
		exit(99);
	world.queued -= world.queued > 0;
	if (has_fate && world.fate == EARLY) {
		world.fated = 0;
		return DEVICE_OK;
	}
	if (has_fate && world.fate >= LATE && !world.is_late) {
		world.is_late = world.fate == LATE;
		diag_set(why, "a job does not end, or breaks a rule");
		return world.fate == FAULT ? DEVICE_FAULT : DEVICE_TIMEOUT;
	}
	if (world.is_late)
		world.queued = 0;
	world.is_late = false;
	status = way_emulated_tiles.wait(self, ticket, timeout_ms, why);
	way_emulated_tiles.totals(self, &totals);
	world.most_ms = fmax(world.most_ms, totals.busy_ms - world.ms);
	world.ms = totals.busy_ms;
	if (world.picture)
		change_picture(world.picture);
	world.picture = NULL;
	return status;
}

static void
totals(void *self, struct device_totals *totals)
{
	way_emulated_tiles.totals(self, totals);
	totals->queue_ms = world.queue_ms;
}

static const struct engine_qpu_context context = { &launcher_tiles,
						   .way = &device };

/* A device that does what it should, until a case changes that. */
static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.queue_ms = 40;
	device = way_emulated_tiles;
	device.alloc = take_memory;
	device.free = give_memory;
	device.load = load;
	device.submit = submit;
	device.wait = wait_for;
	device.totals = totals;
	engine = engine_emulated_tiles;
	engine.context = &context;
}

static void
begin(const char *words, uint64_t seed, unsigned blocks)
{
	if (chains_open(&chains, &engine, words, seed, blocks))
		return;
	printf("Bail out! %s\n", chains.why.text);
	exit(99);
}

static enum engine_status
step(void)
{
	const enum engine_status status = engine.submit(
		chains.self, chains.lanes, chains.limits.lanes, &chains.why);

	return status == ENGINE_OK ? engine.wait(chains.self, &chains.why) :
				     status;
}

/* Loads --------------------------------------------------------------------- */

/* Lanes of random messages, some idle, some that go on. */
static void
fill_lanes(uint32_t room_most)
{
	for (unsigned lane = 0; lane < chains.limits.lanes; lane++) {
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

/* Pixels that report wrong threads cost time only. */
static void
test_threads(void)
{
	reset();
	world.is_shuffled = true;
	begin("", 2, 60);
	fill_lanes(60);
	ok(run_all() > 0 && chains.wrong == 0 && chains.messages > 100 &&
		   chains.touched == 0,
	   "messages have their hash values, whichever pixels share a thread");
	chains_close(&chains);
}

/* make search begins with the kernel's unscheduled sections. */
static void
test_unscheduled(void)
{
	reset();
	world.unscheduled = true;
	begin("", 3, 30);
	fill_lanes(30);
	ok(run_all() > 0 && chains.wrong == 0 && chains.messages > 100,
	   "the kernel as qpuasm -O schedules it makes the same hash values");
	chains_close(&chains);
}

/* Lanes with n messages each, and what their launches cost. */
struct load {
	const char *what;
	unsigned lanes, n;
	uint32_t blocks, spread; /* of a message: at least, and more */
	bool go_on;		 /* the last ones of every other lane */
	unsigned queue_ms;	 /* that the device allows */
	/* Launches, jobs, draws with a delay; occupied lanes in percent,
	 * instructions per block of eight lanes. */
	const char *cost;
};

static void
fill_load(const struct load *load)
{
	static uint32_t lengths[CHAINS_BLOCKS];

	for (unsigned lane = 0; lane < chains.limits.lanes; lane++) {
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
	unsigned launches, jobs;
	char cost[128];

	reset();
	world.queue_ms = load->queue_ms;
	begin("", 11, CHAINS_BLOCKS);
	fill_load(load);
	jobs = world.jobs;
	world.most_ms = 0;
	launches = run_all();
	ok(launches > 0 && chains.wrong == 0, "%s have their hash values",
	   load->what);
	ok(world.most_queued == 2 && 2 * world.most_ms <= load->queue_ms,
	   "a frame that is drawn meanwhile waits for two jobs of %.2f ms each, "
	   "of %u ms, and one is always ready",
	   world.most_ms, load->queue_ms);
	snprintf(cost, sizeof(cost), "%u %u %u, %.1f %.0f", launches,
		 world.jobs - jobs, world.delays,
		 chains_figure(&chains, "lane occupancy"),
		 chains_figure(&chains, "instructions per block of 8 lanes"));
	is(cost, load->cost, "%s cost what was planned", load->what);
	ok(!chains_step(&chains) && chains.wrong == 0 &&
		   chains_figure(&chains, "launches") == launches,
	   "a step without blocks after them is no launch and no failure");
	chains_close(&chains);
}

static void
test_loads(void)
{
	static const struct load loads[] = {
		{ "messages of one block, more than fit into a launch,", 186,
		  250, 1, 0, false, 40, "2 10 0, 95.3 1204" },
		{ "parts of long messages in all lanes", 186, 1, 512, 0, true,
		  40, "1 4 2, 96.5 1085" },
		{ "long messages beside a desktop", 186, 1, 250, 0, true, 8,
		  "1 6 4, 96.1 1096" },
		{ "short messages in jobs of a millisecond", 186, 18, 7, 0,
		  true, 2, "1 9 0, 95.4 1111" },
		{ "two messages in few lanes", 7, 2, 3, 200, true, 40,
		  "1 3 1, 7.4 1135" },
	};

	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		test_load(&loads[i]);
}

static void
test_buffers(void)
{
	struct engine_limits limits = { .lanes = 0 };
	struct diag why;
	void *self, *one, *other;
	size_t before;

	reset();
	self = engine_open(&engine, "", &limits, &why);
	before = world.bytes;
	for (unsigned parts = 1; parts <= 2; parts++) {
		const size_t bytes = ((12 << 20) - (32 << 10)) / parts;

		one = engine.alloc(self, bytes);
		other = engine.alloc(self, bytes);
		ok(one && !other == (parts == 1) && !engine.alloc(self, 1),
		   "%u buffers have all memory for buffers, and another one "
		   "has none",
		   parts);
		memset(one, 1, bytes);
		if (other)
			engine.free(self, other, bytes);
		engine.free(self, one, bytes);
		ok(world.bytes == before, "%u buffers are given back", parts);
	}
	engine.close(self);
}

/* Check the messages if a device fails its test (from job 2 on), or the first
 * launch (job 6). */
static void
test_failures(void)
{
	static const struct {
		const char *words;
		enum fate fate;
		unsigned at;
		bool lasts;
		enum engine_status status;
		const char *why;
	} rows[] = {
		{ "fault=lane@4-", RUNS, 4, false, ENGINE_FAULT,
		  "the GPU's answers are wrong" },
		{ "", REFUSED, 2, true, ENGINE_REFUSED, "a job was refused" },
		{ "", LOST, 6, true, ENGINE_FAULT,
		  "the GPU has not stored all of its results" },
		{ "fault=lane@6-", RUNS, 6, false, ENGINE_FAULT,
		  "the GPU's answers are wrong" },
		{ "", TIMEOUT, 6, true, ENGINE_TIMEOUT,
		  "a job does not end, or breaks a rule" },
		{ "", FAULT, 6, true, ENGINE_FAULT,
		  "a job does not end, or breaks a rule" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reset();
		world.fate = rows[i].fate;
		world.fate_at = rows[i].at;
		world.lasts = rows[i].lasts;
		begin(rows[i].words, 20, 30);
		fill_lanes(30);
		ok(step() == rows[i].status &&
			   strcmp(chains.why.text, rows[i].why) == 0,
		   "a failure of job %u has its reason: %s", rows[i].at,
		   chains.why.text);
		chains_close(&chains);
	}
}

/* Step with a job that has this fate, the next one. */
static bool
step_with(enum fate fate)
{
	world.fate = fate;
	world.fate_at = world.jobs + 1;
	fill_lanes(8);
	return chains_step(&chains);
}

/* A job that is lost, or ends after it was given up, as when another program
 * has hung the GPU, is done again. */
static void
test_retries(enum fate fate, unsigned launches, const char *what)
{
	unsigned good = 0;

	reset();
	begin("", 21, 30);
	for (unsigned i = 0; i < launches; i++) {
		good += step_with(fate);
		good += run_all() > 0 || !chains_left(&chains);
	}
	ok(good == 2 * launches,
	   "a launch that %s is repeated, and the device used afterwards",
	   what);
	if (launches == RETRIES)
		ok(!step_with(fate), "the ninth one of a process is not");
	ok(chains.wrong == 0,
	   "nothing of a launch that %s is taken for a result", what);
	chains_close(&chains);
}

/* A lane in which a message of n blocks begins. */
static void
fill_all(unsigned lanes, uint32_t n)
{
	for (unsigned lane = 0; lane < chains.limits.lanes; lane++)
		chains_fill(&chains, lane, &n, lane < lanes, true);
}

/* After much work a short launch is followed by a test, which is a job, and here is
 * lost and repeated. */
static void
test_again(void)
{
	unsigned before;
	bool good;

	reset();
	begin("", 24, CHAINS_BLOCKS);
	fill_all(9, 3);
	before = world.jobs;
	good = run_all() == 1 && world.jobs - before == 3;
	fill_all(chains.limits.lanes, 390);
	before = world.jobs;
	good = good && run_all() == 1 && world.jobs - before == 4;
	world.fate = LOST;
	world.fate_at = world.jobs + 4;
	fill_all(9, 3);
	before = world.jobs;
	ok(good && run_all() == 1 && world.jobs - before > 4 &&
		   chains.wrong == 0,
	   "a launch that is short has a test if much was done before it");
	fill_all(9, 3);
	before = world.jobs;
	ok(run_all() == 1 && world.jobs - before == 3,
	   "the launch after it has none");
	chains_close(&chains);
}

static void
test_picture(void)
{
	const uint32_t one = 1;

	reset();
	world.is_mirrored = true;
	begin("", 10, 4);
	chains_fill(&chains, 0, &one, 1, false);
	ok(step() == ENGINE_FAULT && chains.lanes[0].done == 0,
	   "a device whose pixels are elsewhere is not used");
	is(chains.why.text, "the GPU's test picture is wrong",
	   "pixels that are elsewhere are told");
	chains_close(&chains);
	reset();
	world.fate = LOST;
	world.fate_at = 1;
	begin("", 10, 4);
	chains_fill(&chains, 0, &one, 1, false);
	ok(step() == ENGINE_OK && chains.lanes[0].done == 1,
	   "a test picture that is lost is drawn again");
	chains_close(&chains);
}

int
main(void)
{
	test_threads();
	test_unscheduled();
	test_loads();
	test_buffers();
	test_retries(LOST, RETRIES, "is lost");
	test_retries(LATE, 2, "ends late");
	test_retries(EARLY, 2, "is said to have ended early");
	test_again();
	test_picture();
	test_failures();
	return tap_done();
}
