/* SPDX-License-Identifier: MIT */
/*
 * Promise: the engines of the CPU keep the contract of engine.h and compute
 * what the reference computes, whatever the lanes hold, with each set of CPU
 * features that this machine has; and they say why they cannot be opened.
 */
#include "config.h"

#include "cpu/engine_cpu.h"

#include <errno.h>
#include <stdlib.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "tests/cpu/guarded.h"
#include "tests/support/fault.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { MOST_BLOCKS = 64 };

/* All features to none, so that each kernel is the best of some variant. */
static const char *const variants[] = { "",
					"-fast512",
					"-avx512",
					"-sha",
					"-sha,-avx512vl",
					"-sha,-avx512",
					"-sha,-avx512,-avx2",
					"-sha,-avx512,-avx2,-ssse3",
					"-sha2",
					"-all",
					NULL };

/* An opened engine. */
struct subject {
	const struct engine *engine;
	void *self;
	struct engine_limits limits;
};

static struct subject
open_subject(const struct engine *engine, const char *words)
{
	struct subject subject = { .engine = engine };

	subject.self = engine_open(engine, words, &subject.limits, NULL);
	if (!subject.self)
		exit(99);
	return subject;
}

static enum engine_status
step(const struct subject *subject, struct engine_lane *lanes)
{
	const enum engine_status status =
		subject->engine->submit(subject->self, lanes, CPU_LANES, NULL);

	return status == ENGINE_OK ?
		       subject->engine->wait(subject->self, NULL) :
		       status;
}

/* The lanes' contents, and the expected results. */
struct scene {
	struct engine_lane lanes[CPU_LANES];
	uint32_t expected[CPU_LANES][SHA256_STATE_WORDS];
	uint32_t left[CPU_LANES];
};

/* The engines say that they only read, and nothing after the blocks. */
static struct guarded guarded;

static void
scene_fill_lane(struct scene *scene, unsigned number, uint32_t nblocks)
{
	struct engine_lane *lane = &scene->lanes[number];

	lane->data = guarded_blocks(
		&guarded, number % 2 ? GUARDED_AT_END : GUARDED_ANYWHERE,
		nblocks);
	lane->nblocks = scene->left[number] = nblocks;
	for (int word = 0; word < SHA256_STATE_WORDS; word++)
		lane->state[word] = random_32();
	memcpy(scene->expected[number], lane->state, sizeof(lane->state));
	sha256_blocks(scene->expected[number], lane->data, nblocks);
}

/* Messages in a number of lanes, at random places. */
static void
scene_new(struct scene *scene, unsigned messages, uint32_t most_blocks)
{
	unsigned places = CPU_LANES;

	memset(scene, 0, sizeof(*scene));
	for (unsigned lane = 0; lane < CPU_LANES; lane++, places--) {
		const bool occupied = random_32() % places < messages;

		messages -= occupied;
		scene_fill_lane(scene, lane,
				occupied ? random_32() % most_blocks + 1 : 0);
		if (!occupied)
			scene->lanes[lane].data = NULL;
	}
}

/* One step, by the letter of the contract; false if it was broken. */
static bool
scene_step(struct scene *scene, const struct subject *subject)
{
	const struct scene before = *scene;
	uint64_t advanced = 0;
	bool good = true;

	for (unsigned i = 0; i < CPU_LANES; i++)
		if (scene->left[i] == 0)
			scene->lanes[i].done = UINT32_MAX;
	good &= step(subject, scene->lanes) == ENGINE_OK;
	for (unsigned i = 0; i < CPU_LANES; i++) {
		const struct engine_lane *was = &before.lanes[i];
		struct engine_lane *lane = &scene->lanes[i];

		good &= lane->data == was->data &&
			lane->nblocks == was->nblocks &&
			lane->done <= lane->nblocks;
		if (!good)
			return false;
		advanced += lane->done;
		if (lane->done == 0) {
			good &= memcmp(was->state, lane->state,
				       sizeof(was->state)) == 0;
			continue;
		}
		lane->data += lane->done * SHA256_BLOCK_BYTES;
		lane->nblocks -= lane->done;
		scene->left[i] -= lane->done;
	}
	return good && advanced > 0;
}

