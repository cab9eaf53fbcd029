/* SPDX-License-Identifier: MIT */
/*
 * tiles_plan: which message is hashed in which thread of which tile, and when.
 *
 * A thread takes as long as its longest message, so the pieces of each memory
 * are sorted by length, and eight successive ones share a thread.  Among them
 * are known answers of the thread's length, at random places: at least one pair
 * in 32, and all that would be idle.  QPUs take threads as they become free,
 * tile after tile.  So tiles are sorted, the one with the longest thread first.
 * They are as short as is worth a tile's start, so that several memories take
 * turns.
 *
 *	tile 0    memory 1   12 threads, 512 .. 498 blocks
 *	tile 1    memory 2   12 threads, 512 .. 470 blocks
 *	tile 2    memory 1   24 threads, 495 .. 120 blocks  ...
 *
 * The tiles are divided into jobs where that costs nothing, since the CPU
 * checks one job while the next one runs.  Jobs longer than the device wants
 * are divided at any cost.
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
 * The pairs that share a thread.
 *
 * A message has a *pair* of pixels, (x, y) and (x, y + 1) with an even y; a
 * tile has 16 rows of 32 pairs.  A window of a tile is as wide as the tile and
 * 1 to 16 of these rows high.  Eight pairs make a thread, but which eight is
 * not documented.  So a program (probe.m4) runs in a window of each height, and
 * reports for each pixel:
 *
 *	sample 0	number of the QPU
 *	sample 1	element
 *	sample 2	x | y << 16 of element 0 of the thread
 *	sample 3	x | y << 16
 *
 * A wrong report costs speed, not correctness: messages of unlike length would
 * then share a thread.
 */
enum {
	SHAPE_ROWS = TILE_PIXELS / 2, /* of pairs, in a tile */
	SHAPE_ROW_PAIRS = TILE_PIXELS,
	SHAPE_PAIRS = SHAPE_ROWS * SHAPE_ROW_PAIRS,
	THREAD_PAIRS = 8,
	SHAPE_ROW_THREADS = SHAPE_ROW_PAIRS / THREAD_PAIRS
};

struct thread_shapes {
	unsigned qpus; /* number of those that ran threads */
	/* [r - 1]: places of the pairs of a window of r rows, in the order of
	 * threads.  Eight successive places make a thread. */
	uint16_t places[SHAPE_ROWS][SHAPE_PAIRS];
};

/* Return the index in a tile's results of a sample of the pair's upper pixel.
 * The lower pixel's word is two after it. */
static inline unsigned
shape_word(unsigned pair, unsigned sample)
{
	const unsigned x = pair % SHAPE_ROW_PAIRS;
	const unsigned y = pair / SHAPE_ROW_PAIRS * 2;

	return (unsigned)tile_word(1, x, y, sample);
}

/* Read the results of a job of SHAPE_ROWS tiles, one below the other, with
 * windows of 1, 2, ... rows. Return false and the reason if pixels are
 * misplaced. */
bool
thread_shapes_read(struct thread_shapes *, const uint32_t *results,
		   struct diag *why_not);

/*
 * A piece: successive blocks of one message in a lane, which need no other
 * piece of the launch.  A lane's first piece may continue a message, from the
 * lane's state.  All others begin a message, which may continue after the last
 * piece:
 *
 *	lane	|- continues -|--- message ---|-- message --|- begins ...
 *	pieces	|      0      |       1       |      2      |    3     |
 */
enum { PIECE_BLOCKS = 512 /* at most */ };

struct piece {
	const uint8_t *data;
	uint32_t offset; /* of the data in their memory */
	uint16_t blocks;
	uint16_t hashed; /* blocks of earlier stages */
	uint16_t now;	 /* blocks of the next stage */
	uint8_t memory;	 /* its number */
	uint8_t lane;
	bool is_first, is_last; /* of its lane */
	struct engine_end *end; /* NULL if the message continues */
};

enum {
	PLAN_TILES = 104, /* of a launch, at most */
	PLAN_TILES_LEAST = 26,
	PLAN_MEMORIES = 32,
	PLAN_JOBS = 34,
	PLAN_PROOFS = 2, /* jobs that prove a launch */
	PLAN_QPUS = 32,
	/* Threads of a tile: a multiple of the QPUs' number, so that threads of
	 * one length end together. */
	PLAN_TILE_THREADS = 60,
	PLAN_KNOWN_ONE_OF = 32,
	/* Tiles that are tested when the device is opened.  A launch with more
	 * tiles has at least a thousand messages, and a stuck cell in an untested
	 * tile of the table or of the results spoils one of them.  Testing all
	 * tiles would take 8 ms (modelled), and the CPU longer. */
	PLAN_TEST_TILES = 12
};

/* The state that a known answer starts from: a state of the chain, its
 * complement, or sums that begin with its first word.  The last two hash no
 * blocks. */
