/* SPDX-License-Identifier: MIT */
/*
 * lanes_launch: a launch in lanes: what it hashes (lanes_launch.c), the memory
 * that the QPUs find when they start (lanes_memory.c), and what is made of their
 * results (lanes_result.c).
 *
 * Each QPU works on a row of 16 lanes that all hash the same number of blocks:
 * first blocks of messages, perhaps none, then a known answer, and then bytes
 * that mean nothing:
 *
 *	lane 0	|--- message ---|-- message --|-- known --|
 *	lane 1	|------ message that goes on -------|- known -|
 *	lane 2	|- known -|........ anything, not used .......|
 *	segments          ^     ^             ^     ^     ^   ^
 *
 * A *segment* ends wherever a lane's state is wanted or a message begins in a
 * lane: then the QPU stores a record (kernel/abi.h).
 *
 * A launch proves itself.  What each part finds:
 *
 *	known answer	of a block at the end of each lane: what is wrong with the
 *			lane, its QPU or the constants then, for all operands
 *	run		of known answers in each lane without messages, for as long as
 *			the others work: what is seldom wrong
 *	seal and sum	over all that was loaded and stored, by place: a word that
 *			changed on its way, was not stored, or is another segment's,
 *			lane's, QPU's or launch's; a program that hashed less or more
 *
 * A fault that begins and is over before the end of a lane is found by none of
 * these, but perhaps by the sample (sample.h).  Results leave only when all of this
 * is right.  Until then the caller has the states and data from before the launch.
 */
#ifndef QPU_SHA_LANES_LAUNCH_H
#define QPU_SHA_LANES_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/kernel/abi.h"
#include "qpu/sha/known.h"
#include "qpu/ways/way.h"
#include "src/base/diag.h"
#include "src/base/engine.h"

enum {
	/* Blocks of messages in a lane and launch, and of the known answer after
	 * them. */
	SEGMENT_DATA_BLOCKS = 512,
	SEGMENT_KNOWN_BLOCKS = 1,
	SEGMENT_BLOCKS = SEGMENT_DATA_BLOCKS + SEGMENT_KNOWN_BLOCKS,
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
	 * (modelled, 250 MHz). */
	LANES_COST_BLOCKS = 6,
	/* Words of a row: what a QPU stores at once. */
	LANES_ROW_WORDS = KERNEL_LANES
};

/* A lane's work: blocks of messages, then a known answer of a block; or,
 * without messages, a run of the chain of known answers (known.h). */
struct lane_plan {
	struct engine_lane *of; /* NULL: no message */
	uint32_t blocks;	/* of it; some of its ends may be beyond */
	unsigned known;		/* number of the known answer's message */
	unsigned known_blocks;
	unsigned start; /* of the run: its first block in the chain */
	uint32_t bus;	/* of its first block */
	/* The place of the known answer, and the bytes to be put back there. */
	uint8_t *place;
	bool put_back;
	uint8_t saved[SEGMENT_KNOWN_BLOCKS * SHA256_BLOCK_BYTES];
};

struct segment_plan {
	uint32_t blocks; /* of the launch, in every lane */
	unsigned nsegments;
	/* For each block of the launch, counted from 1: the number of the
	 * segment that ends after it, counted from 1, or 0; and the lanes in
	 * which a message or the known answer begins then, as in a record. */
	uint16_t number[SEGMENT_BLOCKS + 1];
	uint32_t begins[SEGMENT_BLOCKS + 1];
};

struct lanes_launch {
	unsigned qpus;
	unsigned most_segments;
	struct way_memory memory; /* constants, code, jobs, idle lanes */
	uint8_t *results;	  /* copies, not in device memory */
	uint64_t turn;		  /* number of the launch */
	uint32_t salt;		  /* random, one for each process */
	struct known known;

	/* This launch. */
	struct device_program programs[DEVICE_QPUS]; /* of all QPUs */
	unsigned nbusy; /* the first of them hash messages */
	struct lane_plan lanes[DEVICE_QPUS][KERNEL_LANES];
	struct segment_plan plans[DEVICE_QPUS];
	/* State that a QPU loads before its first segment. */
	uint32_t loaded[DEVICE_QPUS][SHA256_STATE_WORDS][KERNEL_LANES];
	bool is_swapped;   /* the halves of the chain in memory */
	bool tests_adders; /* it tests all sums of 16 bits; set before a plan */
	uint32_t longest;  /* blocks of its longest QPU */
	uint64_t blocks;   /* of messages */
	uint64_t vectors;  /* blocks of 16 lanes, full or idle */
};