static bool
lane_is_right(const struct scene *scene, unsigned lane)
{
	return memcmp(scene->lanes[lane].state, scene->expected[lane],
		      sizeof(scene->expected[lane])) == 0;
}

static bool
scene_has_ended(const struct scene *scene)
{
	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		if (scene->left[lane] > 0)
			return false;
	return true;
}

/* Steps without refill until all lanes have ended. */
static bool
scene_run(struct scene *scene, const struct subject *subject, bool *contract)
{
	bool right = true;

	while (!scene_has_ended(scene)) {
		*contract &= scene_step(scene, subject);
		if (!*contract)
			return false;
	}
	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		right &= lane_is_right(scene, lane);
	return right;
}

static void
test_all_lane_counts(const struct subject *subject, const char *name)
{
	bool contract = true, right = true, equal = true;
	struct scene scene;

	for (unsigned messages = 1; messages <= CPU_LANES; messages++) {
		for (int i = 0; i < 8; i++) {
			scene_new(&scene, messages, i < 2 ? 2 : MOST_BLOCKS);
			right &= scene_run(&scene, subject, &contract);
		}
		scene_new(&scene, messages, 1);
		equal &= scene_run(&scene, subject, &contract);
	}
	ok(contract, "%s: every step keeps the contract", name);
	ok(right, "%s: 1 to 16 lanes of unequal lengths are right", name);
	ok(equal, "%s: 1 to 16 lanes of one block are right", name);
}

/* Lanes refilled as soon as they end, as the pipeline does it. */
static void
test_refill(const struct subject *subject, const char *name, unsigned messages)
{
	unsigned waited[CPU_LANES] = { 0 };
	bool contract = true, right = true, fair = true;
	struct scene scene;

	scene_new(&scene, messages, MOST_BLOCKS);
	for (int step = 0; step < 200 && contract; step++) {
		contract &= scene_step(&scene, subject);
		for (unsigned lane = 0; lane < CPU_LANES; lane++) {
			if (!scene.lanes[lane].data)
				continue;
			waited[lane] =
				scene.lanes[lane].done ? 0 : waited[lane] + 1;
			fair &= waited[lane] < 2;
			if (scene.left[lane] > 0)
				continue;
			right &= lane_is_right(&scene, lane);
			/* Half of the lanes have long messages, always. */
			scene_fill_lane(
				&scene, lane,
				lane % 2 ? 3 : MOST_BLOCKS - random_32() % 4);
		}
	}
	ok(contract && right, "%s: %u lanes, refilled, are right", name,
	   messages);
	ok(fair, "%s: of %u lanes none is passed over twice in a row", name,
	   messages);
}

/* Messages of these lengths in the first lanes, in one step. */
static void
step_once(const struct subject *subject, struct scene *scene,
	  const uint32_t *nblocks, unsigned n)
{
	memset(scene, 0, sizeof(*scene));
	for (unsigned lane = 0; lane < n; lane++)
		scene_fill_lane(scene, lane, nblocks[lane]);
	step(subject, scene->lanes);
}

static const uint32_t one_block[CPU_LANES] = { 1, 1, 1, 1, 1, 1, 1, 1,
					       1, 1, 1, 1, 1, 1, 1, 1 };

/* Of lanes with one block each as many advance as make whole turns of the kernel,
 * or all if it has more places. */
static void
test_turns(const char *words)
{
	uint32_t features = cpu_features_detect();
	const struct subject subject = open_subject(&engine_cpu, words);
	bool good = true;

	cpu_features_hide(&features, words, NULL);
	for (unsigned n = 1; n <= CPU_LANES; n++) {
		const unsigned lanes = cpu_kernel_choose(features, n)->lanes;
		unsigned advanced = 0;
		struct scene scene;

		if (cpu_kernel_rival(features, n))
			continue;
		step_once(&subject, &scene, one_block, n);
		for (unsigned lane = 0; lane < CPU_LANES; lane++)
			advanced += scene.lanes[lane].done;
		good &= advanced == (n < lanes ? n : n / lanes * lanes);
	}
	ok(good, "'%s': whole turns of 1 to 16 lanes advance", words);
	subject.engine->close(subject.self);
}

