/* SPDX-License-Identifier: MIT */
/*
 * Promise: an engine of QPUs asks its device for as much memory as is
 * available, for launches of the greatest length allowed, and for a restart
 * where that helps; no result of a failed launch is used.
 */
#include "config.h"

#include "qpu/pi/emulated.h"
#include "qpu/sha/engine_qpu.h"

#include <errno.h>
#include <pthread.h>

#include "cpu/sha256.h"
#include "qpu/sha/lanes_launch.h"
#include "qpu/sha/launcher.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	QPUS = 2,
	BYTES = 700 * SHA256_BLOCK_BYTES,
	EVENTS = 64,
	RUNS = 32,
	TESTS = 5 /* launches of a test of the device */
};

/* The emulator, what was asked of it, and where it is to fail. */
static struct {
	unsigned nallocs, nruns, nrestarts, npublished;
	uint32_t published[EVENTS];
	size_t most_bytes;		  /* of an allocation; 0 for any */
	unsigned fail_from;		  /* allocations; 0 = none */
	enum device_status results[RUNS]; /* of each launch */
	double launch_ms; /* each launch takes so long; 0 = as modelled */
	double busy_ms, expected_ms;
	bool no_restart;
	pthread_t thread; /* of the last launch */
} world;

static struct way device;
static const struct engine_qpu_context context = { &launcher_lanes,
						   .way = &device };
static struct engine engine;
static struct engine_limits limits;
static struct engine_lane lanes[QPUS * KERNEL_LANES];
static struct diag why;
static void *self;

static bool
alloc(void *emu, size_t bytes, struct way_memory *memory, struct diag *why_not)
{
	world.nallocs++;
	if ((world.fail_from && world.nallocs >= world.fail_from) ||
	    (world.most_bytes && bytes > world.most_bytes)) {
		diag_set(why_not, "no memory");
		return false;
	}
	return way_emulated.alloc(emu, bytes, memory, why_not);
}

static void
publish(void *emu, const struct way_memory *memory)
{
	(void)emu;
	world.published[world.npublished++ % EVENTS] = memory->bus;
}

static enum device_status
submit(void *emu, const struct way_job *job, uint64_t *ticket,
       struct diag *why_not)
{
	const enum device_status result = world.results[world.nruns % RUNS];

	diag_set(why_not, "launch %u", world.nruns++);
	world.expected_ms = job->expected_ms;
	world.thread = pthread_self();
	world.busy_ms += world.launch_ms;
	return result != DEVICE_OK ?
		       result :
		       way_emulated.submit(emu, job, ticket, why_not);
}

static bool
restart(void *emu, struct diag *why_not)
{
	(void)emu;
	(void)why_not;
	world.nrestarts++;
	return !world.no_restart;
}

static void
totals(void *emu, struct device_totals *totals)
{
	way_emulated.totals(emu, totals);
	if (world.launch_ms > 0)
		totals->busy_ms = world.busy_ms;
}

/* A device that works, until a case changes that. */
static void
reset(void)
{
	fault_clear();
	memset(&world, 0, sizeof(world));
	memset(lanes, 0, sizeof(lanes));
	memset(&limits, 0, sizeof(limits));
	device = way_emulated;
	device.alloc = alloc;
	device.publish = publish;
	device.submit = submit;
	device.restart = restart;
	device.totals = totals;
	engine = engine_emulator;
	engine.context = &context;
}

static void
open_engine(void)
{
	self = engine_open(&engine, "qpus=2", &limits, &why);
	if (!self)
		exit(99);
}

/* Put n blocks of a message that goes on into a lane. */
static void
put(unsigned lane, uint8_t *data, uint32_t blocks)
{
	memcpy(lanes[lane].state, sha256_initial, sizeof(sha256_initial));
	lanes[lane].data = data;
	lanes[lane].nblocks = blocks;
}

static enum engine_status
step(void)
{
	enum engine_status status =
		engine.submit(self, lanes, QPUS * KERNEL_LANES, &why);

	return status == ENGINE_OK ? engine.wait(self, &why) : status;
}

