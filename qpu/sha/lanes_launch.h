/* SPDX-License-Identifier: MIT */
/*
 * lanes_launch: the memory that the QPUs find when they start, filled from batches,
 * and the results that go back to the batches when they have ended.
 *
 * Each QPU works on a batch; its lanes go through their messages one after the
 * other, segment by segment (segment_plan.h, kernel/abi.h).
 *
 * A launch proves itself: each QPU begins with an *opening*, a job with known
 * answers, and ends with a *closing* and a seal; each lane ends with a known
 * answer.  README.md says what each of them finds.  Results leave only when all
 * of this is right.  Until then the caller has the states and data from before
 * the launch.
 */
#ifndef QPU_SHA_LANES_LAUNCH_H
#define QPU_SHA_LANES_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/sha/known.h"
#include "qpu/sha/segment_plan.h"
#include "qpu/ways/way.h"
#include "src/base/batch.h"
#include "src/base/diag.h"

enum {
	/* Bytes after the last block of a lane that are written or read: the
	 * known answer and what is fetched ahead. */
	LANES_SLACK_BYTES = 144,
	/* Bytes after a buffer with lanes that are read, at most, when the
	 * last lane is short. */
	LANES_TAIL_BYTES = 33280,
	/* Records of a QPU in a launch: the number that is wanted, and the
	 * number that will do when memory is short. */
	LANES_SEGMENTS = 512,
	LANES_SEGMENTS_LEAST = 8,
	/* Starting and ending a launch costs the time of 6 blocks: 85 us for
	 * the mailbox and 90 us for cold caches, where a block takes 28 us
	 * (modelled, 250 MHz).  The closing takes 50 us more; with 8 blocks
	 * here 3,000 log-uniform files would be faster by 0.1 %. */
	LANES_COST_BLOCKS = 6
};

/* The jobs before and after that of the batch. */
enum lanes_side { LANES_OPENING, LANES_CLOSING, LANES_SIDES };

/* What a lane does: blocks of messages, then a known answer of a block; or a run of
 * the chain of known answers (known.h), if it has none. */
struct lane_course {
	uint32_t blocks;
	unsigned known; /* number of the known answer's message */
	unsigned known_blocks;
	unsigned start; /* of the run: its first block in the chain */
	uint32_t bus;	/* of its first block */
	/* The place of the known answer, and the bytes to be put back there. */
	uint8_t *place;
	bool put_back;
	uint8_t saved[SEGMENT_KNOWN_BLOCKS * SHA256_BLOCK_BYTES];
};

struct lanes_launch {
	unsigned qpus;
	unsigned most_segments;
	struct device_memory memory; /* constants, code, jobs, idle lanes */
	uint8_t *results;	     /* copies, not in device memory */
	uint64_t turn;		     /* number of the launch */
	uint32_t salt; /* by chance, another one in each process */
	struct known known;

	/* This launch. */
	struct device_program programs[DEVICE_QPUS]; /* of all QPUs */
	unsigned nbatches; /* that the first of them work on */
	unsigned batches[DEVICE_QPUS];
	struct lane_course lanes[DEVICE_QPUS][BATCH_LANES];
	struct segment_plan plans[DEVICE_QPUS];
	/* What a QPU loads before its first segment. */
	uint32_t loaded[DEVICE_QPUS][SHA256_STATE_WORDS][BATCH_LANES];
	/* Of the openings and closings, the block of each lane in the chain; and
	 * what was at the places of the openings in the launch before. */
	unsigned frames[LANES_SIDES][BATCH_LANES];
	unsigned old_frames[BATCH_LANES];
	bool is_short; /* programs have an opening or a closing, not both */
	bool adds;     /* it tests all sums of 16 bits; set before a plan */
	/* Blocks of its longest QPU; openings and closings are not counted. */
	uint32_t longest;
	uint64_t blocks;  /* of messages */
	uint64_t vectors; /* blocks of 16 lanes, full or idle */
};

/* Bytes of memory that a launch needs for itself. */
size_t
lanes_bytes(unsigned qpus, unsigned most_segments);

/* The memory is the caller's, and stays until the end.  All that is random
 * follows from the nonce.  False: the CPU is out of memory. */
bool
lanes_init(struct lanes_launch *, unsigned qpus, unsigned most_segments,
	   const struct device_memory *memory, struct nonce);

void
lanes_free(struct lanes_launch *);

/*
 * Plan a launch with the next blocks of batches[0..n), n <= qpus, whose data
 * are in one of the memories: at most most_blocks of a lane, and no more than
 * pays.  QPUs that have no batch hash known answers, so that n = 0 is a test of all
 * of them, of most_blocks.  False when data are elsewhere.
 */
bool
lanes_plan(struct lanes_launch *, const struct batch *batches, unsigned n,
	   const struct device_memory *memories, unsigned nmemories,
	   uint32_t most_blocks, struct diag *why);

/* Set `done` of the batches to the blocks that the launch will do. */
void
lanes_announce(const struct lanes_launch *, struct batch *batches, unsigned n);

/* Does the planned launch read from this memory? */
bool
lanes_reads(const struct lanes_launch *, const struct device_memory *);

/* After a run, whether it failed or not: copy the results out of the device's
 * memory, which the CPU may read slowly, so that what is checked is what is
 * collected; and put back the data that known answers have overwritten. */
void
lanes_take(struct lanes_launch *);

/* Has the launch proved itself?  False and what is wrong. */
bool
lanes_check(const struct lanes_launch *, struct diag *why);

/* Give states, ends of messages and blocks done to the batches. */
void
lanes_collect(const struct lanes_launch *, struct batch *batches, unsigned n);

#endif