/*
 * One message more than a kernel has places: the place that is free first takes it,
 * and the step ends when the next one is free, since there is no other.
 */
static void
test_places(const char *words)
{
	uint32_t features = cpu_features_detect();

	cpu_features_hide(&features, words, NULL);
	for (unsigned n = 2; n <= CPU_LANES; n++) {
		const struct cpu_kernel *kernel =
			cpu_kernel_choose(features, n);
		uint32_t nblocks[CPU_LANES];
		struct scene scene;
		bool good = true;

		if (kernel->lanes == 1 || kernel->lanes + 1 != n)
			continue;
		for (unsigned lane = 0; lane < n; lane++)
			nblocks[lane] = 9;
		nblocks[n - 2] = 2;
		nblocks[n - 1] = 1;
		const struct subject subject = open_subject(&engine_cpu, words);
		step_once(&subject, &scene, nblocks, n);
		for (unsigned lane = 0; lane < n; lane++)
			good &= scene.lanes[lane].done ==
				(nblocks[lane] < 3 ? nblocks[lane] : 3);
		ok(good, "%s with %u messages: no place stands idle",
		   kernel->name, n);
		subject.engine->close(subject.self);
	}
}

/* The C library's SHA256_Update, counted. */
static int (*real_update)(SHA256_CTX *, const void *, size_t);
static unsigned libcrypto_calls;

static int
counted_update(SHA256_CTX *context, const void *data, size_t len)
{
	libcrypto_calls++;
	return real_update(context, data, len);
}

static void *
find_counted(void *library, const char *name)
{
	void *function = fault_real_dlsym(library, name);
	int (*counted)(SHA256_CTX *, const void *, size_t) = counted_update;

	if (!function || strcmp(name, "SHA256_Update") != 0)
		return function;
	memcpy(&real_update, &function, sizeof(function));
	memcpy(&function, &counted, sizeof(function));
	return function;
}

/* Without instructions for SHA-256, libcrypto is worth its loading time only
 * for more than some number of blocks. */
static void
test_libcrypto_is_loaded_late(void)
{
	enum { BLOCKS = 4096 };
	uint32_t blocks = MOST_BLOCKS;
	struct scene scene;
	bool right = true;

	fault_clear();
	fault_hooks.dlsym = find_counted;
	const struct subject subject = open_subject(&engine_cpu, "-all");
	for (int i = 0; i < BLOCKS / MOST_BLOCKS - 1; i++) {
		step_once(&subject, &scene, &blocks, 1);
		right &= lane_is_right(&scene, 0);
	}
	blocks--;
	step_once(&subject, &scene, &blocks, 1);
	right &= lane_is_right(&scene, 0);
	ok(fault_count(FAULT_dlopen) == 0,
	   "libcrypto is not loaded for %d blocks", BLOCKS - 1);
	blocks = 1;
	for (int i = 0; i < 3; i++) {
		step_once(&subject, &scene, &blocks, 1);
		right &= lane_is_right(&scene, 0);
	}
	ok(right, "results are right before and after libcrypto is loaded");
	if (real_update)
		ok(libcrypto_calls == 3 && fault_count(FAULT_dlopen) == 1,
		   "libcrypto is loaded once, at block %d, and used from then "
		   "on",
		   BLOCKS);
	else
		tap_skip("no libcrypto");
	subject.engine->close(subject.self);
	ok(!real_update || fault_count(FAULT_dlclose) == 1,
	   "closing the engine closes libcrypto");
	fault_clear();
}

