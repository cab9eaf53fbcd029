/* SPDX-License-Identifier: MIT */
/*
 * tiles_launch: the memory of a launch in tiles, its jobs, and how their
 * results are checked.
 *
 *	constants   K | chain of known answers
 *	table       tile 0 | tile 1 | ...   rows of lanes (qpu/kernel/pair.h)
 *	results     tile 0 | tile 1 | ...   four words of each lane
 *	data        the caller's buffers | chain of known answers
 *
 * A launch proves itself.  What each part finds:
 *
 *	pattern		in places of results, and another one to which the tile buffer
 *			is cleared, both fresh and random: a job that was never run or
 *			was lost; a tile or lane that was not written
 *	known answers	one pair in 32 (tiles_plan.h), of the length of its thread:
 *			what is wrong with a QPU, a lane, a cache or the constants, and
 *			strikes often
 *	proofs		the last two jobs of a launch, each a tile of known answers of
 *			two blocks on all elements of all QPUs: the same for all
 *			operands
 *
 * What spoils one message of a job, or one each time, is seldom found by these; what
 * lasts is found by the test between launches, or by the sample (sample.h).  A result
 * has no room for a seal.
 */
#ifndef QPU_SHA_TILES_LAUNCH_H
#define QPU_SHA_TILES_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/sha/known.h"
#include "qpu/sha/tiles_plan.h"
#include "qpu/ways/way.h"
#include "src/base/engine.h"

enum { TILE_LANES_BYTES = TILE_PIXELS * TILE_PIXELS * 32 /* of the table */ };

/* Memory with buffers, and the chain of known answers after them. */
struct tiles_buffers {
	struct way_memory memory;
	size_t chain;	  /* its offset */
	size_t used;	  /* bytes */
	unsigned buffers; /* that are not given back */
};

/* Of a job: its ticket; what its results hold before it, and what the tile buffer
 * is cleared with. */
struct tiles_marks {
	uint64_t ticket;
	uint32_t pattern, clear;
};

/* A device, and its launch. */
struct tiles_launch {
	const struct way *way;
	void *way_self;
	bool is_prepared;
	bool may_run; /* a job that missed its time */
	unsigned retries;
	struct known known;
	struct nonce nonce;
	struct thread_shapes shapes;
	struct way_program program;
	struct way_memory constants, table, results;
	/* All data memories; the first is the constants. */
	struct tiles_buffers memories[PLAN_MEMORIES];
	unsigned nmemories;
	size_t buffer_bytes; /* of all of them */
	struct tiles_plan plan;
	struct piece *pieces;
	unsigned most_pieces, npieces;
	uint32_t (*states)[SHA256_STATE_WORDS]; /* results of the pieces */
	struct tile_draw *draws;
	uint32_t *uniforms; /* of all draws */
	const struct way_memory **loads;
	/* Of the launch: blocks of pieces and of threads, and those that its
	 * QPUs had time for. */
	uint64_t blocks, vectors, capacity;
	uint64_t newest; /* of all tickets */
	struct tiles_marks marks[PLAN_JOBS];
	bool was_lost; /* the last launch or test, or a part of it */
};

/* Parse lanes[0..n) into pieces, as far as a launch can, and set what will be done of
 * each.  Return false if data lie elsewhere. */
bool
tiles_parse(struct tiles_launch *, struct engine_lane *lanes, unsigned n,
	    struct diag *why);

/* Hash the pieces from the states of the lanes, and prove it.  The
 * states are kept. */
enum engine_status
tiles_hash(struct tiles_launch *, const struct engine_lane *lanes,
	   struct diag *why);

/* Give these states to the lanes. */
void
tiles_collect(const struct tiles_launch *, struct engine_lane *lanes);

/* Test the device by known answers. */
enum engine_status
tiles_hash_known(struct tiles_launch *, struct diag *why);

/* Inside ---------------------------------------------------------------------- */

/* The state from which a piece goes on in this stage. */
void
tiles_state_before(const struct tiles_launch *, const struct piece *,
		   const struct engine_lane *lanes,
		   uint32_t state[SHA256_STATE_WORDS]);

/* Write the rows of a tile, and the pattern to the place of its results; lanes
 * have the states from which pieces go on. */
void
tiles_fill(struct tiles_launch *, unsigned tile,
	   const struct engine_lane *lanes, uint32_t pattern);

enum tile_verdict {
	TILE_RIGHT,
	TILE_NOT_STORED, /* the job was lost */
	TILE_WRONG
};

/*
 * Copy the results of a tile, of a job with these marks, check the copy, and
 * keep the states of its pieces.  A word that looks like a mark may be a
 * result: the reference says which.
 */
enum tile_verdict
tiles_take(struct tiles_launch *, unsigned tile,
	   const struct engine_lane *lanes, const struct tiles_marks *);

#endif