/* Bytes of memory that a launch needs for itself. */
size_t
lanes_bytes(unsigned qpus, unsigned most_segments);

/* Initialise a launch in the caller's memory, which must stay until the end.
 * All that is random follows from the nonce. Return false if the CPU is out of
 * memory. */
bool
lanes_init(struct lanes_launch *, unsigned qpus, unsigned most_segments,
	   const struct way_memory *memory, struct nonce);

void
lanes_free(struct lanes_launch *);

/*
 * Plan a launch with the next blocks of lanes[0..n), whose data are in one of the
 * memories: at most most_blocks of a lane.  Set `done` of
 * the lanes.  A QPU has 16 of them, lanes[16 * i] and those after it; QPUs without
 * work hash known answers, so that n = 0 is a test of all of them, of most_blocks.
 * Return false when data are elsewhere.
 */
bool
lanes_plan(struct lanes_launch *, struct engine_lane *lanes, unsigned n,
	   const struct way_memory *memories, unsigned nmemories,
	   uint32_t most_blocks, struct diag *why);

/* Return true if the planned launch reads from this memory. */
bool
lanes_reads(const struct lanes_launch *, const struct way_memory *);

/* After a run, whether it failed or not: copy the results out of the device's
 * memory, which the CPU may read slowly, so that what is checked is what is
 * collected; and put back the data that known answers have overwritten. */
void
lanes_take(struct lanes_launch *);

/* Verify the launch's proof. On failure return false with the reason. */
bool
lanes_check(const struct lanes_launch *, struct diag *why);

/* Give states and ends of messages to the lanes. */
void
lanes_collect(const struct lanes_launch *);

/* Memory -------------------------------------------------------------------- */

/*
 *	constants, uniforms of each QPU, code
 *	for each QPU: job, records, seal
 *	the chain of known answers, and as many bytes after it as a QPU may read
 *
 * Each launch with a lane that has no messages, and so each test, exchanges the halves
 * of the chain, which are complements of each other: such lanes find other blocks where
 * they have looked before.  So caches that are not cleared show, and so does a bit of
 * theirs that is stuck.
 */

/* A program's memory, in order; or the copies of it that lanes_take made, of
 * all but the job. */
struct lanes_parts {
	struct kernel_job *job;
	struct kernel_record *records; /* of segments, counted from 0 */
	struct kernel_seal *seal;
};

struct lanes_parts
lanes_parts(const struct lanes_launch *, unsigned program);
struct lanes_parts
lanes_taken(const struct lanes_launch *, unsigned program);

/* Fill it for a launch that was planned, from the states of the lanes. */
void
lanes_fill(struct lanes_launch *);

/* Return the bus address of something in the memory, or of the constants. */
uint32_t
lanes_bus(const struct lanes_launch *, const void *what);
uint32_t
lanes_constants(const struct lanes_launch *);

/* Exchange the halves of the chain. */
void
lanes_swap_chain(struct lanes_launch *);

/* The place of a block of the chain of known answers, and what a lane without
 * blocks has hashed before its run (0) or with it. */
uint8_t *
lanes_chain(const struct lanes_launch *, unsigned block);

static inline const uint32_t *
lanes_idle_state(const struct lanes_launch *launch,
		 const struct lane_plan *lane, unsigned blocks)
{
	return launch->known.chain[lane->start + blocks];
}

/* The turns of additions at the end. */
static inline uint32_t
lanes_adder_turns(const struct lanes_launch *launch)
{
	return launch->tests_adders ? KERNEL_SUM_TURNS : 0;
}

/* The number with which a program seals its launch. */
static inline uint32_t
lanes_nonce(const struct lanes_launch *launch, unsigned program)
{
	return (launch->salt +
		(uint32_t)(launch->turn * DEVICE_QPUS + program + 1)) *
	       UINT32_C(0x9e3779b1);
}

#endif
