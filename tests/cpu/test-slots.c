/* SPDX-License-Identifier: MIT */
/*
 * Promise: with whatever features the CPU has, messages of any number and
 * lengths get their hash values side by side, each of them once.
 */
#include "config.h"

#include "cpu/slots.h"

#include <stdlib.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/sha256.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { MOST = 48, MOST_BLOCKS = 40 };

struct scene {
	size_t n, next;
	/* The next message may not begin before this one has ended. */
	size_t waits_for[MOST];
	unsigned ends[MOST];
	size_t nblocks[MOST];
	const uint8_t *data[MOST];
	uint32_t after[MOST][SHA256_STATE_WORDS];
};

static uint8_t bytes[2 * MOST_BLOCKS * SHA256_BLOCK_BYTES];

static bool
next(void *self, struct slot *slot)
{
	struct scene *const scene = self;
	const size_t i = scene->next;
	size_t first;

	if (i == scene->n || (i > 0 && scene->waits_for[i] < i &&
			      !scene->ends[scene->waits_for[i]]))
		return false;
	scene->next++;
	/* Some are in two places. */
	first = 1 + random_32() % scene->nblocks[i];
	slot->item = i;
	slot->data[0] = scene->data[i];
	slot->nblocks[0] = first;
	slot->data[1] = scene->data[i] + first * SHA256_BLOCK_BYTES;
	slot->nblocks[1] = scene->nblocks[i] - first;
	memcpy(slot->state, sha256_initial, sizeof(slot->state));
	return true;
}

static void
ended(void *self, const struct slot *slot)
{
	struct scene *const scene = self;

	scene->ends[slot->item]++;
	memcpy(scene->after[slot->item], slot->state, sizeof(*scene->after));
}

/* Equal lengths, or any; now and then one that has to wait for another. */
static void
make_scene(struct scene *scene, size_t n, bool equal)
{
	*scene = (struct scene){ .n = n };
	for (size_t i = 0; i < n; i++) {
		const uint32_t offset = random_32() % sizeof(bytes) / 2;

		scene->nblocks[i] = equal ? 17 : 1 + random_32() % MOST_BLOCKS;
		scene->data[i] = bytes + offset;
		scene->waits_for[i] =
			random_32() % 8 == 0 ? random_32() % (i + 1) : MOST;
	}
}

static bool
is_right(const struct scene *scene)
{
	for (size_t i = 0; i < scene->n; i++) {
		uint32_t state[SHA256_STATE_WORDS];

		memcpy(state, sha256_initial, sizeof(state));
		sha256_blocks(state, scene->data[i], scene->nblocks[i]);
		if (scene->ends[i] != 1 ||
		    memcmp(state, scene->after[i], sizeof(state)) != 0)
			return false;
	}
	return true;
}

int
main(void)
{
	/* Each set leads to other kernels, in one form or in both. */
	static const struct {
		const char *name;
		uint32_t without, with;
	} rows[] = {
		{ "all features", 0, 0 },
		{ "sixteen lanes of AVX-512 and SHA", 0, CPU_FAST512 },
		{ "no AVX-512", CPU_AVX512F | CPU_AVX512VL | CPU_AVX512BW, 0 },
		{ "no SHA instructions", CPU_SHA | CPU_SHA2, 0 },
		{ "AVX2", CPU_SHA | CPU_AVX512F, 0 },
		{ "SSSE3", CPU_SHA | CPU_AVX512F | CPU_AVX2, 0 },
		{ "SSE2", CPU_SHA | CPU_AVX512F | CPU_AVX2 | CPU_SSSE3, 0 },
		{ "no features", UINT32_MAX, 0 },
	};

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_32();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint32_t features =
			(cpu_features_detect() & ~rows[i].without) |
			rows[i].with;
		bool right = true;

		for (unsigned round = 0; round < 4 * MOST; round++) {
			struct scene scene;
			const struct slot_supply supply = { .self = &scene,
							    .next = next,
							    .ended = ended };

			make_scene(&scene, round % MOST, round & 1);
			slots_run(features,
				  round < 2 * MOST ? CPU_LANES :
						     1 + round % CPU_LANES,
				  &supply);
			right &= is_right(&scene);
		}
		ok(right, "0 to %d messages get their hash values with %s (%s)",
		   MOST - 1, rows[i].name,
		   cpu_kernel_choose(features, CPU_LANES)->name);
	}
	return tap_done();
}