enum plan_state { PLAN_STAYS, PLAN_INVERSE, PLAN_SUMS };

/* The work of a pair: to hash a piece, or a known answer. */
struct plan_slot {
	int32_t piece;	/* its number, or -1 for a known answer */
	uint16_t start; /* of a known answer, in the chain */
	uint16_t blocks;
	enum plan_state state;
};

struct plan_tile {
	unsigned memory;
	unsigned rows;	     /* of pairs */
	unsigned first_slot; /* its pairs' slots are in the order of threads */
	uint32_t longest;    /* blocks of the longest thread */
	uint32_t work;	     /* blocks of all threads */
	unsigned threads;
};

struct plan_job {
	unsigned first_tile, ntiles;
	uint32_t blocks; /* its time, as blocks that one QPU hashes meanwhile */
};

struct tiles_plan {
	unsigned most_tiles, qpus;
	uint32_t job_blocks; /* longest time wanted for a job */
	struct plan_slot *slots;
	unsigned nslots;
	struct plan_tile *tiles;
	unsigned ntiles;
	struct plan_job jobs[PLAN_JOBS];
	unsigned njobs;
	uint32_t *order;  /* numbers of the pieces, sorted */
	uint32_t *counts; /* for sorting by counting */
	uint64_t vectors; /* blocks of threads */
	uint64_t blocks;  /* blocks of pieces */
};

/*
 * Stages: how many blocks of each piece are hashed at a time (tiles_pieces.c).
 *
 * With few and long threads the QPUs that take one more than the others would
 * keep these waiting.  So a first stage gives each QPU the same number of
 * threads of one length: the longest pieces, cut to the length of the shortest
 * one among them.  A later stage continues from the states of the first, with
 * the rest divided into new threads.
 *
 *	one stage	QPU 0 |----------------|---------|
 *			QPU 1 |--------------|
 *	two stages	QPU 0 |---------|---|--
 *			QPU 1 |---------|----|-
 *
 * Set `now` of each piece to the blocks that the next stage hashes, at most
 * `most`, so that a job can be short.  Return the number of pieces that have
 * any, which is 0 when all are hashed.
 */
unsigned
tiles_choose_stage(struct piece *, unsigned n, unsigned qpus, uint32_t most);

/* Return the most pieces that a plan of this number of tiles takes. */
static inline unsigned
tiles_plan_pieces(unsigned most_tiles)
{
	return (most_tiles - most_tiles / 16) * PLAN_TILE_THREADS *
	       (THREAD_PAIRS - 1);
}

/* Return false if out of memory. */
bool
tiles_plan_init(struct tiles_plan *, unsigned most_tiles, unsigned qpus);

void
tiles_plan_free(struct tiles_plan *);

/* Return the number of threads for n pieces: enough for a known answer in each
 * 32 pairs, and one for each QPU if there are as many pieces. */
unsigned
tiles_plan_threads(unsigned n, unsigned qpus);

/* Give a thread with these blocks to the QPU that is free first.  Return the
 * time at which it ends; `busy` has these times of all QPUs. */
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

/* Plan a stage of n pieces, `some` with blocks in `now`; 1 <= some <= n <=
 * tiles_plan_pieces(). Return false if they need too many tiles, since they are
 * in too many memories. */
bool
tiles_plan_make(struct tiles_plan *, const struct piece *, unsigned n,
		unsigned some, struct nonce *);

/*
 * Plans of tests.  The first three, in this order, test a device that was
 * opened:
 *
 *	STATES		states that must stay, in all pairs of PLAN_TEST_TILES tiles
 *			and in a small one
 *	INVERSES	their complements in the same places, the small tile first:
 *			caches that are not cleared still have its states
 *	HASHES		messages of unlike lengths in up to four memories, and sums
 *
 * A tile of sums has a thread for each QPU; each of its lanes makes all sums of
 * 16 bits (qpu/kernel/pair.h).
 */
enum plan_test { PLAN_TEST_STATES, PLAN_TEST_INVERSES, PLAN_TEST_HASHES };

/* Make the plan of a test.  PLAN_TEST_INVERSES must follow PLAN_TEST_STATES in
 * the same plan. */
void
tiles_plan_test(struct tiles_plan *, enum plan_test, unsigned memories,
		struct nonce *);

/* Add the jobs that prove a launch, after all others: each is a tile of known answers
 * for all elements of all QPUs, and begins when all QPUs are idle, so that each
 * takes one thread.  With one of them a fault that strikes once in each job passes
 * when it strikes what the proof does not use. */
void
tiles_plan_proofs(struct tiles_plan *, struct nonce *);

/* Get the state of a slot's known answer, before or after its blocks are
 * hashed. */
void
plan_slot_state(const struct plan_slot *, const struct known *, bool after,
		uint32_t state[SHA256_STATE_WORDS]);

#endif
