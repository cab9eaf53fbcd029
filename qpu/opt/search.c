/* SPDX-License-Identifier: MIT */
/*
 * search: simulated annealing of priorities.
 */
#include "config.h"

#include "qpu/opt/search.h"

#include <string.h>
#include <time.h>

#include "qpu/opt/rename.h"

enum {
	HOTTEST =
		300,  /* that a pass may cost more at first: 0.3 instructions */
	MARGIN = 4,   /* instructions after which a pass is given up */
	WHOLE = 1024, /* of what is left */
	STIR_EACH = 50, /* passes: then half of the priorities change */
};

double
search_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Count a pass; return what is left of the search, from WHOLE down to 0. */
static unsigned
count_pass(struct search_limit *limit)
{
	limit->done++;
	if (limit->passes)
		return limit->done > limit->passes ?
			       0 :
			       WHOLE - (WHOLE - 1) * limit->done /
					       limit->passes;

	const double now = search_clock();
	if (now >= limit->finish)
		return 0;
	return 1 + (unsigned)((WHOLE - 1) * (limit->finish - now) /
			      (limit->finish - limit->begin));
}

unsigned
search_random(uint32_t *state, unsigned bound)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	*state = x;
	return (unsigned)((uint64_t)x * bound >> 32);
}

/* Return whether to keep a pass that costs so much more than the last one:
 * (1 - d/4T)^4 is close to exp(-d/T), and the same on every machine. */
static bool
keeps(uint32_t *state, int more, unsigned left)
{
	const int64_t most = (int64_t)4 * HOTTEST * left * left >> 20;
	int64_t chance;

	if (more <= 0)
		return true;
	if (more >= most)
		return false;
	chance = 1024 * (most - more) / most;
	chance = chance * chance >> 10;
	chance = chance * chance >> 10;
	return search_random(state, 1024) < chance;
}

/* Return a random number from -range to range. */
static int
around(uint32_t *state, unsigned range)
{
	return (int)search_random(state, 2 * range + 1) - (int)range;
}

static void
change_priorities(uint32_t *state, const struct problem *p, unsigned pass,
		  int *priority)
{
	unsigned changes = pass % STIR_EACH ? 1 + search_random(state, 3) :
					      p->n / 2;

	while (changes--) {
		const unsigned i = search_random(state, p->n);
		const unsigned j = search_random(state, p->n);
		const int old = priority[i];

		switch (search_random(state, 3)) {
		case 0: priority[i] += around(state, 6 * PRIORITY); break;
		case 1:
			priority[i] = priority[j];
			priority[j] = old;
			break;
		default:
			priority[i] = p->nodes[i].priority +
				      around(state, 2 * PRIORITY);
		}
	}
}

int
search_run(struct problem *p, struct search_limit *limit, int longest,
	   struct renamer *renamer)
{
	const size_t bytes = p->n * sizeof(*p->priority);
	int *const best = p->priority, *const kept = best + p->n,
		   *const tried = kept + p->n;
	int shortest = -1, cost = INT32_MAX / 2, lowest = cost;
	uint32_t random = SEARCH_SEED;

	if (!p->n || !problem_order(p))
		return -1;
	for (unsigned i = 0; i < p->n; i++)
		best[i] = kept[i] = tried[i] = p->nodes[i].priority;
	for (unsigned left = WHOLE; left && !p->no_memory;
	     left = count_pass(limit)) {
		const bool renames = renamer && limit->done &&
				     search_random(&random, 2);

		if (renames && !rename_try(renamer, &random))
			continue;
		memcpy(tried, kept, bytes);
		if (!renames && limit->done)
			change_priorities(&random, p, limit->done, tried);
		const int length = list_schedule(
			p, tried,
			shortest < 0 ? problem_limit(p) : shortest + MARGIN);
		const int now = length < 0 ? INT32_MAX : list_cost(p, length);
		if (length < 0 || !keeps(&random, now - cost, left)) {
			if (renames)
				rename_undo(renamer);
			continue;
		}
		cost = now;
		memcpy(kept, tried, bytes);
		if (now >= lowest)
			continue;
		lowest = now;
		shortest = length;
		memcpy(best, tried, bytes);
		if (renamer)
			rename_note_best(renamer);
	}
	if (renamer && shortest >= 0)
		rename_take_best(renamer);
	return shortest > longest || p->no_memory ? -1 : shortest;
}
