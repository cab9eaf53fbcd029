/* SPDX-License-Identifier: MIT */
/*
 * Promise: what an engine of QPUs asks of its device, step by step: memory,
 * launches and how long they last, what was written, restarts; and what
 * becomes of its batches when a launch fails.
 */
#include "config.h"

#include "qpu/sha/engine_qpu.h"

#include <errno.h>

#include "cpu/sha256.h"
#include "qpu/sha/lanes_launch.h"
#include "tests/sha/device-double.h"
#include "tests/support/tap.h"

/* What the device is asked for a test. */
#define TESTED "pxpxpxpxpx"

static void
test_open(void)
{
	bool good = true;

	reset();
	open_engine();
	is(world.events, "aaaauuu" TESTED,
	   "three buffers have to fit besides the memory of a launch, and go back "
	   "unused");
	for (unsigned i = 0; i < 4; i++)
		good = good && world.bytes[i] == lanes_bytes(QPUS, 512);
	ok(good, "all four buffers are as large as a launch of 512 segments");
	ok(world.programs == QPUS && world.expected_ms[0] == 0 &&
		   world.timeout_ms == 1000,
	   "the test has a program for each QPU, and a second");
	ok(limits.batches == QPUS && limits.lanes == 16 &&
		   limits.chained == 512 && limits.slack_bytes == 336 &&
		   limits.piece_bytes == (4 << 20) - 33280,
	   "the engine tells its limits");
	engine.close(self);

	reset();
	world.most_bytes = lanes_bytes(QPUS, 32);
	open_engine();
	ok(world.nallocs == 8 && world.bytes[3] == lanes_bytes(QPUS, 64) &&
		   world.bytes[4] == lanes_bytes(QPUS, 32) &&
		   world.nruns == TESTS,
	   "segments are halved until there is memory");
	engine.close(self);

	reset();
	world.most_bytes = lanes_bytes(QPUS, 8);
	open_engine();
	ok(world.nallocs == 10 && world.nruns == TESTS,
	   "a launch may have as few as 8 segments");
	engine.close(self);

	reset();
	world.most_bytes = lanes_bytes(QPUS, 8) - 1;
	open_engine();
	ok(world.nallocs == 7 && world.nruns == 0 && step() == ENGINE_REFUSED,
	   "a launch with fewer than 8 segments is refused");
	is(why.text, "no memory",
	   "the reason for want of memory is the device's");
	engine.close(self);

	for (unsigned at = 3; at <= 4; at++) {
		reset();
		world.fail_from = at;
		open_engine();
		ok(world.nruns == 0 &&
			   strncmp(world.events,
				   at == 3 ? "aaauuaaaaa" : "aaaauuuaaa",
				   7) == 0,
		   "%u pieces are given back where one more cannot be had",
		   at - 1);
		engine.close(self);
	}
}

static bool
last_alloc(void *emu, size_t bytes, struct device_memory *memory,
	   struct diag *why_not)
{
	const bool good = step_alloc(emu, bytes, memory, why_not);

	if (world.nallocs == 4)
		fault_from(FAULT_malloc, 1, ENOMEM);
	return good;
}

