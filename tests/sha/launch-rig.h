/* SPDX-License-Identifier: MIT */
/*
 * launch-rig: a launch of 12 QPUs with memory of its own, batches for it, and
 * the memory that their data lie in.  Header only.
 */
#ifndef TESTS_ENGINE_LAUNCH_RIG_H
#define TESTS_ENGINE_LAUNCH_RIG_H

#include <stdlib.h>
#include <string.h>

#include "qpu/sha/lanes_launch.h"
#include "qpu/sha/lanes_memory.h"

enum {
	QPUS = 12,
	LANES = QPUS * BATCH_LANES,
	/* A lane's place: all blocks that one may have, and the slack. */
	STRIDE = 40 * 1024,
	BUS = 0x50000000,
	MOST = SEGMENT_DATA_BLOCKS
};

static struct lanes_launch launch;
static struct device_memory data;
static struct batch batches[QPUS];
static struct diag why;

static inline void
get_memory(struct device_memory *memory, size_t bytes, uint32_t bus)
{
	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	*memory = (struct device_memory){ .cpu = aligned_alloc(DEVICE_PAGE,
							       bytes),
					  .bus = bus,
					  .bytes = bytes };
	if (!memory->cpu)
		exit(99);
	memset(memory->cpu, 0x5a, bytes);
}

static inline void
begin(unsigned most_segments)
{
	struct device_memory own;

	get_memory(&own, lanes_bytes(QPUS, most_segments), BUS);
	if (!lanes_init(&launch, QPUS, most_segments, &own, nonce_begin()))
		exit(99);
	memset(batches, 0, sizeof(batches));
}

static inline void
end(void)
{
	free(launch.memory.cpu);
	lanes_free(&launch);
}

static inline uint8_t *
place_of(unsigned lane)
{
	return (uint8_t *)data.cpu + (size_t)lane * STRIDE;
}

static inline void
put(unsigned lane, uint32_t blocks)
{
	struct batch *batch = &batches[lane / BATCH_LANES];

	batch->data[lane % BATCH_LANES] = place_of(lane);
	batch->nblocks[lane % BATCH_LANES] = blocks;
}

static inline bool
plan(uint32_t most_blocks)
{
	return lanes_plan(&launch, batches, QPUS, &data, 1, most_blocks, &why);
}

#endif
