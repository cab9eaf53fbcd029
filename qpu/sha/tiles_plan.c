/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/tiles_plan.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/sha/known.h"

enum {
	/* Tiles of a job, at most: one below the other. */
	JOB_TILES = TILE_MAX,
	/* A tile of fewer blocks would cost more for its beginning and end
	 * (some 20 us) than it gains: 12 QPUs do these in 0.7 ms. */
	TILE_WORK = 480,
	/* Two jobs may cost this part more than one. */
	JOBS_COST = 64,
	/* A thread begins and ends in the time of two fifths of a block. */
	BLOCKS_OF_THREADS = 2,
	THREADS_OF_BLOCKS = 5,
	LENGTHS = PIECE_BLOCKS + 1, /* of pieces */
	SORT_KEYS = PLAN_MEMORIES * LENGTHS
};

bool
tiles_plan_init(struct tiles_plan *plan, unsigned most_tiles, unsigned qpus)
{
	*plan = (struct tiles_plan){ .most_tiles = most_tiles,
				     .qpus = qpus,
				     .job_blocks = UINT32_MAX };
	plan->slots = malloc(((size_t)most_tiles + PLAN_PROOFS) * SHAPE_PAIRS *
			     sizeof(*plan->slots));
	plan->tiles = malloc(((size_t)most_tiles + PLAN_PROOFS) *
			     sizeof(*plan->tiles));
	plan->order =
		malloc(tiles_plan_pieces(most_tiles) * sizeof(*plan->order));
	plan->counts = malloc((SORT_KEYS + 1) * sizeof(*plan->counts));
	return plan->slots && plan->tiles && plan->order && plan->counts;
}

void
tiles_plan_free(struct tiles_plan *plan)
{
	free(plan->slots);
	free(plan->tiles);
	free(plan->order);
	free(plan->counts);
}

static void
begin(struct tiles_plan *plan)
{
	plan->nslots = plan->ntiles = plan->njobs = 0;
	plan->vectors = plan->blocks = 0;
}

/* Sorting ------------------------------------------------------------------- */

/* First pieces of each memory in the order; [n] is the end. */
struct ranges {
	unsigned first[PLAN_MEMORIES + 1];
};

static unsigned
key_of(const struct piece *piece)
{
	return piece->memory * LENGTHS + PIECE_BLOCKS - piece->now;
}

/* Sort the pieces that have blocks now by memory, then the longest first. */
static void
sort_pieces(struct tiles_plan *plan, const struct piece *pieces, unsigned n,
	    struct ranges *ranges)
{
	uint32_t *at = plan->counts;

	memset(at, 0, (SORT_KEYS + 1) * sizeof(*at));
	for (unsigned i = 0; i < n; i++)
		at[key_of(&pieces[i]) + 1] += pieces[i].now > 0;
	for (unsigned key = 1; key <= SORT_KEYS; key++)
		at[key] += at[key - 1];
	for (unsigned memory = 0; memory <= PLAN_MEMORIES; memory++)
		ranges->first[memory] = at[memory * LENGTHS];
	for (unsigned i = 0; i < n; i++)
		if (pieces[i].now > 0)
			plan->order[at[key_of(&pieces[i])]++] = i;
}

/* Threads ------------------------------------------------------------------- */

/* The pieces of one memory, in the order in which threads take them. */
struct source {
	const struct piece *pieces;
	const uint32_t *order;
	unsigned n;		/* of them */
	unsigned threads, done; /* of the memory; planned */
	unsigned spare, phase;	/* known answers, spread evenly */
};

/* Add a known answer, a random run within n blocks of the chain. */
static void
add_known_of(struct tiles_plan *plan, unsigned slot, uint32_t first, uint32_t n,
	     uint32_t blocks, struct nonce *nonce)
{
	const uint32_t start = first + nonce_below(nonce, n - blocks + 1);

	plan->slots[slot] = (struct plan_slot){ .piece = -1,
						.start = (uint16_t)start,
						.blocks = (uint16_t)blocks };
}

static void
add_known(struct tiles_plan *plan, unsigned slot, uint32_t blocks,
	  struct nonce *nonce)
{
	add_known_of(plan, slot, 0, KNOWN_BLOCKS, blocks, nonce);
}

static unsigned
known_until(const struct source *source, unsigned thread)
{
	return (unsigned)(((uint64_t)source->spare * thread + source->phase) /
			  source->threads);
}

