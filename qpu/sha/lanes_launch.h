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
	 * (modelled, 250 MHz).  The closing takes 50 us more; with 8 blocks
	 * here 3,000 log-uniform files would be faster by 0.1 %. */
	LANES_COST_BLOCKS = 6,
	/* Words of a row: what a QPU stores at once. */
	LANES_ROW_WORDS = KERNEL_LANES
};

/* The jobs before and after a row. */
enum lanes_side { LANES_OPENING, LANES_CLOSING, LANES_SIDES };

/* A lane's work: blocks of messages, then a known answer of a block; or,
 * without messages, a run of the chain of known answers (known.h). */
struct lane_course {
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
	struct lane_course lanes[DEVICE_QPUS][KERNEL_LANES];
	struct segment_plan plans[DEVICE_QPUS];
	/* State that a QPU loads before its first segment. */
	uint32_t loaded[DEVICE_QPUS][SHA256_STATE_WORDS][KERNEL_LANES];
	/* Each lane's block in the chain, in the openings and closings; and in
	 * the previous launch, at the places of the openings. */
	unsigned frames[LANES_SIDES][KERNEL_LANES];
	unsigned old_frames[KERNEL_LANES];
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
 * memories: at most most_blocks of a lane, and no more than pays.  Set `done` of
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
 *	constants, uniforms of each QPU, blocks of the openings and closings, code
 *	for each QPU: opening (a job and its record), job, records, closing, seal
 *	the chain of known answers, and as many bytes after it as a QPU may read
 *
 * The blocks of the openings and closings show whether a launch has cleared the
 * caches of the QPUs: a QPU's last lookups in one launch and its first lookups in
 * the next one are of the same places, with other contents each time.  They go
 * round a ring, so that all sets of the caches have their turn:
 *
 *	launch 1	opening  0 ... 7 8 ... 15
 *			closing          8 ... 15 16 ... 23
 *	launch 2	opening          8 ... 15 16 ... 23
 *			closing                   16 ... 23 24 ... 31
 *
 * A slice's cache may have the first half of a closing's lines.  The second half
 * is new to it, so it must fetch these from L2, which has them.
 */

/* A job before or after a row, and its record. */
struct lanes_frame {
	struct kernel_job job;
	struct kernel_record record;
};

/* A program's memory, in order; or the copies of it that lanes_take made, of
 * all but the job of the opening. */
struct lanes_parts {
	struct lanes_frame *frames[LANES_SIDES];
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

/* Return true if a program has an opening, or a closing. In a short launch it
 * has one of them: QPUs that share caches have both together. */
static inline bool
lanes_has(const struct lanes_launch *launch, unsigned program,
	  enum lanes_side side)
{
	return !launch->is_short ||
	       (program + launch->turn / 2) % LANES_SIDES == side;
}

/* The block of a lane in the openings, or closings, of all programs: its number in
 * the ring, and where that is. */
unsigned
lanes_frame_place(const struct lanes_launch *, enum lanes_side, unsigned lane);
uint8_t *
lanes_frame_block(const struct lanes_launch *, enum lanes_side, unsigned lane);

/* Return a lane's state in an opening or closing, before its block (after = 0)
 * or after it (1). */
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
static inline uint32_t
lanes_nonce(const struct lanes_launch *launch, unsigned program)
{
	return (launch->salt +
		(uint32_t)(launch->turn * DEVICE_QPUS + program + 1)) *
	       UINT32_C(0x9e3779b1);
}

/* Places of results hold this until something is stored there. */
static inline uint32_t
lanes_poison(const struct lanes_launch *launch, unsigned program)
{
	return ~lanes_nonce(launch, program);
}

#endif
