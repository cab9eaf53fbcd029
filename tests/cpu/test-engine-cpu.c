/* SPDX-License-Identifier: MIT */
/*
 * Promise: the cpu engine keeps the contract of engine.h and computes what the
 * reference computes, whatever the lanes hold, with each set of CPU features
 * that this machine has.
 */
#include "config.h"

#include "cpu/engine_cpu.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { MOST_BLOCKS = 64 };

/* What the engine has mapped and not unmapped yet. */
static size_t mapped_bytes;

void *
__real_mmap64(void *address, size_t len, int prot, int flags, int fd, off_t at);
void *
__wrap_mmap(void *address, size_t len, int prot, int flags, int fd, off_t at);
void *
__wrap_mmap64(void *address, size_t len, int prot, int flags, int fd, off_t at)
	__attribute__((alias("__wrap_mmap")));
int
__real_munmap(void *address, size_t len);
int
__wrap_munmap(void *address, size_t len);

void *
__wrap_mmap(void *address, size_t len, int prot, int flags, int fd, off_t at)
{
	mapped_bytes += len;
	return __real_mmap64(address, len, prot, flags, fd, at);
}

int
__wrap_munmap(void *address, size_t len)
{
	const int failed = __real_munmap(address, len);

	if (!failed)
		mapped_bytes -= len;
	return failed;
}

static unsigned loads; /* of libcrypto */

bool
__real_libcrypto_load(struct libcrypto *crypto, struct diag *why_not);
bool
__wrap_libcrypto_load(struct libcrypto *crypto, struct diag *why_not);

bool
__wrap_libcrypto_load(struct libcrypto *crypto, struct diag *why_not)
{
	loads++;
	return __real_libcrypto_load(crypto, why_not);
}

static unsigned libcrypto_calls;

void
__real_libcrypto_blocks(const struct libcrypto *crypto,
			uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
			size_t nblocks);
void
__wrap_libcrypto_blocks(const struct libcrypto *crypto,
			uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
			size_t nblocks);

void
__wrap_libcrypto_blocks(const struct libcrypto *crypto,
			uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
			size_t nblocks)
{
	libcrypto_calls++;
	__real_libcrypto_blocks(crypto, state, data, nblocks);
}

/* From all to nothing, so that each kernel is the best of some variant. */
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

/* What is in the lanes, and what must come out. */
struct scene {
	struct batch batch;
	uint32_t expected[BATCH_LANES][SHA256_STATE_WORDS];
	uint32_t left[BATCH_LANES];
};

static uint8_t bytes[BATCH_LANES * MOST_BLOCKS * SHA256_BLOCK_BYTES + 64];

static void
scene_fill_lane(struct scene *scene, unsigned lane, uint32_t nblocks)
{
	struct batch *batch = &scene->batch;

	batch->data[lane] =
		bytes + random_32() % (sizeof(bytes) -
				       MOST_BLOCKS * SHA256_BLOCK_BYTES);
	batch->nblocks[lane] = nblocks;
	scene->left[lane] = nblocks;
	for (int word = 0; word < SHA256_STATE_WORDS; word++)
		scene->expected[lane][word] = random_32();
	batch_set_state(batch, lane, scene->expected[lane]);
	sha256_blocks(scene->expected[lane], batch->data[lane], nblocks);
}

/* Messages in so many of the lanes, at random places. */
static void
scene_new(struct scene *scene, unsigned messages, uint32_t most_blocks)
{
	unsigned places = BATCH_LANES;

	memset(scene, 0, sizeof(*scene));
	for (unsigned lane = 0; lane < BATCH_LANES; lane++, places--) {
		const bool occupied = random_32() % places < messages;

		messages -= occupied;
		scene_fill_lane(scene, lane,
				occupied ? random_32() % most_blocks + 1 : 0);
		if (!occupied)
			scene->batch.data[lane] = NULL;
	}
}