static void
test_open(void)
{
	static const struct {
		unsigned segments, nallocs; /* 0 if none are enough */
	} rows[] = { { 512, 4 }, { 32, 8 }, { 8, 10 }, { 7, 7 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reset();
		world.most_bytes = lanes_bytes(QPUS, rows[i].segments);
		open_engine();
		ok(world.nallocs == rows[i].nallocs &&
			   world.nruns == (rows[i].segments >= 8 ? TESTS : 0),
		   "a launch of %u segments, and three times as much besides, "
		   "has to fit",
		   rows[i].segments);
		if (rows[i].segments < 8)
			ok(step() == ENGINE_REFUSED &&
				   strcmp(why.text, "no memory") == 0,
			   "too little memory is told by the device");
		engine.close(self);
	}
	reset();
	open_engine();
	ok(limits.lanes == QPUS * KERNEL_LANES && limits.chained == 512 &&
		   limits.slack_bytes == 144 &&
		   limits.piece_bytes == (4 << 20) - 33280,
	   "the engine tells its limits");
	engine.close(self);
}

static void
test_refused(void)
{
	struct facts stats = { .n = 0 };

	reset();
	ok(!engine_open(&engine, "qpus=99", &limits, &why) &&
		   strstr(why.text, "'qpus=99'") && limits.lanes == 0 &&
		   !engine_open(&engine, "qpus=99", &limits, NULL),
	   "a device that does not open tells why, and sets no limits");
	world.fail_from = 1;
	open_engine();
	engine.stats(self, &stats);
	ok(stats.n == 0, "a device without memory has no figures");
	engine.close(self);
}

/* The next launch lasts 50 ms, if it is as fast as the one before. */
static void
test_lengths(void)
{
	/* The test is 16 blocks long, and launches cost as much as 6. */
	static const struct {
		double ms;
		uint32_t blocks;
	} rows[] = { { 0.5, 512 }, { 2.148, 512 }, { 2.149, 511 }, { 22, 50 },
		     { 220, 5 },   { 550, 2 },	   { 551, 1 },	   { 9000, 1 } };
	uint8_t *data;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const double expected = (rows[i].blocks + 1) * rows[i].ms / 16;

		reset();
		world.launch_ms = rows[i].ms;
		open_engine();
		data = engine.alloc(self, BYTES);
		put(3, data, 700);
		step();
		ok(lanes[3].done == rows[i].blocks &&
			   world.expected_ms > 0.999 * expected &&
			   world.expected_ms < 1.001 * expected,
		   "a test of %g ms: launches of %u blocks", rows[i].ms,
		   (unsigned)rows[i].blocks);
		/* 50 blocks in 22 ms make 129, and these in 190 ms make 35. */
		if (rows[i].blocks == 50) {
			world.launch_ms = 190;
			step();
			step();
			ok(lanes[3].done == 35,
			   "a launch is as long as the one before it allows");
		}
		engine.free(self, data, BYTES);
		engine.close(self);
	}
}

/* A launch that is planned anew hashes what its sample was taken of, although
 * the device has become faster. */
static void
test_same_length(void)
{
	uint8_t *data;

	reset();
	world.launch_ms = 22;
	world.results[TESTS] = DEVICE_TIMEOUT;
	open_engine();
	world.launch_ms = 0.5;
	data = engine.alloc(self, BYTES);
	put(3, data, 700);
	ok(step() == ENGINE_OK && lanes[3].done == 50,
	   "a launch that is tried again is as long as it was");
	engine.free(self, data, BYTES);
	engine.close(self);
}

/* Each launch has the same cost, whatever it hashes. */
static void
test_fixed_cost(void)
{
	uint8_t *data;
	unsigned launches = 0;

	reset();
	world.launch_ms = 100;
	open_engine();
	data = engine.alloc(self, BYTES);
	for (unsigned done = 0; done < 512 && launches < 20; launches++) {
		put(3, data, 700);
		step();
		done = lanes[3].done;
	}
	ok(launches < 20,
	   "launches that take long whatever they hash get more blocks: 512 in "
	   "launch %u",
	   launches);
	engine.free(self, data, BYTES);
	engine.close(self);
}

static void
test_publish(void)
{
	uint8_t *data[3];
	uint32_t own;

	reset();
	open_engine();
	own = world.published[0];
	for (unsigned i = 0; i < 3; i++)
		data[i] = engine.alloc(self, BYTES);
	put(0, data[0], 2);
	put(15, data[2] + 640, 2);
	world.npublished = 0;
	step();
	ok(world.npublished == 3 && world.published[0] == own &&
		   world.published[1] != own && world.published[2] != own &&
		   world.published[2] != world.published[1],
	   "memory of the launch and of its lanes is published, no other");
	put(0, data[0], 0);
	put(15, data[2], 0);
	ok(step() == ENGINE_OK && world.nruns == TESTS + 1,
	   "without blocks no launch is made");
	device.publish = NULL;
	put(0, data[0], 2);
	ok(step() == ENGINE_OK && lanes[0].done == 2,
	   "a device may need no publishing");
	for (unsigned i = 0; i < 3; i++)
		engine.free(self, data[i], BYTES);
	engine.close(self);
}

