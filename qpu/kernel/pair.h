/* SPDX-License-Identifier: MIT */
/*
 * pair: SHA-256 as a fragment shader (qpu/ways/way.h).  Four samples
 * hold four words, so two lanes share a message: lane A, in an even row of
 * pixels, has e f g h, and lane B below it a b c d.
 *
 * Each lane has a row of the lane table, at index y * width + x of the pixel,
 * where width is the job's in pixels: a power of two.  Both lanes of a
 * message have the same number of blocks; lane A's data offset is the first
 * block's, and lane B's is 4 more.  A lane leaves its four words of state
 * after its blocks, sample 0 the first; with no blocks these are the words
 * that it began with.
 *
 * A TMU's cache has 64 lines of 64 bytes, each for one line of 4096 bytes of
 * memory.  In a job of 128 pixels and more the rows of a thread evict each
 * other, and so do messages a multiple of 4096 bytes apart.
 *
 * A thread takes as long as the message of most blocks among its eight; lanes
 * that have ended leave their state alone, and go on loading at clamped
 * addresses.
 */
#ifndef QPU_KERNEL_PAIR_H
#define QPU_KERNEL_PAIR_H

#include <stddef.h>
#include <stdint.h>

enum {
	PAIR_WORDS = 4, /* of state, a lane */
	/* Bytes of data memory that must follow the last block: they are read
	 * ahead and never used. */
	PAIR_AHEAD_BYTES = 256,
	/* Words of K: FIPS 180-4, 4.2.2, and the first 16 of them again. */
	PAIR_K_WORDS = 80
};

struct pair_lane {
	uint32_t data;	 /* offset of the first block in the data memory */
	uint32_t blocks; /* to hash */
	uint32_t state[PAIR_WORDS];
	uint32_t unused[2];
};

/* The memory that a lookup loads from. */
enum pair_memory { PAIR_TABLE, PAIR_DATA, PAIR_K };

/*
 * What the words of the uniform stream are, in order.  Of a lookup's memory:
 * BASE is the word itself, an offset into the memory; CLAMP is the size of the
 * memory less `word`.
 */
enum pair_uniform_kind {
	PAIR_UNIFORM_BASE,
	PAIR_UNIFORM_CLAMP,
	PAIR_UNIFORM_ADDRESS, /* filled by the device */
	PAIR_UNIFORM_WIDTH,   /* log2 of the job's width in pixels */
	/* A thread on QPU n begins to hash n x word x 20 clocks later than it
	 * could: QPUs in step would ask for memory all at once. */
	PAIR_UNIFORM_DELAY,
	/* A thread waits this number of turns, and one more, of 20 clocks.  In
	 * each turn a lane adds the step to words 0 and 1 of its state.  A lane
	 * without blocks leaves these sums, which tests many sums in a short
	 * time. */
	PAIR_UNIFORM_TURNS,
	PAIR_UNIFORM_STEP
};

enum { PAIR_SUM_WORDS = 2, PAIR_SUM_TURNS = 65536 / PAIR_SUM_WORDS - 1 };

/* Without a delay words that begin as w and w + PAIR_SUM take all values of 16 bits
 * in PAIR_SUM_TURNS, which last 2.6 ms at 250 MHz, with this step; and the sum of all
 * steps. */
#define PAIR_SUM UINT32_C(0x9e3779b1)
#define PAIR_SUM_STEP (PAIR_SUM_WORDS * PAIR_SUM)
#define PAIR_SUM_ALL (65536 * PAIR_SUM)

struct pair_uniform {
	enum pair_uniform_kind kind;
	enum pair_memory memory;
	uint32_t word;
};

/* The program; a distribution carries it assembled. */
extern const uint64_t pair_code[];
extern const size_t pair_nwords;
extern const struct pair_uniform pair_uniforms[];
extern const size_t pair_nuniforms;
extern const enum pair_memory pair_loads[];
extern const size_t pair_nloads;

#endif