/* One step, by the letter of the contract; false if it was broken. */
static bool
scene_step(struct scene *scene, void *self)
{
	struct batch *batch = &scene->batch;
	const struct batch before = *batch;
	uint64_t advanced = 0;
	bool good = true;

	memset(batch->done, 0xff, sizeof(batch->done));
	good &= engine_cpu.submit(self, batch, 1, NULL) == ENGINE_OK;
	good &= engine_cpu.wait(self, NULL) == ENGINE_OK;
	good &= memcmp(batch->data, before.data, sizeof(before.data)) == 0;
	good &= memcmp(batch->nblocks, before.nblocks,
		       sizeof(before.nblocks)) == 0;
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		const uint32_t done = batch->done[lane];

		good &= done <= batch->nblocks[lane];
		if (!good)
			return false;
		advanced += done;
		if (done == 0) {
			uint32_t was[SHA256_STATE_WORDS];
			uint32_t is_now[SHA256_STATE_WORDS];

			batch_get_state(&before, lane, was);
			batch_get_state(batch, lane, is_now);
			good &= memcmp(was, is_now, sizeof(was)) == 0;
			continue;
		}
		batch->data[lane] += done * SHA256_BLOCK_BYTES;
		batch->nblocks[lane] -= done;
		scene->left[lane] -= done;
	}
	return good && advanced > 0;
}

static bool
lane_is_right(const struct scene *scene, unsigned lane)
{
	uint32_t state[SHA256_STATE_WORDS];

	batch_get_state(&scene->batch, lane, state);
	return memcmp(state, scene->expected[lane], sizeof(state)) == 0;
}

static bool
scene_has_ended(const struct scene *scene)
{
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (scene->left[lane] > 0)
			return false;
	return true;
}

/* Steps without refill until all lanes have ended. */
static bool
scene_run(struct scene *scene, void *self, bool *contract)
{
	bool right = true;

	while (!scene_has_ended(scene)) {
		*contract &= scene_step(scene, self);
		if (!*contract)
			return false;
	}
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		right &= lane_is_right(scene, lane);
	return right;
}

static void
test_all_lane_counts(void *self, const char *name)
{
	bool contract = true, right = true, equal = true;
	struct scene scene;

	for (unsigned messages = 1; messages <= BATCH_LANES; messages++) {
		for (int i = 0; i < 8; i++) {
			scene_new(&scene, messages, i < 2 ? 2 : MOST_BLOCKS);
			right &= scene_run(&scene, self, &contract);
		}
		scene_new(&scene, messages, 1);
		equal &= scene_run(&scene, self, &contract);
	}
	ok(contract, "%s: every step keeps the contract", name);
	ok(right, "%s: 1 to 16 lanes of unequal lengths are right", name);
	ok(equal, "%s: 1 to 16 lanes of one block are right", name);
}

/* Lanes refilled as soon as they end, as the pipeline does it; other batches
 * take turns with theirs, as where the engine works for a device that failed. */
