/* SPDX-License-Identifier: MIT */
/*
 * launch_memory: the layout of a launch's device memory.
 *
 *	constants, uniforms of each QPU, code
 *	blocks of the openings
 *	for each QPU: opening (a job and its record), job, records, seal
 *	lanes without blocks, and as many bytes after them as a QPU may read
 */
#ifndef QPU_ENGINE_LAUNCH_MEMORY_H
#define QPU_ENGINE_LAUNCH_MEMORY_H

#include "qpu/engine/launch.h"
#include "qpu/kernel/abi.h"

/* Words of a row: what a QPU stores at once. */
enum { LAUNCH_ROW_WORDS = KERNEL_LANES };

/* Bus address of something in the memory. */
uint32_t
launch_bus(const struct launch *, const void *what);

const struct kernel_constants *
launch_constants(const struct launch *);

/* The job before that of the batch, and its record. */
struct launch_opening {
	struct kernel_job job;
	struct kernel_record record;
};

struct launch_opening *
launch_opening(const struct launch *, unsigned program);

/* The block of a lane in the openings of all programs. */
uint8_t *
launch_opening_block(const struct launch *, unsigned lane);

struct kernel_job *
launch_job(const struct launch *, unsigned program);

/* The record of a segment, counted from 0; the seal follows the last one. */
struct kernel_record *
launch_record(const struct launch *, unsigned program, unsigned segment);

struct kernel_seal *
launch_seal(const struct launch *, unsigned program);

/* The copy of a program's records and seal that launch_take made. */
struct kernel_record *
launch_results(const struct launch *, unsigned program);

/* That of the record of its opening. */
struct kernel_record *
launch_opened(const struct launch *, unsigned program);

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
