/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/tiles_stage.h"

#include <stdbool.h>
#include <string.h>

#include "qpu/sha/tiles_plan.h"

enum {
	/* With more pieces threads are short, or many. */
	MOST_PIECES = 2048,
	MOST_ROUNDS = 6,
	/* Blocks that take as long as a stage takes to begin. */
	STAGE_COST = 16,
	MOST_QPUS = 32
};

/* How many pieces have this many blocks left? */
struct lengths {
	unsigned of[PIECE_BLOCKS + 1];
	unsigned n;
};

static uint32_t
left(const struct piece *piece)
{
	return piece->blocks - piece->hashed;
}

/* When have QPUs ended that take the threads of these, the longest first? */
static uint32_t
time_of(const struct lengths *lengths, unsigned qpus)
{
	const unsigned threads = tiles_plan_threads(lengths->n, qpus);
	uint32_t busy[MOST_QPUS] = { 0 };
	uint32_t time = 0, length = PIECE_BLOCKS;
	unsigned longer = 0; /* pieces of this length, and before */

	for (unsigned thread = 0; thread < threads; thread++) {
		const unsigned first = thread * lengths->n / threads;
		unsigned next = 0;

		while (longer + lengths->of[length] <= first)
			longer += lengths->of[length--];
		for (unsigned q = 1; q < qpus; q++)
			if (busy[q] < busy[next])
				next = q;
		busy[next] += length;
		if (busy[next] > time)
			time = busy[next];
	}
	return time;
}

/* The length of the last of the n longest. */
static uint32_t
length_of(const struct lengths *lengths, unsigned n)
{
	uint32_t length = PIECE_BLOCKS;
	unsigned longer = lengths->of[length];

	while (longer < n)
		longer += lengths->of[--length];
	return length;
}

/* What the n longest leave when they are cut to the last of them. */
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

/* The most pieces of which, with known answers, the threads go round once for
 * each of `rounds`. */
static unsigned
pieces_of_rounds(unsigned rounds, unsigned qpus)
{
	const unsigned threads = rounds * qpus;
	unsigned n = threads * THREAD_PAIRS;

	while (n > 0 && tiles_plan_threads(n, qpus) > threads)
		n--;
	return n;
}

/* How many of the longest pieces should be cut to one length?  0: none. */
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

/* The length of equal parts of the longest piece, none of more than `most`. */
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
tiles_stage_choose(struct piece *pieces, unsigned n, unsigned qpus,
		   uint32_t most)
{
	const uint32_t part = part_of_longest(pieces, n, most);
	struct lengths all = { .n = 0 };
	unsigned first, longest = 0;
	uint32_t length = 0;

	if (qpus > MOST_QPUS)
		qpus = MOST_QPUS;
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
