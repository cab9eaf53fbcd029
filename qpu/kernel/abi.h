/* SPDX-License-Identifier: MIT */
/*
 * abi: what host and kernels agree on; abi.m4 is the kernels' side of it.
 *
 * All kernels have one ABI.  A QPU hashes 16 lanes.  A lane is a run of whole
 * 64-byte blocks: messages with their padding, one after the other.
 *
 * A launch of a QPU is a sequence of *segments*.  All lanes hash all blocks of
 * a segment; when it has ended, the kernel stores the state of all lanes in the
 * next *record*, and lanes in which a message begins start from the initial
 * hash value (FIPS 180-4, 5.3.3).  So a segment ends where a message ends in
 * any lane.  After the last segment the kernel stores a *seal*.
 *
 *	struct kernel_job			in
 *	struct kernel_record, one a segment	state out, line of uniforms in
 *
 * lie one after the other in memory, and after the last record of the launch
 *
 *	struct kernel_seal			out
 *
 * The *proof* in the seal is a sum, in each lane, over all that the kernel has
 * loaded and stored, so that the host can compare it with what it has written
 * and with what it finds.  proof = 0 at first; to add a word means
 * proof = ror(proof, 5) + word, so that two words in exchanged places give
 * another sum.  The kernel adds
 *
 *	at first		a..h as loaded
 *	of each segment		a..h as stored, the address after the last
 *				block, begins + next of its record
 *	at the end		the nonce
 *
 * To test the adder a launch may have turns: before the nonce, and once more than it
 * has turns, their square is added three times.  After KERNEL_SUM_TURNS the lower
 * half of the sum has had all of its values.
 *
 * Contract, besides these layouts:
 * - All addresses are bus addresses.
 * - data[] is 64-byte aligned.  The QPU may read all blocks of a launch in
 *   every lane, and KERNEL_AHEAD_BYTES after them; a lane that has nothing to
 *   hash hashes what is there.
 * - Message blocks are the bytes of the padded message as FIPS 180-4, 5.2.1
 *   has them: the kernels swap the bytes.
 * - Every segment has at least one block.  The state a lane begins with comes
 *   from the job, even if a message begins there.
 * - Exactly one QPU of a launch has finish = number of QPUs launched: it
 *   waits for the others and raises the host interrupt.  The others have 0.
 *   KERNEL_SEMAPHORE counts them and is 0 before and after a launch.  Programs
 *   of others use 0 to 7 and 12 to 15: one that was killed may have left them
 *   otherwise.
 */
#ifndef QPU_KERNEL_ABI_H
#define QPU_KERNEL_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KERNEL_LANES = 16,
	KERNEL_ALIGN = 64,
	KERNEL_STATE_ROWS = 8,
	KERNEL_STATE_BYTES = 512,
	KERNEL_JOB_ROWS = 10,
	KERNEL_JOB_BYTES = 640,
	KERNEL_RECORD_BYTES = 576,
	KERNEL_SEAL_ROWS = 4,
	KERNEL_PROOF_ROTATION = 5,
	KERNEL_CONSTANTS_BYTES = 320,
	KERNEL_UNIFORMS = 2,
	KERNEL_SEMAPHORE = 11,
	/* Read after the last block, never used: the next block and a part
	 * of the one after it are fetched while one is hashed. */
	KERNEL_AHEAD_BYTES = 80,
	/* The program starts on such a boundary (its hot loop relies on it)
	 * and this many mapped bytes follow it: the cache fetches lines. */
	KERNEL_CODE_ALIGN = 64,
	KERNEL_CODE_SLACK_BYTES = 128,
	KERNEL_SUM_TURNS = 65536 / 3 /* odd */
};

/* Rows of one word for each lane, which the kernel loads by DMA. */
struct kernel_job {
	uint32_t state[KERNEL_STATE_ROWS][KERNEL_LANES]; /* a..h */
	uint32_t data[KERNEL_LANES];
	uint32_t nblocks[KERNEL_LANES]; /* of the first segment, in all lanes */
};

/* The uniforms of one QPU, in the order they are read. */
struct kernel_uniforms {
	uint32_t job;	    /* a struct kernel_job, 64-byte aligned */
	uint32_t constants; /* a struct kernel_constants */
};

/* One segment: its results, and in a cache line of its own, read as
 * uniforms, what comes after it. */
struct kernel_record {
	uint32_t state[KERNEL_STATE_ROWS][KERNEL_LANES];
	uint32_t begins; /* bit 31 - lane: a message begins there */
	uint32_t blocks; /* of the next segment - 1, or KERNEL_NO_SEGMENT */
	uint32_t next;	 /* a struct kernel_constants; of the last record the
			  * address of `turns` */
	/* Used in the last record only: */
	uint32_t turns;	 /* see above */
	uint32_t nonce;	 /* for the seal */
	uint32_t finish; /* see above */
	uint32_t unused[10];
};

#define KERNEL_NO_SEGMENT UINT32_MAX

/* Proof that the QPU has done all of the launch. */
struct kernel_seal {
	uint32_t nonce[KERNEL_LANES]; /* the last record's */
	uint32_t ends[KERNEL_LANES];  /* after the last block of each lane */
	uint32_t self[KERNEL_LANES];  /* address of the seal */
	uint32_t proof[KERNEL_LANES]; /* see above */
};

/* Adds a word to a proof. */
static inline uint32_t
kernel_proof_add(uint32_t proof, uint32_t word)
{
	return (proof >> KERNEL_PROOF_ROTATION |
		proof << (32 - KERNEL_PROOF_ROTATION)) +
	       word;
}

/* The turns of a launch add this to the proof. */
static inline uint32_t
kernel_proof_turns(uint32_t turns)
{
	return (turns + 1) * 3 * turns * turns;
}

/* Read as uniforms or by TMU, shared by all QPUs; 64-byte aligned. */
struct kernel_constants {
	uint32_t k[64];	   /* FIPS 180-4, 4.2.2 */
	uint32_t self;	   /* bus address of this table */
	uint32_t power13;  /* 2^13 */
	uint32_t zero[14]; /* fills the last cache line */
};

static_assert(sizeof(struct kernel_job) == KERNEL_JOB_BYTES &&
		      KERNEL_JOB_BYTES == KERNEL_JOB_ROWS * KERNEL_LANES * 4,
	      "a job is rows of one DMA vector each");
static_assert(offsetof(struct kernel_job, data) == 8 * 64 &&
		      offsetof(struct kernel_job, nblocks) == 9 * 64,
	      "rows are in the order the kernels load them");
static_assert(sizeof(struct kernel_record) == KERNEL_RECORD_BYTES &&
		      offsetof(struct kernel_record, begins) ==
			      KERNEL_STATE_BYTES &&
		      KERNEL_RECORD_BYTES % KERNEL_ALIGN == 0,
	      "a record is the state and one cache line");
static_assert(sizeof(struct kernel_seal) == KERNEL_SEAL_ROWS * KERNEL_LANES * 4,
	      "a seal is rows of one DMA vector each");
static_assert(sizeof(struct kernel_constants) == KERNEL_CONSTANTS_BYTES &&
		      offsetof(struct kernel_constants, self) == 256 &&
		      offsetof(struct kernel_constants, power13) == 260,
	      "the address of the table is its word 64");
static_assert(sizeof(struct kernel_uniforms) == KERNEL_UNIFORMS * 4,
	      "uniforms are read in this order");

/* The optimised kernel. */
extern const uint64_t sha256_kernel_code[];
extern const size_t sha256_kernel_nwords;

#endif
