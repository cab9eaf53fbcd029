/* SPDX-License-Identifier: MIT */
/*
 * abi: what host and kernels agree on; abi.m4 is the kernels' side of it.
 *
 * All kernels have one ABI.  A QPU hashes 16 lanes; each lane is a run of
 * whole 64-byte blocks with its own address and count.
 *
 * Contract, besides the layouts below:
 * - All addresses are bus addresses.
 * - data[] is 64-byte aligned and points to memory the QPU may read even in a
 *   lane without blocks: a lane is read up to KERNEL_SLACK_BYTES beyond
 *   data + 64 * nblocks.
 * - Message blocks are the bytes of the (padded) message as FIPS 180-4, 5.2.1
 *   has them: the kernels swap the bytes.
 * - A lane with nblocks = 0 gets its state back unchanged.  Only the state
 *   rows are written.
 * - Exactly one QPU of a launch has finish = number of QPUs launched: it
 *   waits for the others and raises the host interrupt.  The others have 0.
 *   Semaphore 0 counts them and is 0 before and after a launch.
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
	KERNEL_JOB_ROWS = 10,
	KERNEL_JOB_BYTES = 640,
	KERNEL_CONSTANTS_BYTES = 320,
	KERNEL_UNIFORMS = 3,
	/* Read, never used: the next block is fetched while one is hashed. */
	KERNEL_SLACK_BYTES = 144,
	/* The program starts on such a boundary (its hot loop relies on it)
	 * and this many mapped bytes follow it: the cache fetches lines. */
	KERNEL_CODE_ALIGN = 64,
	KERNEL_CODE_SLACK_BYTES = 128,
	/* Largest nblocks. */
	KERNEL_BLOCKS_MAX = 0x7fffffff
};

/*
 * The memory of one QPU: rows of one word for each lane, which the kernel
 * moves by DMA.  In: state before, out: state after the blocks.
 */
struct kernel_job {
	uint32_t state[KERNEL_STATE_ROWS][KERNEL_LANES];	/* a..h */
	uint32_t data[KERNEL_LANES];
	uint32_t nblocks[KERNEL_LANES];
};

/* Read as uniforms or by TMU, shared by all QPUs; 64-byte aligned. */
struct kernel_constants {
	uint32_t k[64];		/* FIPS 180-4, 4.2.2 */
	uint32_t self;		/* bus address of this table */
	uint32_t zero[15];	/* fills the last cache line */
};

/* The uniforms of one QPU, in the order they are read. */
struct kernel_uniforms {
	uint32_t job;		/* a struct kernel_job, 64-byte aligned */
	uint32_t constants;	/* a struct kernel_constants */
	uint32_t finish;	/* see above */
};

static_assert(sizeof(struct kernel_job) == KERNEL_JOB_BYTES &&
	      KERNEL_JOB_BYTES == KERNEL_JOB_ROWS * KERNEL_LANES * 4,
	      "a job is rows of one DMA vector each");
static_assert(offsetof(struct kernel_job, data) == 8 * 64 &&
	      offsetof(struct kernel_job, nblocks) == 9 * 64,
	      "rows are in the order the kernels load them");
static_assert(sizeof(struct kernel_constants) == KERNEL_CONSTANTS_BYTES &&
	      offsetof(struct kernel_constants, self) == 256,
	      "the address of the table is its word 64");
static_assert(sizeof(struct kernel_uniforms) == KERNEL_UNIFORMS * 4 &&
	      offsetof(struct kernel_uniforms, finish) == 8,
	      "uniforms are read in this order");

#endif
