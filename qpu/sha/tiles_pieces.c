/* SPDX-License-Identifier: MIT */
/* tiles_pieces: pieces of messages, and the stages in which they are hashed. */
#include "config.h"

#include "qpu/sha/tiles_launch.h"

#include <string.h>

#include "qpu/kernel/pair.h"

/* Take a lane apart into at most `most` pieces, and set its `done`.  Return the
 * number of pieces. */
static unsigned
take_lane(struct piece *pieces, unsigned most, struct engine_lane *lane,
	  unsigned number)
{
	const uint32_t all = lane->nblocks;
	uint32_t at = 0;
	unsigned n = 0;

	while (at < all && n < most) {
		const bool ends = n < lane->nends;
		const uint32_t until = ends ? lane->ends[n].block : all;
		const bool is_cut = until - at > PIECE_BLOCKS;
		const uint32_t blocks = is_cut ? PIECE_BLOCKS : until - at;

		pieces[n] = (struct piece){
			.data = lane->data + (size_t)at * SHA256_BLOCK_BYTES,
			.blocks = (uint16_t)blocks,
			.lane = (uint8_t)number,
			.is_first = n == 0,
			.end = ends && !is_cut ? &lane->ends[n] : NULL
		};
		n++;
		at += blocks;
		if (is_cut)
			break;
	}
	if (n > 0)
		pieces[n - 1].is_last = true;
	lane->done = at;
	return n;
}

/* Find the data of a lane's pieces in one of the memories. */
static bool
place_pieces(const struct tiles_launch *launch, struct piece *pieces,
	     unsigned n)
{
	const struct piece *last = &pieces[n - 1];
	const size_t bytes = (size_t)(last->data - pieces->data) +
			     (size_t)last->blocks * SHA256_BLOCK_BYTES +
			     PAIR_AHEAD_BYTES;

	for (unsigned m = 1; m < launch->nmemories; m++) {
		const struct way_memory *memory = &launch->memories[m].memory;
		const size_t offset =
			(uintptr_t)pieces->data - (uintptr_t)memory->cpu;

		if (offset >= memory->bytes || memory->bytes - offset < bytes ||
		    offset % 4 != 0)
			continue;
		for (unsigned i = 0; i < n; i++) {
			pieces[i].memory = (uint8_t)m;
			pieces[i].offset =
				(uint32_t)(offset + (size_t)(pieces[i].data -
							     pieces->data));
		}
		return true;
	}
	return false;
}

bool
tiles_parse(struct tiles_launch *launch, struct engine_lane *lanes, unsigned n,
	    struct diag *why)
{
	unsigned busy = 0, most;

	for (unsigned i = 0; i < n; i++)
		busy += lanes[i].nblocks > 0;
	most = launch->most_pieces / (busy > 0 ? busy : 1);
	launch->npieces = 0;
	for (unsigned i = 0; i < n; i++) {
		struct piece *pieces = &launch->pieces[launch->npieces];
		const unsigned here = take_lane(pieces, most, &lanes[i], i);

		if (here > 0 && !place_pieces(launch, pieces, here)) {
			diag_set(why, "data lie outside of its memory");
			return false;
		}
		launch->npieces += here;
	}
	return true;
}

void
tiles_state_before(const struct tiles_launch *launch, const struct piece *piece,
		   const struct engine_lane *lanes,
		   uint32_t state[SHA256_STATE_WORDS])
{
	const uint32_t *from = sha256_initial;

	if (piece->hashed > 0)
		from = launch->states[piece - launch->pieces];
	else if (piece->is_first)
		from = lanes[piece->lane].state;
	memcpy(state, from, sizeof(sha256_initial));
}

void
tiles_collect(const struct tiles_launch *launch, struct engine_lane *lanes)
{
	for (unsigned i = 0; i < launch->npieces; i++) {
		const struct piece *piece = &launch->pieces[i];
		const uint32_t *state = launch->states[i];

		if (piece->end)
			memcpy(piece->end->state, state,
			       sizeof(piece->end->state));
		if (piece->is_last)
			memcpy(lanes[piece->lane].state,
			       piece->end ? sha256_initial : state,
			       sizeof(sha256_initial));
	}
}

/* Stages -------------------------------------------------------------------- */

enum {
	/* With more pieces threads are short, or many. */
	MOST_PIECES = 2048,
	MOST_ROUNDS = 6,
	/* Blocks that take as long as a stage takes to begin. */
	STAGE_COST = 16
};