static void
test_refill(void *self, const char *name, unsigned messages)
{
	unsigned waited[BATCH_LANES] = { 0 };
	bool contract = true, right = true, fair = true;
	struct scene scene, other;

	scene_new(&scene, messages, MOST_BLOCKS);
	for (int step = 0; step < 200 && contract; step++) {
		scene_new(&other, 1 + random_32() % BATCH_LANES, MOST_BLOCKS);
		contract &= scene_step(&other, self);
		contract &= scene_step(&scene, self);
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			if (!scene.batch.data[lane])
				continue;
			waited[lane] =
				scene.batch.done[lane] ? 0 : waited[lane] + 1;
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
step_once(void *self, struct scene *scene, const uint32_t *nblocks, unsigned n)
{
	memset(scene, 0, sizeof(*scene));
	for (unsigned lane = 0; lane < n; lane++)
		scene_fill_lane(scene, lane, nblocks[lane]);
	engine_cpu.submit(self, &scene->batch, 1, NULL);
	engine_cpu.wait(self, NULL);
}

/* How many of so many lanes with one block each a group kernel advances:
 * those that do not fill another group wait if a narrower kernel is better. */
static const struct group_case {
	const char *words;
	const char *kernel;
	unsigned messages, advanced;
} group_cases[] = {
	{ "-slow512,-sha", "avx512vl-x8", 8, 8 },
	{ "-slow512,-sha", "avx512vl-x8", 9, 8 },
	{ "-slow512,-sha", "avx512vl-x8", 10, 10 },
	{ "-slow512,-sha", "avx512vl-x8", 11, 11 },
	{ "", "avx512vl-x8", 9, 8 },
	{ "", "avx512vl-x8", 11, 8 },
	{ "", "avx512-x16", 12, 12 },
	{ "-sha,-avx512", "avx2-x8", 3, 3 },
	{ "-sha,-avx512", "avx2-x8", 9, 8 },
	{ "-sha,-avx512", "avx2-x8", 10, 8 },
	{ "-sha,-avx512", "avx2-x8", 11, 11 },
	{ "-sha,-avx512,-avx2", "ssse3-x4", 5, 4 },
	{ "-sha,-avx512,-avx2", "ssse3-x4", 6, 4 },
	{ "-sha,-avx512,-avx2", "ssse3-x4", 7, 7 },
	{ "-sha,-avx512,-avx2", "ssse3-x4", 13, 12 },
	{ "-sha2", "neon-x4", 4, 4 },
	{ "-sha2", "neon-x4", 5, 4 },
	{ "-sha2", "neon-x4", 8, 8 },
	{ "-all", "portable-x1", 3, 3 },
};

static void
test_groups(void)
{
	static const uint32_t nblocks[BATCH_LANES] = { 1, 1, 1, 1, 1, 1, 1, 1,
						       1, 1, 1, 1, 1, 1, 1, 1 };

	for (size_t i = 0; i < sizeof(group_cases) / sizeof(*group_cases);
	     i++) {
		const struct group_case *row = &group_cases[i];
		uint32_t features = cpu_features_detect();
		struct engine_limits limits;
		unsigned advanced = 0;
		struct scene scene;

		cpu_features_hide(&features, row->words, NULL);
		if (strcmp(cpu_kernel_choose(features, row->messages)->name,
			   row->kernel) != 0 ||
		    cpu_kernel_rival(features, row->messages)) {
			tap_skip("%s is not the best here", row->kernel);
			continue;
		}
		void *self =
			engine_open(&engine_cpu, row->words, &limits, NULL);
		step_once(self, &scene, nblocks, row->messages);
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			advanced += scene.batch.done[lane];
		ok(advanced == row->advanced, "%s: of %u lanes %u advance",
		   row->kernel, row->messages, row->advanced);
		engine_cpu.close(self);
	}
}

/* Which lanes wait when all are equal: the last ones, then the others. */
static void
test_who_waits(const char *words)
{
	static const uint32_t nblocks[BATCH_LANES] = { 2, 2, 2, 2, 2, 2, 2, 2,
						       2, 2, 2, 2, 2, 2, 2, 2 };
	bool last_waits = true, first_later = true;

	for (unsigned n = 1; n <= BATCH_LANES; n++) {
		struct engine_limits limits;
		struct scene scene;
		bool waited = false;
		uint32_t waiting = 0;
		void *self = engine_open(&engine_cpu, words, &limits, NULL);

		step_once(self, &scene, nblocks, n);
		for (unsigned lane = 0; lane < n; lane++) {
			const bool waits = scene.batch.done[lane] == 0;

			last_waits &= waits || !waited;
			waited |= waits;
			waiting |= (uint32_t)waits << lane;
		}
		last_waits &= scene.batch.first_lanes == waiting;
		/* Even behind longer ones. */
		for (unsigned lane = 0; lane < n; lane++)
			scene_fill_lane(&scene, lane,
					waiting >> lane & 1 ? 1 : 5);
		engine_cpu.submit(self, &scene.batch, 1, NULL);
		for (unsigned lane = 0; lane < n; lane++)
			first_later &= !(waiting >> lane & 1) ||
				       scene.batch.done[lane] > 0;
		engine_cpu.close(self);
	}
	ok(last_waits, "'%s': of equal lanes the last ones wait", words);
	ok(first_later, "'%s': and are first in the next step", words);
}

/*
 * One message more than streams: the stream that ends first takes it, and the
 * step ends when the next stream ends, since there is no other.
 */
static void
test_streams(const char *words)
{
	uint32_t features = cpu_features_detect();

	cpu_features_hide(&features, words, NULL);
	for (unsigned n = 2; n <= BATCH_LANES; n++) {
		const struct cpu_kernel *kernel =
			cpu_kernel_choose(features, n);
		uint32_t nblocks[BATCH_LANES];
		struct engine_limits limits;
		struct scene scene;
		bool good = true;

		if (!kernel->run_streams || kernel->lanes + 1 != n)
			continue;
		for (unsigned lane = 0; lane < n; lane++)
			nblocks[lane] = 9;
		nblocks[n - 2] = 2;
		nblocks[n - 1] = 1;
		void *self = engine_open(&engine_cpu, words, &limits, NULL);
		step_once(self, &scene, nblocks, n);
		for (unsigned lane = 0; lane < n; lane++)
			good &= scene.batch.done[lane] ==
				(nblocks[lane] < 3 ? nblocks[lane] : 3);
		ok(good, "%s with %u messages: no stream stands idle",
		   kernel->name, n);
		engine_cpu.close(self);
	}
}

/* Without instructions for SHA-256, libcrypto is worth its loading time only
 * for more than so many blocks. */
static void
test_libcrypto_is_loaded_late(void)
{
	enum { BLOCKS = 4096 };
	struct engine_limits limits;
	uint32_t blocks = MOST_BLOCKS;
	struct scene scene;
	bool right = true;

	loads = libcrypto_calls = 0;
	void *self = engine_open(&engine_cpu, "-all", &limits, NULL);
	for (int i = 0; i < BLOCKS / MOST_BLOCKS - 1; i++) {
		step_once(self, &scene, &blocks, 1);
		right &= lane_is_right(&scene, 0);
	}
	blocks--;
	step_once(self, &scene, &blocks, 1);
	right &= lane_is_right(&scene, 0);
	ok(loads == 0, "libcrypto is not loaded for %d blocks", BLOCKS - 1);
	blocks = 1;
	for (int i = 0; i < 3; i++) {
		step_once(self, &scene, &blocks, 1);
		right &= lane_is_right(&scene, 0);
	}
	ok(loads == 1, "it is loaded once for %d blocks", BLOCKS);
	ok(right, "results are right before and after");
	struct libcrypto crypto;
	if (libcrypto_load(&crypto, NULL))
		ok(libcrypto_calls == 3, "and used from then on");
	else
		tap_skip("no libcrypto");
	libcrypto_unload(&crypto);
	engine_cpu.close(self);
}

static void
test_variant(const char *words)
{
	struct engine_limits limits = { .batches = 0 };
	struct diag diag;
	char name[64];

	snprintf(name, sizeof(name), "%s", *words ? words : "all features");
	void *self = engine_open(&engine_cpu, words, &limits, &diag);
	if (!ok(self != NULL, "%s: opens", name)) {
		tap_note("%s", diag.text);
		return;
	}
	tap_note("wants %u lanes", limits.lanes);
	ok(limits.batches == 1 && limits.lanes >= 1 &&
		   limits.lanes <= BATCH_LANES,
	   "%s: limits are sane", name);

	struct batch idle = { .nblocks = { 0 } };
	memset(idle.done, 0xff, sizeof(idle.done));
	engine_cpu.submit(self, &idle, 1, NULL);
	bool none = true;
	for (int lane = 0; lane < BATCH_LANES; lane++)
		none &= idle.done[lane] == 0;
	ok(none, "%s: nothing is done for idle lanes", name);

	test_all_lane_counts(self, name);
	for (unsigned messages = 1; messages <= BATCH_LANES; messages += 5)
		test_refill(self, name, messages);

	uint8_t *buffers[2 * BATCH_LANES];
	bool aligned = true;
	for (int i = 0; i < 2 * BATCH_LANES; i++) {
		buffers[i] = engine_cpu.alloc(self, 12345);
		aligned &= buffers[i] && (uintptr_t)buffers[i] % 64 == 0;
		if (buffers[i])
			memset(buffers[i], 0xff, 12345);
	}
	ok(aligned, "%s: buffers are aligned, and all of them writable", name);
	for (int i = 0; i < 2 * BATCH_LANES; i++)
		engine_cpu.free(self, buffers[i], 12345);
	engine_cpu.free(self, NULL, 12345);
	ok(mapped_bytes == 0, "%s: all memory of buffers is given back", name);
	engine_cpu.close(self);
}

/* Each kernel that can run must be somebody's choice, or it is dead code. */
static void
test_every_kernel_is_chosen(void)
{
	const uint32_t machine = cpu_features_detect();

	for (const struct cpu_kernel *kernel = cpu_kernels; kernel->name;
	     kernel++) {
		bool chosen = kernel->needs == 0 ||
			      (machine & kernel->needs) != kernel->needs;

		for (const char *const *words = variants; *words; words++) {
			uint32_t features = machine;

			cpu_features_hide(&features, *words, NULL);
			for (unsigned n = 1; n <= BATCH_LANES; n++)
				chosen |= cpu_kernel_choose(features, n) ==
					  kernel;
		}
		ok(chosen, "some variant here chooses %s, if it can run",
		   kernel->name);
	}
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_32();

	unsetenv("QPU_SHA256SUM_CPU");
	ok(engine_probe(&engine_cpu, NULL), "the engine can run anywhere");
	for (const char *const *words = variants; *words; words++) {
		test_variant(*words);
		test_streams(*words);
		test_who_waits(*words);
	}
	test_groups();
	test_libcrypto_is_loaded_late();
	test_every_kernel_is_chosen();
	return tap_done();
}