static void
test_buffers(void)
{
	static uint8_t *buffers[209], elsewhere[SHA256_BLOCK_BYTES];
	unsigned n = 0;

	reset();
	fault_at(FAULT_pthread_create, 1, EAGAIN);
	open_engine();
	while (n < 209 && (buffers[n] = engine.alloc(self, 64)) != NULL)
		n++;
	ok(n == 208, "there are 208 buffers");
	engine.free(self, buffers[100], 64);
	ok(engine.alloc(self, 64) != NULL && !engine.alloc(self, 64),
	   "a buffer that was freed makes room for another");
	put(0, buffers[207], 1);
	ok(step() == ENGINE_OK && lanes[0].done == 1 &&
		   pthread_equal(world.thread, pthread_self()),
	   "the last buffer can be read, also where no thread can be had");
	put(3, elsewhere, 1);
	ok(step() == ENGINE_REFUSED && world.nruns == TESTS + 1 &&
		   lanes[3].done == 0 &&
		   strcmp(why.text, "data lie outside of its memory") == 0,
	   "data outside of the device's memory are refused before a launch");
	engine.close(self);
}

/* A launch that fails, and what is done then. */
static const struct failure {
	const char *name;
	enum device_status
		results[2 + TESTS]; /* of the launches after the test */
	bool no_restart;
	enum engine_status status;
	const char *text;
} failures[] = {
	{ "time-out", { DEVICE_TIMEOUT }, true, ENGINE_TIMEOUT, "launch 5" },
	{ "refusal", { DEVICE_REFUSED }, true, ENGINE_REFUSED, "launch 5" },
	{ "fault", { DEVICE_FAULT }, false, ENGINE_FAULT, "launch 5" },
	{ "time-out and restart", { DEVICE_TIMEOUT }, false, ENGINE_OK, "" },
	{ "refusal and restart", { DEVICE_REFUSED }, false, ENGINE_OK, "" },
	{ "a test that fails after it",
	  { DEVICE_TIMEOUT, DEVICE_FAULT },
	  false,
	  ENGINE_TIMEOUT,
	  "launch 5; after a restart: launch 6" },
	{ "a launch that fails again",
	  { DEVICE_TIMEOUT, [1 + TESTS] = DEVICE_REFUSED },
	  false,
	  ENGINE_REFUSED,
	  "launch 11" },
};

static void
test_failure(const struct failure *failure)
{
	uint32_t right[SHA256_STATE_WORDS];
	const bool is_done = failure->status == ENGINE_OK;
	uint8_t *data, *more;
	unsigned nruns;

	reset();
	world.no_restart = failure->no_restart;
	memcpy(&world.results[TESTS], failure->results,
	       sizeof(failure->results));
	open_engine();
	data = engine.alloc(self, BYTES);
	memset(data, 1, BYTES);
	put(4, data, 9);
	diag_set(&why, "%s", "");
	ok(step() == failure->status && strcmp(why.text, failure->text) == 0,
	   "%s: status and reason", failure->name);
	ok(world.nrestarts == (failure->status != ENGINE_FAULT),
	   "%s: a device is restarted once, and not after a fault",
	   failure->name);
	memcpy(right, sha256_initial, sizeof(right));
	if (is_done)
		sha256_blocks(right, data, 9);
	ok(lanes[4].done == (is_done ? 9 : 0) &&
		   memcmp(lanes[4].state, right, sizeof(right)) == 0,
	   "%s: %s", failure->name,
	   is_done ? "the launch is done in the end" : "nothing is done");
	nruns = world.nruns;
	if (!is_done) {
		ok(step() == failure->status &&
			   engine.submit(self, lanes, QPUS * KERNEL_LANES,
					 NULL) == failure->status &&
			   engine.wait(self, NULL) == failure->status &&
			   world.nruns == nruns,
		   "%s: the device is not used again", failure->name);
		world.fail_from = 1;
		more = engine.alloc(self, 4097);
		ok(more && (uintptr_t)more % 4096 == 0,
		   "%s: buffers are the CPU's", failure->name);
		memset(more, 1, 8192);
		engine.free(self, more, 4097);
	}
	engine.free(self, data, BYTES);
	engine.close(self);
}