static void
test_refused(void)
{
	struct facts stats = { .n = 0 };

	reset();
	why.text[0] = '\0';
	ok(!engine_open(&engine, "qpus=99", &limits, &why) &&
		   strstr(why.text, "'qpus=99'") &&
		   !engine_open(&engine, "qpus=99", &limits, NULL),
	   "a device that does not open tells why");
	ok(limits.batches == 0, "a device that does not open sets no limits");
	fault_at(FAULT_calloc, 1, ENOMEM);
	ok(!engine_open(&engine, "", &limits, &why) &&
		   strcmp(why.text, "out of memory") == 0,
	   "an engine does not open without memory");

	/* From the last allocation of the device on. */
	reset();
	device.alloc = last_alloc;
	open_engine();
	ok(world.nallocs == 4 && world.nruns == 0 && step() == ENGINE_REFUSED &&
		   strcmp(why.text, "out of memory") == 0,
	   "an engine without memory of the CPU's for results is refused");
	fault_clear();
	engine.close(self);

	reset();
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
	/* The test is 3 blocks long, and launches cost as much as 6. */
	static const struct {
		double ms;
		uint32_t blocks;
	} rows[] = { { 0.5, 512 }, { 0.8788, 512 }, { 0.879, 511 },
		     { 9, 50 },	   { 100, 4 },	    { 225, 2 },
		     { 226, 1 },   { 450, 1 },	    { 9000, 1 } };
	uint8_t *data;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double expected;

		reset();
		world.launch_ms = rows[i].ms;
		open_engine();
		data = engine.alloc(self, BYTES);
		put(3, data, 700);
		step();
		expected = (rows[i].blocks + 2) * rows[i].ms / 3;
		ok(batches[0].done[3] == rows[i].blocks &&
			   world.expected_ms[TESTS] > 0.999 * expected &&
			   world.expected_ms[TESTS] < 1.001 * expected,
		   "a test of %g ms: launches of %u blocks", rows[i].ms,
		   (unsigned)rows[i].blocks);
		engine.free(self, data, BYTES);
		engine.close(self);
	}
}

/* QPUs that slow down by and by. */
static void
test_slower(void)
{
	uint8_t *data;

	reset();
	world.launch_ms = 9;
	open_engine();
	data = engine.alloc(self, BYTES);
	put(3, data, 700);
	/* 50 blocks in 9 ms make 322, and these in 200 ms make 82. */
	step();
	world.launch_ms = 200;
	step();
	step();
	ok(batches[0].done[3] == 82,
	   "a launch is as long as the one before it allows");
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
	ok(world.bytes[4] == BYTES + 33280,
	   "a buffer has a tail that lanes may be read in");
	put(0, data[0], 2);
	put(15, data[2] + 640, 2);
	world.npublished = 0;
	step();
	ok(world.npublished == 3 && world.published[0] == own &&
		   world.published[1] != own && world.published[2] > own &&
		   world.published[2] > world.published[1],
	   "memory of the launch and of its lanes is published, no other");
	world.npublished = 0;
	put(0, data[0], 0);
	put(15, data[2], 0);
	forget_events();
	ok(step() == ENGINE_OK && strcmp(world.events, "p") == 0,
	   "without blocks no launch is made");
	device.publish = NULL;
	put(0, data[0], 2);
	ok(step() == ENGINE_OK && batches[0].done[0] == 2,
	   "a device may need no publishing");
	for (unsigned i = 0; i < 3; i++)
		engine.free(self, data[i], BYTES);
	engine.close(self);
}

static void
test_buffers(void)
{
	static uint8_t *buffers[209];
	uint8_t *last;
	unsigned n = 0;

	reset();
	open_engine();
	forget_events();
	while (n < 209 && (buffers[n] = engine.alloc(self, 64)) != NULL)
		n++;
	/* The emulator has 210 pieces, one of which is the launch's. */
	ok(n == 208, "there are 208 buffers");
	engine.free(self, buffers[100], 64);
	ok(engine.alloc(self, 64) != NULL && !engine.alloc(self, 64),
	   "a buffer that was freed makes room for another");
	forget_events();
	last = put(0, buffers[207], 1);
	ok(step() == ENGINE_OK && batches[0].done[0] == 1 && last,
	   "the last buffer can be read");
	engine.close(self);
	is(world.events, "ppx", "close leaves the memory to the device");

	reset();
	open_engine();
	world.fail_from = 1;
	ok(!engine.alloc(self, 64), "a device may have no memory for another");
	world.fail_from = 0;
	last = engine.alloc(self, 64);
	ok(last != NULL, "a device may have memory later");
	engine.free(self, last, 64);
	engine.close(self);
}

static void
test_strange_data(void)
{
	static uint8_t elsewhere[SHA256_BLOCK_BYTES];
	struct batch before;

	reset();
	open_engine();
	put(3, elsewhere, 1);
	before = batches[0];
	forget_events();
	ok(step() == ENGINE_REFUSED && *world.events == '\0' &&
		   memcmp(&before, &batches[0], sizeof(before)) == 0,
	   "data outside of the device's memory are refused before a launch");
	is(why.text, "data lie outside of its memory",
	   "the reason for refused data is where they are");
	engine.close(self);
}

