/* SPDX-License-Identifier: MIT */
/*
 * launch-rig: a launch on 12 emulated QPUs, batches for it, and the memory that
 * their data lie in.  Header only.
 */
#ifndef TESTS_SHA_LAUNCH_RIG_H
#define TESTS_SHA_LAUNCH_RIG_H

#include <stdlib.h>
#include <string.h>

#include "qpu/sha/lanes_launch.h"
#include "qpu/ways/emulated.h"
#include "qpu/ways/way.h"

enum {
	QPUS = 12,
	LANES = QPUS * BATCH_LANES,
	/* A lane's place: all blocks that one may have, and the slack. */
	STRIDE = 40 * 1024,
	MOST = SEGMENT_DATA_BLOCKS
};

static struct lanes_launch launch;
static struct device_memory own, data; /* of the launch, of the batches */
static struct batch batches[QPUS];
static struct diag why;
static void *device;

/* The emulated device of all launches. */
static inline void
open_device(void)
{
	unsigned qpus;

	device = device_emu.open("qpus=12", &qpus, &why);
	if (!device ||
	    !device_emu.alloc(device, lanes_bytes(QPUS, LANES_SEGMENTS), &own,
			      &why) ||
	    !device_emu.alloc(device, (size_t)LANES * STRIDE, &data, &why))
		exit(99);
	memset(data.cpu, 0x5a, data.bytes);
}

static inline void
begin(unsigned most_segments)
{
	if (!lanes_init(&launch, QPUS, most_segments, &own, nonce_begin()))
		exit(99);
	memset(batches, 0, sizeof(batches));
}

static inline bool
run_launch(void)
{
	return device_emu.run(device, launch.programs, launch.qpus, 0, 1000,
			      &why) == DEVICE_OK;
}

static inline void
end(void)
{
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