/* A launch of the first test fails, the last or the first one. */
static void
test_first_test(void)
{
	static const struct {
		unsigned launch;
		enum device_status result;
		const char *why;
		bool is_healed;
	} rows[] = {
		{ 0, DEVICE_REFUSED, "launch 0", true },
		{ 4, DEVICE_TIMEOUT, "launch 4", true },
		{ 4, DEVICE_FAULT, "launch 4", false },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct facts stats = { .n = 0 };

		reset();
		world.results[rows[i].launch] = rows[i].result;
		open_engine();
		engine.stats(self, &stats);
		ok(world.nrestarts == rows[i].is_healed &&
			   (step() == ENGINE_OK) == rows[i].is_healed &&
			   engine.healed(self, &why) == rows[i].is_healed &&
			   strcmp(why.text, rows[i].why) == 0,
		   "a first test that fails is repeated after a restart, and "
		   "told, unless answers were wrong");
		ok(stats.n > 3 && stats.rows[3].value == 1 &&
			   strcmp(facts_label(&stats, &stats.rows[3]),
				  "self-tests that failed") == 0,
		   "a test that failed is counted");
		engine.close(self);
	}
	reset();
	world.results[0] = DEVICE_TIMEOUT;
	device.restart = NULL;
	open_engine();
	ok(step() == ENGINE_TIMEOUT && world.nruns == 1,
	   "a device without a restart is not used after a first test that "
	   "failed");
	engine.close(self);
}

/* The self-tests are no work. */
static void
test_figures(void)
{
	struct facts stats = { .n = 0 };
	uint8_t *data;

	reset();
	world.results[TESTS + 1] = DEVICE_TIMEOUT;
	open_engine();
	data = engine.alloc(self, BYTES);
	put(0, data, 20);
	put(1, data + 30 * SHA256_BLOCK_BYTES, 20);
	ok(step() == ENGINE_OK && !pthread_equal(world.thread, pthread_self()),
	   "a launch is done on another thread than its owner's");
	lanes[KERNEL_LANES + 5].data = data + 60 * SHA256_BLOCK_BYTES;
	lanes[KERNEL_LANES + 5].nblocks = 10;
	put(0, data, 10);
	put(1, data, 0);
	ok(step() == ENGINE_OK && world.nruns == 2 * TESTS + 3,
	   "a launch that timed out is done after a test");
	engine.stats(self, &stats);
	ok(stats.n > 4 && stats.rows[0].value == 2 &&
		   stats.rows[1].value == 2 && stats.rows[2].value == 60,
	   "launches and blocks without those of tests");
	/* The test after the failure, of 160 blocks and all sums of 16 bits, is
	 * counted here. */
	ok(stats.rows[3].value > 1500 && stats.rows[3].value < 15000,
	   "instructions for each block of 16 lanes");
	/* Launches of 21 and 11 blocks. */
	ok(stats.rows[4].value == 100.0 * 60 / ((21 + 11) * 2 * 16),
	   "room of all lanes, also of QPUs that have nothing to do");
	engine.free(self, data, BYTES);
	engine.close(self);
}

/* Spoil a result that no check of a launch shows; only the sample on the CPU
 * does. */
static void
collect_wrong(void *launches, struct engine_lane *of)
{
	launcher_lanes.collect(launches, of);
	of[4].state[5] ^= 0x100;
}

static void
test_sample(void)
{
	struct launcher lying = launcher_lanes;
	uint8_t *data;

	reset();
	lying.collect = collect_wrong;
	engine.context =
		&(const struct engine_qpu_context){ &lying, .way = &device };
	open_engine();
	data = engine.alloc(self, BYTES);
	put(4, data, 9);
	ok(step() == ENGINE_FAULT && lanes[4].done == 0,
	   "a wrong hash value that only a sample shows is a fault");
	is(why.text,
	   "launch 1: the CPU has another hash value of a message, in lane "
	   "4",
	   "the launch is named, so that one knows which came before");
	engine.free(self, data, BYTES);
	engine.close(self);
}

static void
test_speed(void)
{
	struct engine_speed speed;
	struct facts details = { .n = 0 };

	engine_emulator.speed(engine_emulator.context, &speed);
	ok(speed.lanes == 192 && speed.device_rate == 519.6e6 &&
		   speed.core_rate == 70e6 && speed.copy_rate == 1100e6,
	   "the emulator is expected to be a Pi 3 at 300 MHz");
	engine_emulated_tiles.speed(engine_emulated_tiles.context, &speed);
	ok(speed.lanes == 186 && speed.device_rate == 385.2e6,
	   "in tiles it has 186 lanes and hashes 385 MB a second");
	engine_emulator.details(engine_emulator.context, &details);
	ok(details.n == 0 && engine_probe(&engine_emulator, &why),
	   "nothing is in its way, and nothing is known of it");
}

int
main(void)
{
	test_open();
	test_refused();
	test_lengths();
	test_same_length();
	test_fixed_cost();
	test_publish();
	test_buffers();
	for (unsigned i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		test_failure(&failures[i]);
	test_first_test();
	test_figures();
	test_sample();
	test_speed();
	return tap_done();
}
