/* SPDX-License-Identifier: MIT */
/*
 * tiles_plan: which message is hashed in which thread of which tile, and when.
 *
 * A thread costs its longest message, so the pieces of each memory are sorted
 * by length, and eight successive ones share a thread.  Among them are known
 * answers of the thread's length, at random places: one of 32 pairs, and all
 * that would be idle.  QPUs take threads as they become free, tile after tile;
 * so tiles are sorted by length, the longest first, and as short as pays, so
 * that several memories take turns.
 *
 *	tile 0    memory 1   12 threads, 512 .. 498 blocks
 *	tile 1    memory 2   12 threads, 512 .. 470 blocks
 *	tile 2    memory 1   24 threads, 495 .. 120 blocks  ...
 *
 * The tiles are cut into jobs where that costs nothing: one is checked while
 * the next one runs.  Jobs longer than the device wants are cut, at any cost.
 */
#ifndef QPU_SHA_TILES_PLAN_H
#define QPU_SHA_TILES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/sha/known.h"
#include "qpu/ways/way.h"
#include "src/base/diag.h"
#include "src/base/engine.h"

/*
 * Which messages share a thread.
 *
 * A message has a *pair* of pixels, (x, y) and (x, y + 1) with an even y; a
 * tile has 16 rows of 32 pairs.  A window of a tile is as wide as the tile and
 * some of these rows high.  Eight pairs make a thread; which ones is not
 * documented.  So a program is run in a window of each height (probe.m4), and
 * reports for each pixel the QPU, the element, the place of the thread's element
 * 0, and its own place:
 *
 *	sample 0	number of the QPU
 *	sample 1	element
 *	sample 2	x | y << 16 of element 0 of the thread
 *	sample 3	x | y << 16
 *
 * A wrong answer costs speed, not correctness: messages of like length would not
 * meet in a thread.
 */
enum {
	SHAPE_ROWS = TILE_PIXELS / 2, /* of pairs, in a tile */
	SHAPE_ROW_PAIRS = TILE_PIXELS,
	SHAPE_PAIRS = SHAPE_ROWS * SHAPE_ROW_PAIRS,
	THREAD_PAIRS = 8,
	SHAPE_ROW_THREADS = SHAPE_ROW_PAIRS / THREAD_PAIRS
};

struct thread_shapes {
	unsigned qpus; /* that have run threads */
	/* In a window of r rows, [r - 1], the place of a pair in the order of
	 * threads: eight successive places make a thread. */
	uint16_t places[SHAPE_ROWS][SHAPE_PAIRS];
};

/* Return the word of a pair's sample in a tile's results: its upper pixel's.
 * The lower pixel's is two words after it. */
static inline unsigned
shape_word(unsigned pair, unsigned sample)
{
	const unsigned x = pair % SHAPE_ROW_PAIRS;
	const unsigned y = pair / SHAPE_ROW_PAIRS * 2;

	return (unsigned)tile_word(1, x, y, sample);
}

/* Read the results of a job of SHAPE_ROWS tiles, one below the other, with
 * windows of 1, 2, ... rows. Return false if pixels are misplaced. */
bool
thread_shapes_read(struct thread_shapes *, const uint32_t *results,
		   struct diag *why_not);

/*
 * A piece: the blocks of a message in a lane of a step, which are hashed by
 * themselves.  The first of a lane may have begun before, and goes on from the
 * lane's state; all others begin in the lane, and the last may go on after it:
 *
 *	lane	|-- goes on --|--- message ---|-- message --|- begins ...
 *	pieces	|      0      |       1       |      2      |    3     |
 */
enum { PIECE_BLOCKS = 512 /* at most */ };

struct piece {
	const uint8_t *data;
	uint32_t offset; /* of the data in their memory */
	uint16_t blocks;
	/* Of them; before and in a stage. */
	uint16_t hashed, now;
	uint8_t memory; /* number of it */
	uint8_t lane;
	bool is_first, is_last; /* of its lane */
	struct engine_end *end; /* NULL: the message continues */
};

enum {
	PLAN_TILES = 104, /* of a launch, at most */
	PLAN_TILES_LEAST = 26,
	PLAN_MEMORIES = 32,
	PLAN_JOBS = 33,
	PLAN_QPUS = 32,
	/* Threads of a tile: a multiple of the QPUs' number, so that threads of
	 * one length end together. */
	PLAN_TILE_THREADS = 60,
	PLAN_KNOWN_ONE_OF = 32,
	/* Tiles that are tested before their first use.  A launch that has more
	 * has at least a thousand messages, and a cell of the table or of the
	 * results that is stuck in another one spoils one of these.  To test all
	 * would take 8 ms (modelled), and the CPU longer. */
	PLAN_TEST_TILES = 12
};

