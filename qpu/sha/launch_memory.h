/* SPDX-License-Identifier: MIT */
/*
 * launch_memory: the layout of a launch's device memory.
 *
 *	constants, uniforms of each QPU, blocks of the openings and closings, code
 *	for each QPU: opening (a job and its record), job, records, closing, seal
 *	lanes without blocks, and as many bytes after them as a QPU may read
 *
 * The blocks of the openings and closings tell whether a launch has cleared the
 * caches of the QPUs: a QPU's last lookups in one launch and its first lookups in
 * the next one are of the same places, with other contents each time.
 *
 *	of odd openings, even closings	lanes 8 to 15
 *	of all				lanes 0 to 7
 *	of even openings, odd closings	lanes 8 to 15
 *
 * The lines of the first half of the lanes are those that a slice had last, even
 * if it was idle in between.  Those of the second half are new to the slice at
 * the end of a launch, so that it has to ask L2 for them, and L2 has them.
 */
#ifndef QPU_ENGINE_LAUNCH_MEMORY_H
#define QPU_ENGINE_LAUNCH_MEMORY_H

#include "qpu/sha/launch.h"
#include "qpu/kernel/abi.h"

/* Words of a row: what a QPU stores at once. */
enum { LAUNCH_ROW_WORDS = KERNEL_LANES };

/* Bus address of something in the memory. */
uint32_t
launch_bus(const struct launch *, const void *what);

const struct kernel_constants *
launch_constants(const struct launch *);

/* A job before or after that of the batch, and its record. */
struct launch_frame {
	struct kernel_job job;
	struct kernel_record record;
};

struct launch_frame *
launch_frame(const struct launch *, unsigned program, enum launch_side);

/* The block of a lane in the openings, or closings, of all programs. */
uint8_t *
launch_frame_block(const struct launch *, enum launch_side, unsigned lane);

struct kernel_job *
launch_job(const struct launch *, unsigned program);

/* The record of a segment, counted from 0; the closing follows the last one. */
struct kernel_record *
launch_record(const struct launch *, unsigned program, unsigned segment);

struct kernel_seal *
launch_seal(const struct launch *, unsigned program);

/* The copies that launch_take made, one after the other: the record of a
 * program's opening, its records, the record of its closing, and the seal. */
struct kernel_record *
launch_taken_frame(const struct launch *, unsigned program, enum launch_side);
struct kernel_record *
launch_results(const struct launch *, unsigned program);
struct kernel_seal *
launch_taken_seal(const struct launch *, unsigned program);

/* The place of a lane without blocks. */
uint8_t *
launch_idle_lane(const struct launch *, unsigned program, unsigned lane);

/* The number with which a program seals its launch. */
uint32_t
launch_nonce(const struct launch *, unsigned program);

/* Places of results hold this until something is stored there. */
static inline uint32_t
launch_poison(const struct launch *launch, unsigned program)
{
	return ~launch_nonce(launch, program);
}

/* Bits of lanes in the order in which the kernel shifts them out. */
static inline uint32_t
launch_begins(uint16_t lanes)
{
	uint32_t mask = 0;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (lanes >> lane & 1)
			mask |= UINT32_C(1) << (31 - lane);
	return mask;
}

#endif