/* All that the contract asks of an engine. */
static void
test_contract(const struct engine *engine, const char *words, const char *name)
{
	struct subject subject = open_subject(engine, words);
	const struct balance before = balance_now();
	struct engine_lane idle[CPU_LANES] = { { .nblocks = 0 } };
	uint8_t *buffers[2 * CPU_LANES];
	bool none = true, aligned = true;

	ok(engine->reads_only && subject.limits.lanes >= 1 &&
		   subject.limits.lanes <= CPU_LANES &&
		   subject.limits.chained == 0 &&
		   subject.limits.slack_bytes == 0 &&
		   subject.limits.piece_bytes == 0,
	   "%s: only reads, and wants some lanes", name);
	for (int lane = 0; lane < CPU_LANES; lane++)
		idle[lane].done = UINT32_MAX;
	step(&subject, idle);
	for (int lane = 0; lane < CPU_LANES; lane++)
		none &= idle[lane].done == 0;
	ok(none, "%s: nothing is done for idle lanes", name);
	test_all_lane_counts(&subject, name);
	for (unsigned messages = 1; messages <= CPU_LANES; messages += 5)
		test_refill(&subject, name, messages);

	for (int i = 0; i < 2 * CPU_LANES; i++) {
		buffers[i] = engine->alloc(subject.self, 1 + 777 * i);
		aligned &= buffers[i] && (uintptr_t)buffers[i] % 64 == 0;
		if (buffers[i])
			memset(buffers[i], 0xff, 1 + 777 * i);
	}
	ok(aligned, "%s: buffers are aligned, and all of them writable", name);
	for (int i = 0; i < 2 * CPU_LANES; i++)
		engine->free(subject.self, buffers[i], 1 + 777 * i);
	engine->free(subject.self, NULL, 12345);
	ok(balance_now().mapped == before.mapped &&
		   balance_now().blocks == before.blocks,
	   "%s: all memory of buffers is given back", name);
	subject.engine->close(subject.self);
}

static void
test_open(void)
{
	struct engine_limits limits = { 0 };
	struct diag why = { .text = "" };
	uint32_t features = ~0u;

	ok(engine_probe(&engine_cpu, NULL), "the engine can run anywhere");
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	ok(!engine_open(&engine_cpu, "", &limits, &why) && limits.lanes == 0,
	   "without memory the engine cannot be opened");
	is(why.text, "out of memory", "the engine says that memory is short");
	fault_clear();
	const struct subject subject = open_subject(&engine_cpu, "");
	fault_from(FAULT_mmap, 1, ENOMEM);
	ok(!engine_cpu.alloc(subject.self, 100),
	   "a buffer that cannot be had is NULL");
	fault_clear();
	subject.engine->close(subject.self);

	setenv("QPU_SHA256SUM_CPU", "-avx512,-frobnicate", 1);
	ok(!engine_open(&engine_cpu, "", &limits, &why),
	   "a wrong word in the environment is an error");
	is(why.text,
	   "QPU_SHA256SUM_CPU: '-frobnicate' hides no CPU feature;"
	   " say -NAME, for instance -avx512",
	   "the wrong word is named");
	ok(!engine_probe(&engine_cpu, &why),
	   "with a wrong word in the environment the engine is not offered");
	setenv("QPU_SHA256SUM_CPU", "-all", 1);
	ok(cpu_features_get(&features, &why) && features == 0,
	   "the environment can hide all features");
	unsetenv("QPU_SHA256SUM_CPU");
}

static void
use(void)
{
	const struct subject subject = open_subject(&engine_cpu, "");
	struct scene scene;

	step_once(&subject, &scene, one_block, 3);
	subject.engine->close(subject.self);
}

int
main(void)
{
	guarded = guarded_new(CPU_LANES * MOST_BLOCKS);

	unsetenv("QPU_SHA256SUM_CPU");
	test_open();
	for (const char *const *words = variants; *words; words++) {
		test_contract(&engine_cpu, *words,
			      **words ? *words : "all features");
		test_places(*words);
		test_turns(*words);
	}
	test_libcrypto_is_loaded_late();
	balance_test(use, "an engine of the CPU");
	return tap_done();
}