/*
 * A pair hashes a piece, which has a number, or a known answer of the chain.
 * Without blocks an answer is a state that stays, its complement, or sums that
 * begin with its first word.
 */
enum plan_state { PLAN_STAYS, PLAN_INVERSE, PLAN_SUMS };

struct plan_slot {
	int32_t piece; /* -1: a known answer */
	uint16_t start, blocks;
	enum plan_state state;
};

struct plan_tile {
	unsigned memory;
	unsigned rows;	     /* of pairs */
	unsigned first_slot; /* of its pairs, in the order of threads */
	uint32_t longest;    /* blocks */
	uint32_t work;	     /* blocks of all threads */
	unsigned threads;
};

struct plan_job {
	unsigned first_tile, ntiles;
	uint32_t blocks; /* until its QPUs have ended, by their time for one */
};

struct tiles_plan {
	unsigned most_tiles, qpus;
	uint32_t job_blocks; /* a job should not take longer */
	struct plan_slot *slots;
	unsigned nslots;
	struct plan_tile *tiles;
	unsigned ntiles;
	struct plan_job jobs[PLAN_JOBS];
	unsigned njobs;
	uint32_t *order;  /* pieces, sorted */
	uint32_t *counts; /* of the sorting */
	uint64_t vectors; /* blocks of threads */
	uint64_t blocks;  /* of pieces */
};

/*
 * Stages: how many blocks of each piece are hashed at a time (tiles_pieces.c).
 *
 * Where most threads are long and there are few of them, QPUs that take one
 * more than others would keep all waiting.  So a first stage has threads of one
 * length, as many for each QPU: the longest pieces, cut to the shortest of
 * these.  A later stage hashes what is left, in threads made anew from the
 * states of the first.
 *
 *	one stage	QPU 0 |----------------|---------|
 *			QPU 1 |--------------|
 *	two stages	QPU 0 |---------|---|--
 *			QPU 1 |---------|----|-
 *
 * Set `now` of n pieces, those of the next stage, to blocks that are left.
 * Return how many pieces have some, 0 if all are hashed.  None has more than
 * `most`, so that a job can be short.
 */
unsigned
tiles_choose_stage(struct piece *, unsigned n, unsigned qpus, uint32_t most);

/* The most pieces that a plan of this number of tiles takes. */
static inline unsigned
tiles_plan_pieces(unsigned most_tiles)
{
	return (most_tiles - most_tiles / 16) * PLAN_TILE_THREADS *
	       (THREAD_PAIRS - 1);
}

/* Return false if memory is short. */
bool
tiles_plan_init(struct tiles_plan *, unsigned most_tiles, unsigned qpus);

void
tiles_plan_free(struct tiles_plan *);

/* How many threads n pieces should have: enough for a known answer in 32 pairs,
 * and one for each QPU if there are as many pieces. */
unsigned
tiles_plan_threads(unsigned n, unsigned qpus);

/* The QPU that is free first takes a thread of these blocks: when does it end? */
static inline uint32_t
tiles_take_thread(uint32_t busy[PLAN_QPUS], unsigned qpus, uint32_t blocks)
{
	unsigned next = 0;

	for (unsigned q = 1; q < qpus; q++)
		if (busy[q] < busy[next])
			next = q;
	busy[next] += blocks;
	return busy[next];
}

/* Plan the stage of n pieces; `some` have blocks now, 1 <= some <= n <=
 * tiles_plan_pieces(). Return false if they are in too many memories. */
bool
tiles_plan_make(struct tiles_plan *, const struct piece *, unsigned n,
		unsigned some, struct nonce *);

/*
 * Plans of the test of a device that was opened: states that stay, in all pairs of as
 * many tiles and a small one; after it, in the same places, their complements, first in
 * the small one, which caches have if they are not cleared; and messages of unlike
 * lengths in one tile, of 32 blocks in another, beside one of sums.  Between two
 * launches: messages of up to four memories, sums, and a tile of states and one of
 * their complements.
 *
 * In each lane of a tile of sums, which is a thread for each QPU, all sums of 16 bits
 * have their turn (qpu/kernel/pair.h).
 */
enum plan_test {
	PLAN_TEST_STATES,
	PLAN_TEST_INVERSES,
	PLAN_TEST_HASHES,
	PLAN_TEST_AGAIN
};

void
tiles_plan_test(struct tiles_plan *, enum plan_test, unsigned memories,
		struct nonce *);

/* Add the job that proves a launch, a tile with known answers on all elements of all
 * QPUs, which are idle when it begins. */
void
tiles_plan_proof(struct tiles_plan *, struct nonce *);

/* The state of a slot's known answer before (after = false) or after it. */
void
plan_slot_state(const struct plan_slot *, const struct known *, bool after,
		uint32_t state[SHA256_STATE_WORDS]);

#endif
