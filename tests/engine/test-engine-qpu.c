/* SPDX-License-Identifier: MIT */
/*
 * Promise: the engine of the QPUs keeps the contract of engine.h and computes
 * what the reference computes, on any number of QPUs; and what a device does
 * wrong is found before anything of it is believed.
 */
#include "config.h"

#include "qpu/device/device.h"
#include "qpu/engine/engine_qpu.h"

#include <stdlib.h>

#include "cpu/sha256.h"
#include "qpu/device/emulated_options.h"
#include "src/lanes/reader.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum {
	MOST_QPUS = 12,
	MOST_LANES = MOST_QPUS * BATCH_LANES,
	MOST_BYTES = 1000,
	/* Odd in lines of 64 bytes, with slack behind the message. */
	STRIDE = 23 * SHA256_BLOCK_BYTES,
	STEPS = 100
};

/* Messages in all lanes of an open engine. */
struct scene {
	void *self;
	struct engine_limits limits;
	uint8_t *arena;
	unsigned lanes;
	struct batch batches[MOST_QPUS];
	uint32_t expected[MOST_LANES][SHA256_STATE_WORDS];
	struct diag why;
};

static struct scene scene;

static bool
scene_open(const char *words)
{
	memset(&scene, 0, sizeof(scene));
	scene.self =
		engine_open(&engine_emulator, words, &scene.limits, &scene.why);
	if (!scene.self)
		return false;
	scene.lanes = scene.limits.batches * BATCH_LANES;
	scene.arena = engine_emulator.alloc(scene.self, MOST_LANES * STRIDE);
	return scene.arena != NULL;
}

static void
scene_close(void)
{
	if (scene.arena)
		engine_emulator.free(scene.self, scene.arena,
				     MOST_LANES * STRIDE);
	engine_emulator.close(scene.self);
}

/* A message of n bytes; its blocks are padded. */
static void
put_message(unsigned lane, size_t bytes)
{
	struct batch *batch = &scene.batches[lane / BATCH_LANES];
	uint8_t *data = scene.arena + (size_t)lane * STRIDE;
	const size_t tail = bytes % SHA256_BLOCK_BYTES;
	uint32_t *state = scene.expected[lane];
	uint32_t blocks;

	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)random_32();
	blocks = (uint32_t)(bytes / SHA256_BLOCK_BYTES) +
		 reader_pad(data + bytes - tail, tail, bytes);
	memcpy(state, sha256_initial, sizeof(sha256_initial));
	batch_set_state(batch, lane % BATCH_LANES, state);
	sha256_blocks(state, data, blocks);
	batch->data[lane % BATCH_LANES] = data;
	batch->nblocks[lane % BATCH_LANES] = blocks;
}

/* No message, but a state that has to stay. */
static void
put_nothing(unsigned lane)
{
	struct batch *batch = &scene.batches[lane / BATCH_LANES];
	uint32_t *state = scene.expected[lane];

	for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
		state[word] = random_32();
	batch_set_state(batch, lane % BATCH_LANES, state);
	batch->data[lane % BATCH_LANES] = NULL;
	batch->nblocks[lane % BATCH_LANES] = 0;
}

static unsigned
wrong_states(void)
{
	unsigned wrong = 0;

	for (unsigned lane = 0; lane < scene.lanes; lane++) {
		uint32_t state[SHA256_STATE_WORDS];

		batch_get_state(&scene.batches[lane / BATCH_LANES],
				lane % BATCH_LANES, state);
		wrong += memcmp(state, scene.expected[lane], sizeof(state)) !=
			 0;
	}
	return wrong;
}

static enum engine_status
run_step(void)
{
	enum engine_status status = engine_emulator.submit(
		scene.self, scene.batches, scene.limits.batches, &scene.why);

	if (status == ENGINE_OK)
		status = engine_emulator.wait(scene.self, &scene.why);
	return status;
}

/* Take the blocks that are done off: false if there were too many. */
static bool
advance(uint64_t *done)
{
	*done = 0;
	for (unsigned lane = 0; lane < scene.lanes; lane++) {
		struct batch *batch = &scene.batches[lane / BATCH_LANES];
		const unsigned column = lane % BATCH_LANES;

		if (batch->done[column] > batch->nblocks[column])
			return false;
		*done += batch->done[column];
		batch->nblocks[column] -= batch->done[column];
		if (batch->data[column])
			batch->data[column] += (size_t)batch->done[column] *
					       SHA256_BLOCK_BYTES;
	}
	return true;
}

/* Steps until nothing is left; false when it does not get on. */
static bool
run_all(void)
{
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t left = 0, done;

		for (unsigned lane = 0; lane < scene.lanes; lane++)
			left += scene.batches[lane / BATCH_LANES]
					.nblocks[lane % BATCH_LANES];
		if (left == 0)
			return true;
		if (run_step() != ENGINE_OK || !advance(&done) || done == 0)
			return false;
	}
	return false;
}