/* Plan the next thread of a memory.  Return its blocks. */
static uint32_t
add_thread(struct tiles_plan *plan, struct source *source, struct nonce *nonce)
{
	unsigned known = known_until(source, source->done + 1) -
			 known_until(source, source->done);
	const unsigned place = nonce_next(nonce);
	const unsigned first = plan->nslots;
	uint32_t longest = 1;
	bool is_known[THREAD_PAIRS] = { false };

	source->done++;
	plan->nslots += THREAD_PAIRS;
	if (THREAD_PAIRS - known > source->n)
		known = THREAD_PAIRS - source->n;
	/* The longest come first. */
	if (known < THREAD_PAIRS)
		longest = source->pieces[*source->order].now;
	/* 3 and 8 have no factor in common. */
	for (unsigned i = 0; i < known; i++)
		is_known[(place + 3 * i) % THREAD_PAIRS] = true;
	for (unsigned i = 0; i < THREAD_PAIRS; i++) {
		const struct piece *piece;

		if (is_known[i]) {
			add_known(plan, first + i, longest, nonce);
			continue;
		}
		piece = &source->pieces[*source->order];
		plan->slots[first + i] =
			(struct plan_slot){ .piece = (int32_t)*source->order,
					    .blocks = piece->now };
		plan->blocks += piece->now;
		source->order++;
		source->n--;
	}
	plan->vectors += longest;
	return longest;
}

unsigned
tiles_plan_threads(unsigned n, unsigned qpus)
{
	const unsigned known =
		(n + PLAN_KNOWN_ONE_OF - 2) / (PLAN_KNOWN_ONE_OF - 1);
	const unsigned threads = (n + known + THREAD_PAIRS - 1) / THREAD_PAIRS;

	if (threads >= qpus)
		return threads;
	return qpus < n ? qpus : n;
}

/* Tiles --------------------------------------------------------------------- */

/* Add a tile of a memory, with its next threads. */
static void
add_tile(struct tiles_plan *plan, unsigned memory, struct source *source,
	 bool is_full, struct nonce *nonce)
{
	struct plan_tile *tile = &plan->tiles[plan->ntiles++];
	unsigned threads = 0;

	*tile = (struct plan_tile){ .memory = memory,
				    .first_slot = plan->nslots };
	while (source->done < source->threads && threads < PLAN_TILE_THREADS) {
		const unsigned left = source->threads - source->done;
		uint32_t blocks;

		if (!is_full && threads > 0 && threads % plan->qpus == 0 &&
		    tile->work >= TILE_WORK && left >= SHAPE_ROW_THREADS)
			break;
		blocks = add_thread(plan, source, nonce);
		if (blocks > tile->longest)
			tile->longest = blocks;
		tile->work += blocks;
		threads++;
	}
	tile->threads = threads;
	tile->rows = (threads + SHAPE_ROW_THREADS - 1) / SHAPE_ROW_THREADS;
	for (; threads < tile->rows * SHAPE_ROW_THREADS; threads++)
		for (unsigned i = 0; i < THREAD_PAIRS; i++)
			add_known(plan, plan->nslots++, 1, nonce);
}

static int
compare_tiles(const void *a, const void *b)
{
	const struct plan_tile *x = a, *y = b;

	if (x->longest != y->longest)
		return x->longest < y->longest ? 1 : -1;
	return (x->first_slot > y->first_slot) -
	       (x->first_slot < y->first_slot);
}

/* Jobs ---------------------------------------------------------------------- */

/* Return the blocks of the thread with these slots. */
static uint32_t
thread_blocks(const struct plan_slot *slots)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < THREAD_PAIRS; i++)
		if (slots[i].blocks > longest)
			longest = slots[i].blocks;
	return longest;
}

/* Return the time at which all threads of these tiles have ended, in blocks of
 * one QPU.  A QPU that is free takes the next thread. */
static uint32_t
time_of_tiles(const struct tiles_plan *plan, unsigned first, unsigned end)
{
	uint32_t busy[PLAN_QPUS] = { 0 };
	uint32_t time = 0;

	for (unsigned t = first; t < end; t++) {
		const struct plan_tile *tile = &plan->tiles[t];
		const unsigned threads = tile->rows * SHAPE_ROW_THREADS;

		for (unsigned i = 0; i < threads; i++) {
			const uint32_t blocks =
				thread_blocks(&plan->slots[tile->first_slot +
							   i * THREAD_PAIRS]);
			const uint32_t ended =
				tiles_take_thread(busy, plan->qpus, blocks);

			time = ended > time ? ended : time;
		}
	}
	return time;
}

