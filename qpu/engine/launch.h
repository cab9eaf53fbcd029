/* SPDX-License-Identifier: MIT */
/*
 * launch: what the QPUs find in memory when they start, made from batches, and
 * what is made of it when they have ended.
 *
 * Each QPU works on a batch; its lanes go through their messages one behind
 * the other, segment by segment (segment_plan.h, kernel/abi.h).
 *
 * Trust.  A launch proves itself:
 * - The last message of every lane is a known answer, another one in each lane
 *   and launch, written behind the lane's own blocks, so that it takes the way
 *   of all others.  A lane that is wrong from some point on is found.
 * - Every QPU ends with a seal: the launch's nonce and the address at which
 *   each of its lanes has arrived.  Results of another launch, exchanged
 *   lanes and missing blocks are found.
 * - Places of results are filled with a pattern before.  What was not stored
 *   is found.
 * Results leave only when all of this is right; states and data of before are
 * with the caller until then, and nothing older can be in doubt.
 */
#ifndef QPU_ENGINE_LAUNCH_H
#define QPU_ENGINE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/device/device.h"
#include "qpu/engine/known_answer.h"
#include "qpu/engine/segment_plan.h"
#include "src/base/batch.h"
#include "src/base/diag.h"

enum {
	/* Written or read behind the last block of a lane: the known answer
	 * and what is fetched ahead. */
	LAUNCH_SLACK_BYTES = 336,
	/* Read behind a buffer with lanes, at most, when the last of them is
	 * short. */
	LAUNCH_TAIL_BYTES = 33280,
	/* Records of a QPU and launch: as many as are wanted, and as few as
	 * will do when memory is short. */
	LAUNCH_SEGMENTS = 512,
	LAUNCH_SEGMENTS_LEAST = 16,
	/* A launch lasts as long as so many blocks, however few it has: 85 us
	 * for the mailbox and 90 for cold caches, 28 for a block (modelled,
	 * 250 MHz). */
	LAUNCH_COST_BLOCKS = 6
};

/* What a lane does: blocks of messages, perhaps none, then a known answer. */
struct launch_lane {
	uint32_t blocks;
	unsigned known; /* the message */
	unsigned known_blocks;
	uint32_t bus; /* of its first block */
	/* The place of the known answer, and what is to be put back there. */
	uint8_t *place;
	bool put_back;
	uint8_t saved[KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES];
};

struct launch {
	unsigned qpus;
	unsigned most_segments;
	struct device_memory memory; /* constants, code, jobs, idle lanes */
	uint8_t *results;	     /* copies, not in device memory */
	uint64_t turn;		     /* number of the launch */

	/* This launch. */
	unsigned nprograms;
	struct device_program programs[DEVICE_QPUS];
	unsigned batches[DEVICE_QPUS]; /* that the programs work on */
	struct launch_lane lanes[DEVICE_QPUS][BATCH_LANES];
	struct segment_plan plans[DEVICE_QPUS];
	uint32_t longest; /* blocks of its longest QPU */
	uint64_t blocks;  /* of messages */
	uint64_t vectors; /* blocks of 16 lanes, full or not */
};

/* Memory of its own that a launch takes. */
size_t
launch_bytes(unsigned qpus, unsigned most_segments);

/* The memory is the caller's, and stays until the end.  False: out of memory,
 * of the CPU's. */
bool
launch_init(struct launch *, unsigned qpus, unsigned most_segments,
	    const struct device_memory *memory);

void
launch_free(struct launch *);

/* All lanes of all QPUs hash nothing but known answers. */
void
launch_plan_test(struct launch *);

/*
 * The next blocks of batches[0..n), n <= qpus, whose data lie in one of the
 * memories: at most most_blocks of a lane, and no more than pays.  False when
 * data lie elsewhere.
 */
bool
launch_plan(struct launch *, const struct batch *batches, unsigned n,
	    const struct device_memory *memories, unsigned nmemories,
	    uint32_t most_blocks, struct diag *why);

/* What it will do of each lane: to `done` of the batches. */
void
launch_announce(const struct launch *, struct batch *batches, unsigned n);

/* Do lanes of the planned launch lie in a memory? */
bool
launch_reads(const struct launch *, const struct device_memory *);

/* It has run, well or not.  Results are copied out of the device's memory,
 * which the CPU may read slowly: what is checked is what is collected.  Data
 * behind the blocks are again what they were. */
void
launch_take(struct launch *);

/* Has it proved itself?  Else what is wrong. */
bool
launch_check(const struct launch *, struct diag *why);

/* States, ends of messages and blocks done go back to the batches. */
void
launch_collect(const struct launch *, struct batch *batches, unsigned n);

#endif