static void
test_lengths(const char *words, unsigned qpus, unsigned rounds)
{
	unsigned wrong = 0, stuck = 0;

	if (!ok(scene_open(words), "'%s' opens", words)) {
		tap_note("%s", scene.why.text);
		return;
	}
	ok(scene.limits.batches == qpus && scene.limits.lanes == BATCH_LANES &&
		   scene.limits.chained > 0 && scene.limits.slack_bytes > 0 &&
		   scene.limits.piece_bytes > 3 << 20 &&
		   scene.limits.piece_bytes < DEVICE_PIECE_BYTES,
	   "a batch for each of %u QPUs, all of their lanes", qpus);
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned lane = 0; lane < scene.lanes; lane++)
			if (round % 3 == 2 && random_32() % 2)
				put_nothing(lane);
			else
				put_message(lane,
					    random_32() % (MOST_BYTES + 1));
		stuck += !run_all();
		wrong += wrong_states();
	}
	ok(stuck == 0 && wrong == 0,
	   "'%s': random lengths in all lanes, idle lanes left alone", words);
	if (stuck)
		tap_note("%s", scene.why.text);
	scene_close();
}

/* Every message of a few lanes, every lane of the last batch full. */
static void
test_narrow(void)
{
	unsigned wrong = 0;

	if (!scene_open("qpus=2"))
		exit(99);
	for (unsigned lane = 0; lane < scene.lanes; lane++) {
		for (unsigned other = 0; other < scene.lanes; other++)
			put_nothing(other);
		put_message(lane, lane * 31);
		wrong += !run_all() || wrong_states() > 0;
	}
	ok(wrong == 0, "a message alone in any lane is hashed");
	for (unsigned lane = 0; lane < scene.lanes; lane++)
		put_nothing(lane);
	ok(run_step() == ENGINE_OK && wrong_states() == 0,
	   "a step without a message is no step");
	scene_close();
}

static void
test_launch_length(void)
{
	uint64_t done;

	if (!scene_open("qpus=2"))
		exit(99);
	for (unsigned lane = 0; lane + 1 < scene.lanes; lane++)
		put_message(lane, lane == 5 ? 1000 : 50);
	put_nothing(scene.lanes - 1);
	ok(run_step() == ENGINE_OK && scene.batches[0].done[5] == 1 &&
		   scene.batches[0].done[4] == 1,
	   "short messages do not wait for a long one");
	advance(&done);
	ok(run_step() == ENGINE_OK && scene.batches[0].done[5] == 15,
	   "a message goes on alone in its lane");
	scene_close();
}

static void
test_launch_bound(void)
{
	const uint32_t most = 512, blocks = 15000;
	uint32_t *done = &scene.batches[0].done[0];
	uint32_t expected[SHA256_STATE_WORDS];
	uint64_t total = 0, sum;
	unsigned steps = 0;
	bool bounded = true;

	if (!scene_open("qpus=1"))
		exit(99);
	uint8_t *data = engine_emulator.alloc(
		scene.self, (size_t)blocks * SHA256_BLOCK_BYTES);
	if (!data)
		exit(99);
	for (size_t i = 0; i < (size_t)blocks * SHA256_BLOCK_BYTES; i++)
		data[i] = (uint8_t)random_32();
	memcpy(expected, sha256_initial, sizeof(expected));
	batch_set_state(&scene.batches[0], 0, expected);
	sha256_blocks(expected, data, blocks);
	scene.batches[0].data[0] = data;
	scene.batches[0].nblocks[0] = blocks;
	while (total < blocks && run_step() == ENGINE_OK) {
		total += *done;
		bounded &= *done <= most;
		steps++;
		advance(&sum);
	}
	ok(total == blocks && bounded && steps <= 31,
	   "launches are bounded by %u blocks: %u of them for %u blocks", most,
	   steps, blocks);
	batch_get_state(&scene.batches[0], 0, scene.expected[0]);
	ok(memcmp(scene.expected[0], expected, sizeof(expected)) == 0,
	   "a message goes on from launch to launch");
	scene_close();
}

/* Some bytes for everybody, then a launch that fails. */
static enum engine_status
fail_at(const char *words, unsigned steps)
{
	enum engine_status status = ENGINE_OK;
	uint64_t done;

	if (!scene_open(words))
		exit(99);
	for (unsigned step = 0; step < steps && status == ENGINE_OK; step++) {
		for (unsigned lane = 0; lane < scene.lanes; lane++)
			if (lane % 5 == 0)
				put_message(lane, 100);
			else
				put_nothing(lane);
		status = run_step();
		if (status == ENGINE_OK)
			advance(&done);
	}
	return status;
}