static void
add_job(struct tiles_plan *plan, unsigned first, unsigned end)
{
	plan->jobs[plan->njobs++] =
		(struct plan_job){ .first_tile = first,
				   .ntiles = end - first,
				   .blocks = time_of_tiles(plan, first, end) };
}

/* Return the tile before which half of the work lies, not the first one. */
static unsigned
half_of_work(const struct tiles_plan *plan, unsigned first, unsigned end)
{
	uint64_t all = 0, before = 0;
	unsigned t = first;

	for (unsigned i = first; i < end; i++)
		all += plan->tiles[i].work;
	while (t < end - 1 && (before * 2 < all || t == first))
		before += plan->tiles[t++].work;
	return t;
}

/* Return true if a job of these tiles takes longer than the device wants. */
static bool
is_long(const struct tiles_plan *plan, unsigned first, unsigned end)
{
	uint64_t threads = 0;

	for (unsigned t = first; t < end; t++)
		threads += plan->tiles[t].threads;
	return time_of_tiles(plan, first, end) +
		       threads * BLOCKS_OF_THREADS /
			       (THREADS_OF_BLOCKS * plan->qpus) >
	       plan->job_blocks;
}

/* Divide tiles into at most `most` jobs that are small enough. */
static void
add_jobs(struct tiles_plan *plan, unsigned first, unsigned end, unsigned most)
{
	const unsigned n = end - first;
	unsigned half = end;

	if (n > JOB_TILES)
		half = first + (n + 1) / 2;
	else if (n > 1 && most > 1 && is_long(plan, first, end))
		half = half_of_work(plan, first, end);
	if (half == end) {
		add_job(plan, first, end);
		return;
	}
	add_jobs(plan, first, half, most / 2);
	add_jobs(plan, half, end, most / 2);
}

/* Return true if two jobs take hardly longer than one. */
static bool
are_cheap(const struct tiles_plan *plan, unsigned half)
{
	const uint32_t whole = time_of_tiles(plan, 0, plan->ntiles);

	return time_of_tiles(plan, 0, half) +
		       time_of_tiles(plan, half, plan->ntiles) <=
	       whole + whole / JOBS_COST;
}

static void
cut_jobs(struct tiles_plan *plan)
{
	enum { MOST = PLAN_JOBS - PLAN_PROOFS };
	const unsigned n = plan->ntiles;
	const unsigned half = half_of_work(plan, 0, n);

	if (n > JOB_TILES || (n > 1 && are_cheap(plan, half))) {
		add_jobs(plan, 0, half, MOST / 2);
		add_jobs(plan, half, n, MOST / 2);
	} else {
		add_jobs(plan, 0, n, MOST);
	}
}

/* Plans --------------------------------------------------------------------- */

/* Add the tiles of a memory; all memories have n pieces. */
static bool
add_tiles(struct tiles_plan *plan, unsigned memory, struct source source,
	  unsigned n, bool is_full, struct nonce *nonce)
{
	source.threads = tiles_plan_threads(
		source.n, (plan->qpus * source.n + n - 1) / n);
	source.spare = source.threads * THREAD_PAIRS - source.n;
	source.phase = nonce_below(nonce, source.threads);
	while (source.done < source.threads) {
		if (plan->ntiles == plan->most_tiles)
			return false;
		add_tile(plan, memory, &source, is_full, nonce);
	}
	return true;
}

/* Put all threads into tiles, few and full ones if is_full. Return false if
 * there are too many threads. */
static bool
make_tiles(struct tiles_plan *plan, const struct piece *pieces, unsigned n,
	   const struct ranges *ranges, bool is_full, struct nonce *nonce)
{
	begin(plan);
	for (unsigned m = 0; m < PLAN_MEMORIES; m++) {
		struct source source = {
			.pieces = pieces,
			.order = plan->order + ranges->first[m],
			.n = ranges->first[m + 1] - ranges->first[m]
		};

		if (source.n > 0 &&
		    !add_tiles(plan, m, source, n, is_full, nonce))
			return false;
	}
	return true;
}

bool
tiles_plan_make(struct tiles_plan *plan, const struct piece *pieces, unsigned n,
		unsigned some, struct nonce *nonce)
{
	struct ranges ranges;

	sort_pieces(plan, pieces, n, &ranges);
	if (!make_tiles(plan, pieces, some, &ranges, false, nonce) &&
	    !make_tiles(plan, pieces, some, &ranges, true, nonce))
		return false;
	qsort(plan->tiles, plan->ntiles, sizeof(*plan->tiles), compare_tiles);
	cut_jobs(plan);
	return true;
}

