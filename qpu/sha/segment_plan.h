/* SPDX-License-Identifier: MIT */
/*
 * segment_plan: where the segments of one QPU's launch end.
 *
 * All 16 lanes of a QPU hash the same number of blocks.  Each lane has first
 * blocks of messages, perhaps none, then a known answer, and then bytes that
 * mean nothing:
 *
 *	lane 0	|--- message ---|-- message --|-- known --|
 *	lane 1	|------ message that goes on -------|- known -|
 *	lane 2	|- known -|........ anything, not used .......|
 *	segments          ^     ^             ^     ^     ^   ^
 *
 * A segment ends wherever a lane's state is wanted or a message begins in a
 * lane: after each message, after the last block of messages, and after the
 * known answer (kernel/abi.h has the records that the QPUs then store).
 */
#ifndef QPU_SHA_SEGMENT_PLAN_H
#define QPU_SHA_SEGMENT_PLAN_H

#include <stdint.h>

#include "src/base/batch.h"

enum {
	/* Blocks of messages in a lane and launch, and of the known answer after
	 * them. */
	SEGMENT_DATA_BLOCKS = 512,
	SEGMENT_KNOWN_BLOCKS = 1,
	SEGMENT_BLOCKS = SEGMENT_DATA_BLOCKS + SEGMENT_KNOWN_BLOCKS,
	/* Fewest segments that a plan may be limited to. */
	SEGMENTS_LEAST = 2 * SEGMENT_KNOWN_BLOCKS
};

/* The course of a lane. */
struct segment_lane {
	uint32_t blocks; /* of messages, <= SEGMENT_DATA_BLOCKS */
	/* Ends of messages, as in struct batch; some may be beyond blocks. */
	const struct batch_end *ends;
	uint32_t nends;
	uint32_t known; /* blocks of the known answer */
};

struct segment_plan {
	uint32_t blocks; /* of the launch, in every lane */
	unsigned nsegments;
	/* For each block of the launch, counted from 1: the number of the
	 * segment that ends after it, counted from 1, or 0; and the lanes in
	 * which a message or the known answer begins then, bit 0 = lane 0. */
	uint16_t number[SEGMENT_BLOCKS + 1];
	uint16_t begins[SEGMENT_BLOCKS + 1];
};

/* The most blocks of messages that a lane may have so that there are at most
 * most_segments segments; most_segments >= SEGMENTS_LEAST. */
uint32_t
segment_plan_limit(const struct segment_lane lanes[BATCH_LANES],
		   unsigned most_segments);

void
segment_plan_make(struct segment_plan *plan,
		  const struct segment_lane lanes[BATCH_LANES]);

#endif