static void
test_failure(const char *words, enum engine_status expected)
{
	struct batch before[MOST_QPUS];
	unsigned believed = 0;

	ok(fail_at(words, 3) == expected && *scene.why.text,
	   "'%s' fails with the right status: %s", words, scene.why.text);
	for (unsigned lane = 0; lane < scene.lanes; lane += 5) {
		uint32_t state[SHA256_STATE_WORDS];

		batch_get_state(&scene.batches[lane / BATCH_LANES],
				lane % BATCH_LANES, state);
		believed += memcmp(state, sha256_initial, sizeof(state)) != 0;
	}
	ok(believed == 0, "nothing of the failed launch is believed");
	memcpy(before, scene.batches, sizeof(before));
	ok(run_step() == expected, "the device is not used again");
	ok(memcmp(before, scene.batches, sizeof(before)) == 0,
	   "a refused step leaves batches alone");
	scene_close();
}

/* Every lane can break; none must get through the self-test. */
static void
test_self_test(void)
{
	unsigned missed = 0;

	for (unsigned lane = 0; lane < MOST_LANES; lane++) {
		char words[64];

		snprintf(words, sizeof(words), "fault=lane@1,seed=%u", lane);
		if (!scene_open(words))
			exit(99);
		put_message(0, 3);
		missed += run_step() != ENGINE_FAULT;
		scene_close();
	}
	ok(missed == 0, "the self-test finds each of %u lanes that break",
	   (unsigned)MOST_LANES);
}

/* All lanes are occupied; from launch 3 on one of them is wrong. */
static unsigned
launch_that_fails(unsigned lane)
{
	unsigned failed = 0;
	char words[64];

	snprintf(words, sizeof(words), "qpus=2,fault=lane@3.%u.%u",
		 lane / BATCH_LANES, lane % BATCH_LANES);
	if (!scene_open(words))
		exit(99);
	for (unsigned launch = 2; launch <= 4 && !failed; launch++) {
		for (unsigned i = 0; i < scene.lanes; i++)
			put_message(i, 10);
		if (run_step() != ENGINE_OK)
			failed = launch;
	}
	scene_close();
	return failed;
}

static void
test_full_house(void)
{
	unsigned late = 0;

	for (unsigned lane = 0; lane < 2 * BATCH_LANES; lane++)
		late += launch_that_fails(lane) != 3;
	ok(late == 0, "each occupied lane is checked in every launch");
}

static void
test_strange_data(void)
{
	static uint8_t elsewhere[128] __attribute__((aligned(64)));

	if (!scene_open("qpus=1"))
		exit(99);
	put_message(0, 10);
	scene.batches[0].data[0] = elsewhere;
	ok(run_step() == ENGINE_REFUSED,
	   "data outside of the device's memory are refused");
	scene_close();

	if (!scene_open("qpus=1"))
		exit(99);
	put_message(0, 10);
	scene.batches[0].data[0]++;
	ok(run_step() == ENGINE_REFUSED, "unaligned data are refused");
	scene_close();
}

/* A short lane at the end of a buffer is read as far as the longest one. */
static void
test_tail(void)
{
	const uint32_t blocks = 500;
	size_t behind;

	if (!scene_open("qpus=1"))
		exit(99);
	for (unsigned lane = 0; lane < scene.lanes; lane++)
		put_nothing(lane);
	put_message(0, 0);
	put_message(1, 0);
	behind = (scene.limits.slack_bytes + 2 * SHA256_BLOCK_BYTES - 1) /
		 SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
	scene.batches[0].nblocks[0] = blocks;
	scene.batches[0].data[1] = scene.arena + MOST_LANES * STRIDE - behind;
	ok(run_step() == ENGINE_OK && scene.batches[0].done[0] == blocks &&
		   scene.batches[0].done[1] == 1,
	   "a short lane may end where its buffer does");
	scene_close();
}

static void
test_memory(void)
{
	ok(scene_open("fault=alloc@1") && scene.self && scene.arena,
	   "an engine without memory opens, and its buffers are the CPU's");
	put_nothing(0);
	ok(run_step() == ENGINE_REFUSED && strstr(scene.why.text, "MiB"),
	   "an engine without memory says so: %s", scene.why.text);
	scene_close();

	if (!scene_open("mem=1"))
		exit(99);
	ok(!engine_emulator.alloc(scene.self, 1 << 20),
	   "a buffer larger than the memory cannot be had");
	for (unsigned lane = 0; lane < scene.lanes; lane++)
		put_message(lane, lane);
	ok(run_all() && wrong_states() == 0, "an engine works with 1 MiB");
	scene_close();
}