/* A launch that fails, and what is done then. */
struct failure {
	const char *name;
	enum device_status
		results[2 + TESTS]; /* of the launches after the test */
	bool no_restart;
	enum engine_status status;
	const char *events;
	const char *text;
};

static const struct failure failures[] = {
	{ "time-out",
	  { DEVICE_TIMEOUT },
	  true,
	  ENGINE_TIMEOUT,
	  "ppxr",
	  "launch 5" },
	{ "refusal",
	  { DEVICE_REFUSED },
	  true,
	  ENGINE_REFUSED,
	  "ppxr",
	  "launch 5" },
	{ "fault", { DEVICE_FAULT }, false, ENGINE_FAULT, "ppx", "launch 5" },
	{ "time-out and restart",
	  { DEVICE_TIMEOUT },
	  false,
	  ENGINE_OK,
	  "ppxr" TESTED "ppx",
	  NULL },
	{ "refusal and restart",
	  { DEVICE_REFUSED },
	  false,
	  ENGINE_OK,
	  "ppxr" TESTED "ppx",
	  NULL },
	{ "a test that fails after it",
	  { DEVICE_TIMEOUT, DEVICE_FAULT },
	  false,
	  ENGINE_TIMEOUT,
	  "ppxrpx",
	  "launch 5; after a restart: launch 6" },
	{ "a launch that fails again",
	  { DEVICE_TIMEOUT, [1 + TESTS] = DEVICE_REFUSED },
	  false,
	  ENGINE_REFUSED,
	  "ppxr" TESTED "ppx",
	  "launch 11" },
};

static void
test_failure(const struct failure *failure)
{
	uint8_t *data, *more;
	bool untouched;

	reset();
	world.no_restart = failure->no_restart;
	memcpy(&world.results[TESTS], failure->results,
	       sizeof(failure->results));
	open_engine();
	data = engine.alloc(self, BYTES);
	memset(data, 1, BYTES);
	put(4, data, 9);
	forget_events();
	diag_set(&why, "none");
	ok(step() == failure->status &&
		   strcmp(why.text, failure->text ? failure->text : "none") ==
			   0,
	   "%s: status and reason", failure->name);
	/* A test reads none of the buffers. */
	is(world.events, failure->events, "%s: what was asked", failure->name);
	if (failure->status == ENGINE_OK) {
		uint32_t state[SHA256_STATE_WORDS], right[SHA256_STATE_WORDS];

		memcpy(right, sha256_initial, sizeof(right));
		sha256_blocks(right, data, 9);
		batch_get_state(&batches[0], 4, state);
		ok(batches[0].done[4] == 9 &&
			   memcmp(state, right, sizeof(right)) == 0,
		   "%s: the launch is done in the end", failure->name);
		engine.free(self, data, BYTES);
		engine.close(self);
		return;
	}
	untouched = batches[0].state[0][4] == sha256_initial[0] &&
		    batches[0].done[4] == 0;
	ok(untouched, "%s: nothing is done", failure->name);
	forget_events();
	ok(step() == failure->status &&
		   engine.submit(self, batches, QPUS, NULL) ==
			   failure->status &&
		   engine.wait(self, NULL) == failure->status,
	   "%s: the device is not used again", failure->name);
	engine.free(self, engine.alloc(self, 4096), 4096);
	ok(world.aligned_bytes == 4096, "%s: a buffer is a page",
	   failure->name);
	forget_events();
	more = engine.alloc(self, 4097);
	ok(more && (uintptr_t)more % 4096 == 0 && world.nevents == 0 &&
		   world.aligned_bytes == 8192,
	   "%s: buffers are the CPU's", failure->name);
	memset(more, 1, 4097);
	engine.free(self, more, 4097);
	ok(world.nevents == 0,
	   "%s: the device is not asked to free the CPU's buffers",
	   failure->name);
	engine.free(self, data, BYTES);
	is(world.events, "f", "%s: the device's go back to it", failure->name);
	engine.close(self);
}