/* Add a tile of known answers in the memory of the constants. */
static void
add_known_tile(struct tiles_plan *plan, unsigned rows)
{
	plan->tiles[plan->ntiles++] =
		(struct plan_tile){ .rows = rows, .first_slot = plan->nslots };
	plan->nslots += rows * SHAPE_ROW_PAIRS;
}

/* Add a tile with a thread for each QPU.  Return its first slot. */
static unsigned
add_thread_each(struct tiles_plan *plan)
{
	const unsigned first = plan->nslots;

	add_known_tile(plan, (plan->qpus + SHAPE_ROW_THREADS - 1) /
				     SHAPE_ROW_THREADS);
	return first;
}

static void
add_sums(struct tiles_plan *plan, struct nonce *nonce)
{
	for (unsigned i = add_thread_each(plan); i < plan->nslots; i++) {
		add_known(plan, i, 0, nonce);
		plan->slots[i].state = PLAN_SUMS;
	}
}

/* Add known answers of a memory, from both halves of its chain, of unlike lengths.
 * Some registers matter from the second block of a message on, and 16 blocks of all
 * memories go over all lines of a slice's texture cache. */
static void
add_halves(struct tiles_plan *plan, unsigned memory, unsigned memories,
	   struct nonce *nonce)
{
	enum { HALF = KNOWN_BLOCKS / 2, LEAST = 2, ALL = 16, UNLIKE = 3 };
	const unsigned most = LEAST + ALL / 2 / memories;

	for (unsigned half = 0; half < 2; half++) {
		unsigned i = add_thread_each(plan);

		plan->tiles[plan->ntiles - 1].memory = memory;
		for (; i < plan->nslots; i++)
			add_known_of(plan, i, half * HALF, HALF,
				     most - (i + i / 8) % UNLIKE, nonce);
	}
}

static void
add_states(struct tiles_plan *plan, struct nonce *nonce)
{
	unsigned i = plan->nslots;

	add_known_tile(plan, SHAPE_ROWS);
	for (; i < plan->nslots; i++)
		add_known(plan, i, 0, nonce);
}

void
tiles_plan_test(struct tiles_plan *plan, enum plan_test test, unsigned memories,
		struct nonce *nonce)
{
	enum { MEMORIES = 4 };

	if (test == PLAN_TEST_INVERSES) {
		for (unsigned i = 0; i < plan->nslots; i++)
			plan->slots[i].state = PLAN_INVERSE;
		plan->njobs = 0;
		add_job(plan, plan->ntiles - 1, plan->ntiles);
		add_job(plan, 0, plan->ntiles - 1);
		return;
	}
	begin(plan);
	if (test == PLAN_TEST_STATES) {
		for (unsigned t = 0; t < PLAN_TEST_TILES; t++)
			add_states(plan, nonce);
		for (unsigned i = add_thread_each(plan); i < plan->nslots; i++)
			add_known(plan, i, 0, nonce);
	}
	if (memories > MEMORIES)
		memories = MEMORIES;
	if (test == PLAN_TEST_HASHES) {
		for (unsigned m = 0; m < memories; m++)
			add_halves(plan, m, memories, nonce);
		add_sums(plan, nonce);
	}
	add_job(plan, 0, plan->ntiles);
}

void
tiles_plan_proofs(struct tiles_plan *plan, struct nonce *nonce)
{
	/* Some registers matter from the second block on. */
	enum { BLOCKS = 2 };

	for (unsigned proof = 0; proof < PLAN_PROOFS; proof++) {
		for (unsigned i = add_thread_each(plan); i < plan->nslots; i++)
			add_known(plan, i, BLOCKS, nonce);
		add_job(plan, plan->ntiles - 1, plan->ntiles);
	}
}

void
plan_slot_state(const struct plan_slot *slot, const struct known *known,
		bool after, uint32_t state[SHA256_STATE_WORDS])
{
	const uint32_t *from =
		known->chain[slot->start + (after ? slot->blocks : 0u)];

	for (uint32_t i = 0; i < SHA256_STATE_WORDS; i++) {
		const uint32_t number = i % PAIR_WORDS;

		state[i] = from[i];
		if (slot->state == PLAN_INVERSE)
			state[i] = ~from[i];
		if (slot->state == PLAN_SUMS && number < PAIR_SUM_WORDS)
			state[i] = from[0] + number * PAIR_SUM +
				   (after ? PAIR_SUM_ALL : 0);
	}
}