static void
test_words(void)
{
	static const char *const bad[] = { "qpus=0",
					   "qpus=13",
					   "qpus=",
					   "qpus",
					   "mem=0",
					   "mem=2000",
					   "timed=1",
					   "fast",
					   "seed=x",
					   "seed=-1",
					   "fault=lane",
					   "fault=@1",
					   "fault=lane@0",
					   "fault=lane@",
					   "fault=fire@1",
					   "fault=row@1.2",
					   "fault=row@1.12.0",
					   "fault=row@1.0.16",
					   "fault=row@1.0.",
					   "fault=row@1..0",
					   "timed,,check",
					   ",",
					   "seed=18446744073709551616",
					   "qpus=1x" };
	struct emulated_options words;
	struct diag why;

	ok(emulated_options_parse(&words, "", &why) && words.qpus == 12 &&
		   words.mem_mib == 64 && !words.timed && !words.check &&
		   words.fault == DEVICE_NO_FAULT,
	   "without options a device is as usual");
	ok(emulated_options_parse(&words,
				  "qpus=5,mem=16,timed,check,seed=7,"
				  "fault=stuck@3",
				  &why) &&
		   words.qpus == 5 && words.mem_mib == 16 && words.timed &&
		   words.check && words.seed == 7 &&
		   words.fault == DEVICE_STUCK_QPU && words.fault_at == 3,
	   "all options may be given at once");
	ok(emulated_options_parse(&words, "fault=swap@4.11.15", &why) &&
		   words.fault == DEVICE_LANES_SWAPPED && words.fault_at == 4 &&
		   words.fault_names_lane && words.fault_qpu == 11 &&
		   words.fault_lane == 15,
	   "a fault names launch, QPU and lane");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct engine_limits limits = { .batches = 0 };

		ok(!engine_open(&engine_emulator, bad[i], &limits, &why) &&
			   *why.text,
		   "'%s' is refused", bad[i]);
	}
}

/* The value of a row, or -1 if there is none with this label. */
static double
stat(const struct facts *stats, const char *label)
{
	for (unsigned i = 0; i < stats->n; i++)
		if (strcmp(facts_label(stats, &stats->rows[i]), label) == 0)
			return stats->rows[i].value;
	return -1;
}

static bool
has_counters(const struct facts *stats)
{
	for (unsigned i = 0; i < stats->n; i++)
		if (strncmp(facts_label(stats, &stats->rows[i]),
			    "counter: ", 9) == 0 &&
		    strcmp(stats->rows[i].unit, "(modelled)") == 0)
			return true;
	return false;
}

static void
test_stats(void)
{
	struct facts stats = { .n = 0 };
	uint64_t blocks = 0;

	if (!scene_open("timed,qpus=3"))
		exit(99);
	for (unsigned lane = 0; lane + 1 < scene.lanes; lane++) {
		put_message(lane, 900);
		blocks += scene.batches[lane / BATCH_LANES]
				  .nblocks[lane % BATCH_LANES];
	}
	put_nothing(scene.lanes - 1);
	ok(run_all() && wrong_states() == 0, "timed: all digests are right");
	engine_emulator.stats(scene.self, &stats);
	ok(stat(&stats, "QPUs") == 3 && stat(&stats, "launches") >= 1 &&
		   stat(&stats, "blocks on the device") == (double)blocks &&
		   stat(&stats, "lane occupancy") > 0 &&
		   stat(&stats, "lane occupancy") <= 100,
	   "stats: as many blocks as there were");
	ok(stat(&stats, "clocks, modelled") > 0 &&
		   stat(&stats, "clocks of launches, modelled") > 0 &&
		   stat(&stats, "at 250 MHz, modelled") > 0 &&
		   has_counters(&stats),
	   "stats: modelled clocks and counters");
	ok(stat(&stats, "instructions per block of 16 lanes") < 2500 &&
		   stat(&stats, "instructions per block of 16 lanes") > 1500,
	   "stats: instructions of the kernel alone");
	ok(stats.n < FACTS_MAX, "stats: there is room for all");
	scene_close();
}

int
main(void)
{
	test_words();
	test_lengths("", 12, 6);
	test_lengths("qpus=5", 5, 6);
	test_lengths("qpus=1", 1, 6);
	test_lengths("check,seed=1", 12, 2);
	test_lengths("check,seed=2,qpus=5", 5, 2);
	test_lengths("check,seed=3,qpus=1", 1, 2);
	test_lengths("timed", 12, 2);
	test_lengths("timed,check,qpus=5", 5, 2);
	test_narrow();
	test_launch_length();
	test_launch_bound();
	test_failure("fault=lane@3", ENGINE_FAULT);
	test_failure("fault=stuck@3", ENGINE_TIMEOUT);
	test_failure("fault=stuck@2,qpus=1", ENGINE_TIMEOUT);
	test_failure("fault=refuse@2", ENGINE_REFUSED);
	test_self_test();
	test_full_house();
	test_tail();
	test_strange_data();
	test_memory();
	test_stats();
	return tap_done();
}
