/* SPDX-License-Identifier: MIT */
/*
 * Promise: with whatever features the CPU has, messages of any number and
 * lengths get their hash values side by side, each of them once.
 */
#include "config.h"

#include "cpu/side_by_side.h"

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
	/* The message of each lane, or MOST, and its blocks that are left. */
	size_t in_lane[CPU_LANES], left[CPU_LANES];
	size_t nblocks[MOST];
	const uint8_t *data[MOST];
	uint32_t after[MOST][SHA256_STATE_WORDS];
};

static uint8_t bytes[2 * MOST_BLOCKS * SHA256_BLOCK_BYTES];

/* Some messages come in parts. */
static bool
more(void *self, unsigned i, struct engine_lane *lane)
{
	struct scene *const scene = self;
	const size_t message = scene->in_lane[i];

	if (scene->left[i] == 0)
		return false;
	lane->data =
		scene->data[message] +
		(scene->nblocks[message] - scene->left[i]) * SHA256_BLOCK_BYTES;
	lane->nblocks = 1 + random_32() % scene->left[i];
	scene->left[i] -= lane->nblocks;
	return true;
}

static bool
next(void *self, unsigned lane_index, struct engine_lane *lane)
{
	struct scene *const scene = self;
	const size_t ended = scene->in_lane[lane_index], i = scene->next;

	if (ended < MOST) {
		scene->ends[ended]++;
		memcpy(scene->after[ended], lane->state, sizeof(*scene->after));
	}
	scene->in_lane[lane_index] = MOST;
	if (i == scene->n || (i > 0 && scene->waits_for[i] < i &&
			      !scene->ends[scene->waits_for[i]]))
		return false;
	scene->in_lane[lane_index] = scene->next++;
	scene->left[lane_index] = scene->nblocks[i];
	memcpy(lane->state, sha256_initial, sizeof(lane->state));
	return more(scene, lane_index, lane);
}

/* Equal lengths, or any; now and then one that has to wait for another. */
static void
make_scene(struct scene *scene, size_t n, bool equal)
{
	*scene = (struct scene){ .n = n };
	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		scene->in_lane[lane] = MOST;
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
			const struct side_by_side_supply supply = {
				.self = &scene, .more = more, .next = next
			};

			make_scene(&scene, round % MOST, round & 1);
			side_by_side_run(features,
					 round < 2 * MOST ?
						 CPU_LANES :
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