static double
figure(const struct facts *stats, unsigned row)
{
	return row < stats->n ? stats->rows[row].value : -1;
}

/* A launch of the first test fails, the last or the first one. */
static void
test_first_test(void)
{
	static const struct {
		unsigned launch;
		enum device_status result;
		const char *events, *why;
	} rows[] = {
		{ 0, DEVICE_REFUSED, "aaaauuupxr" TESTED, "launch 0" },
		{ 4, DEVICE_TIMEOUT, "aaaauuu" TESTED "r" TESTED, "launch 4" },
	};
	struct facts stats = { .n = 0 };

	for (unsigned i = 0; i < 2; i++) {
		reset();
		world.results[rows[i].launch] = rows[i].result;
		open_engine();
		is(world.events, rows[i].events,
		   "a first test that fails is repeated after a restart");
		ok(step() == ENGINE_OK && engine.healed(self, &why) &&
			   strcmp(why.text, rows[i].why) == 0,
		   "a device that passed its test after a restart is used, and "
		   "tells why it needed one");
		engine.stats(self, &stats);
		ok(stats.n > 3 && figure(&stats, 3) == 1 &&
			   strcmp(facts_label(&stats, &stats.rows[3]),
				  "self-tests that failed") == 0,
		   "a test that failed is counted");
		engine.close(self);
	}
	reset();
	world.results[4] = DEVICE_FAULT;
	open_engine();
	is(world.events, "aaaauuu" TESTED,
	   "a first test with wrong answers is not repeated");
	ok(step() == ENGINE_FAULT && strcmp(why.text, "launch 4") == 0 &&
		   !engine.healed(self, &why),
	   "a device with wrong answers in its first test is not used");
	engine.close(self);
	reset();
	world.results[0] = DEVICE_TIMEOUT;
	device.restart = NULL;
	open_engine();
	is(world.events, "aaaauuupx",
	   "a first test that fails is not tried again without a restart");
	ok(step() == ENGINE_TIMEOUT && strcmp(why.text, "launch 0") == 0 &&
		   !engine.healed(self, &why),
	   "a device that failed its first test is not used");
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
	ok(step() == ENGINE_OK, "a launch is done");
	batches[1].data[5] = data + 60 * SHA256_BLOCK_BYTES;
	batches[1].nblocks[5] = 10;
	put(0, data, 10);
	put(1, data, 0);
	ok(step() == ENGINE_OK && world.nruns == 2 * TESTS + 3,
	   "a launch that timed out is done after a test");
	engine.stats(self, &stats);
	ok(figure(&stats, 0) == 2 && figure(&stats, 1) == 2 &&
		   figure(&stats, 2) == 60,
	   "launches and blocks without those of tests");
	/* 22 blocks of a QPU, and 13 of two. */
	ok(figure(&stats, 3) > 1500 && figure(&stats, 3) < 5000,
	   "instructions of 52 blocks of 16 lanes");
	ok(figure(&stats, 4) == 100.0 * 60 / ((22 + 13) * 2 * 16),
	   "room of all lanes, also of QPUs that have nothing to do");
	engine.free(self, data, BYTES);
	engine.close(self);
}

static void
test_speed(void)
{
	struct engine_speed speed;
	struct facts details = { .n = 0 };

	reset();
	engine.speed(engine.context, &speed);
	ok(speed.lanes == 192 && speed.device_rate > 517.19e6 &&
		   speed.device_rate < 517.21e6 && speed.core_rate == 70e6 &&
		   speed.copy_rate == 1100e6,
	   "the emulator is expected to be a Pi 3 at 300 MHz");
	engine.details(engine.context, &details);
	ok(details.n == 0 && engine_probe(&engine, &why),
	   "nothing is in its way, and nothing is known of it");
}

int
main(void)
{
	test_open();
	test_refused();
	test_lengths();
	test_slower();
	test_publish();
	test_buffers();
	test_strange_data();
	for (unsigned i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		test_failure(&failures[i]);
	test_first_test();
	test_figures();
	test_speed();
	return tap_done();
}