/* Number of pieces by their blocks left. */
struct lengths {
	unsigned of[PIECE_BLOCKS + 1];
	unsigned n;
};

static uint32_t
left(const struct piece *piece)
{
	return piece->blocks - piece->hashed;
}

/* Return the time at which the QPUs have ended, if they take the threads of
 * these pieces with the longest first. */
static uint32_t
time_of(const struct lengths *lengths, unsigned qpus)
{
	const unsigned threads = tiles_plan_threads(lengths->n, qpus);
	uint32_t busy[PLAN_QPUS] = { 0 };
	uint32_t time = 0, length = PIECE_BLOCKS;
	unsigned longer = 0; /* pieces of this length, and before */

	for (unsigned thread = 0; thread < threads; thread++) {
		const unsigned first = thread * lengths->n / threads;
		uint32_t end;

		while (longer + lengths->of[length] <= first)
			longer += lengths->of[length--];
		end = tiles_take_thread(busy, qpus, length);
		time = end > time ? end : time;
	}
	return time;
}

/* Return the length of the nth longest piece. */
static uint32_t
length_of(const struct lengths *lengths, unsigned n)
{
	uint32_t length = PIECE_BLOCKS;
	unsigned longer = lengths->of[length];

	while (longer < n)
		longer += lengths->of[--length];
	return length;
}

/* Return what is left after the n longest pieces are cut to this length. */
static struct lengths
cut(const struct lengths *all, unsigned n, uint32_t length)
{
	struct lengths rest = *all;
	unsigned cut = 0;

	for (uint32_t i = PIECE_BLOCKS; i > length; i--) {
		cut += all->of[i];
		rest.of[i] -= all->of[i];
		rest.of[i - length] += all->of[i];
	}
	rest.of[length] -= n - cut;
	rest.n -= n - cut;
	return rest;
}

/* Return the most pieces that fit in `rounds` rounds of threads, known answers
 * included. */
static unsigned
pieces_of_rounds(unsigned rounds, unsigned qpus)
{
	const unsigned threads = rounds * qpus;
	unsigned n = threads * THREAD_PAIRS;

	while (n > 0 && tiles_plan_threads(n, qpus) > threads)
		n--;
	return n;
}

/* Return how many of the longest pieces to cut to one length, or 0. */
static unsigned
choose_cut(const struct lengths *all, unsigned qpus)
{
	uint32_t best = time_of(all, qpus);
	unsigned chosen = 0;

	for (unsigned rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
		const unsigned n = pieces_of_rounds(rounds, qpus);
		uint32_t length, time;
		struct lengths rest;

		if (n > all->n)
			break;
		length = length_of(all, n);
		rest = cut(all, n, length);
		if (rest.n == 0)
			break;
		time = rounds * length + STAGE_COST + time_of(&rest, qpus);
		if (time < best) {
			best = time;
			chosen = n;
		}
	}
	return chosen;
}

/* Return the length of the fewest equal parts of the longest piece, at most
 * `most`. */
static uint32_t
part_of_longest(const struct piece *pieces, unsigned n, uint32_t most)
{
	uint32_t longest = 1, parts;

	for (unsigned i = 0; i < n; i++)
		if (left(&pieces[i]) > longest)
			longest = left(&pieces[i]);
	parts = (longest + most - 1) / most;
	return (longest + parts - 1) / parts;
}

unsigned
tiles_choose_stage(struct piece *pieces, unsigned n, unsigned qpus,
		   uint32_t most)
{
	const uint32_t part = part_of_longest(pieces, n, most);
	struct lengths all = { .n = 0 };
	unsigned first, longest = 0;
	uint32_t length = 0;

	for (unsigned i = 0; i < n; i++) {
		pieces[i].now = (uint16_t)(left(&pieces[i]) < part ?
						   left(&pieces[i]) :
						   part);
		all.of[pieces[i].now] += pieces[i].now > 0;
		all.n += pieces[i].now > 0;
	}
	first = all.n > 0 && all.n <= MOST_PIECES ? choose_cut(&all, qpus) : 0;
	if (first == 0)
		return all.n;
	length = length_of(&all, first);
	for (unsigned i = 0; i < n; i++)
		longest += pieces[i].now > length;
	/* Of those that have this length, as many as are wanted. */
	for (unsigned i = 0; i < n; i++) {
		if (pieces[i].now > length)
			pieces[i].now = (uint16_t)length;
		else if (pieces[i].now == length && longest < first)
			longest++;
		else
			pieces[i].now = 0;
	}
	return first;
}
