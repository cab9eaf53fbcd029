/* SPDX-License-Identifier: MIT */
/*
 * lanes_memory: the layout of a launch's device memory.
 *
 *	constants, uniforms of each QPU, blocks of the openings and closings, code
 *	for each QPU: opening (a job and its record), job, records, closing, seal
 *	the chain of known answers, and as many bytes after it as a QPU may read
 *
 * The blocks of the openings and closings tell whether a launch has cleared the
 * caches of the QPUs: a QPU's last lookups in one launch and its first lookups in
 * the next one are of the same places, with other contents each time.  They go
 * round a ring, so that all sets of the caches have their turn:
 *
 *	launch 1	opening  0 ... 7 8 ... 15
 *			closing          8 ... 15 16 ... 23
 *	launch 2	opening          8 ... 15 16 ... 23
 *			closing                   16 ... 23 24 ... 31
 *
 * Of a closing's lines a slice may have the first half.  Those of the second half
 * are new to it, so that it has to ask L2 for them, and L2 has them.
 */
#ifndef QPU_SHA_LANES_MEMORY_H
#define QPU_SHA_LANES_MEMORY_H

#include "qpu/kernel/abi.h"
#include "qpu/sha/lanes_launch.h"

/* Words of a row: what a QPU stores at once. */
enum { LANES_ROW_WORDS = KERNEL_LANES };

/* Bus address of something in the memory. */
uint32_t
lanes_bus(const struct lanes_launch *, const void *what);

const struct kernel_constants *
lanes_constants(const struct lanes_launch *);

/* A job before or after that of the batch, and its record. */
struct lanes_frame {
	struct kernel_job job;
	struct kernel_record record;
};

struct lanes_frame *
lanes_frame(const struct lanes_launch *, unsigned program, enum lanes_side);

/* Has a program an opening, or a closing?  In a short launch it has one of them: QPUs
 * that share caches have both together. */
static inline bool
lanes_has(const struct lanes_launch *launch, unsigned program,
	  enum lanes_side side)
{
	return !launch->is_short ||
	       (program + launch->turn / 2) % LANES_SIDES == side;
}

/* The block of a lane in the openings, or closings, of all programs; and its
 * place in the ring. */
unsigned
lanes_frame_place(const struct lanes_launch *, enum lanes_side, unsigned lane);
uint8_t *
lanes_frame_block(const struct lanes_launch *, enum lanes_side, unsigned lane);

struct kernel_job *
lanes_job(const struct lanes_launch *, unsigned program);

/* The record of a segment, counted from 0; the closing follows the last one. */
struct kernel_record *
lanes_record(const struct lanes_launch *, unsigned program, unsigned segment);

struct kernel_seal *
lanes_seal(const struct lanes_launch *, unsigned program);

/* The uniforms with which a program begins, an opening or else its batch. */
void
lanes_begin(const struct lanes_launch *, unsigned program);

/* The copies that lanes_take made, one after the other: the record of a
 * program's opening, its records, the record of its closing, and the seal. */
struct kernel_record *
lanes_taken_frame(const struct lanes_launch *, unsigned program,
		  enum lanes_side);
struct kernel_record *
lanes_results(const struct lanes_launch *, unsigned program);
struct kernel_seal *
lanes_taken_seal(const struct lanes_launch *, unsigned program);

/* What a lane of an opening or closing has hashed before its block (after = 0)
 * or with it (1). */
static inline const uint32_t *
lanes_frame_state(const struct lanes_launch *launch, enum lanes_side side,
		  unsigned lane, unsigned after)
{
	return launch->known.chain[launch->frames[side][lane] + after];
}

/* The place of a block of the chain of known answers, and what a lane without
 * blocks has hashed before its run (0) or with it. */
uint8_t *
lanes_chain(const struct lanes_launch *, unsigned block);

static inline const uint32_t *
lanes_idle_state(const struct lanes_launch *launch,
		 const struct lane_course *lane, unsigned blocks)
{
	return launch->known.chain[lane->start + blocks];
}

/* The turns of additions at the end. */
static inline uint32_t
lanes_turns(const struct lanes_launch *launch)
{
	return launch->adds ? KERNEL_SUM_TURNS : 0;
}

/* The number with which a program seals its launch. */
uint32_t
lanes_nonce(const struct lanes_launch *, unsigned program);

/* Places of results hold this until something is stored there. */
static inline uint32_t
lanes_poison(const struct lanes_launch *launch, unsigned program)
{
	return ~lanes_nonce(launch, program);
}

/* Bits of lanes in the order in which the kernel shifts them out. */
static inline uint32_t
lanes_begins(uint16_t lanes)
{
	uint32_t mask = 0;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (lanes >> lane & 1)
			mask |= UINT32_C(1) << (31 - lane);
	return mask;
}

#endif
