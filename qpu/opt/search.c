/* SPDX-License-Identifier: MIT */
/*
 * search: simulated annealing of priorities.
 */
#include "config.h"

#include "qpu/opt/search.h"

#include <string.h>
#include <time.h>

/* At first a pass may cost about a third of an instruction more. */
enum { HOTTEST = 300 };

double
search_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

unsigned
search_left(struct search_limit *limit)
{
	limit->done++;
	if (limit->passes)
		return limit->done > limit->passes ?
			       0 :
			       1024 - 1023 * limit->done / limit->passes;

	const double now = search_clock();
	if (now >= limit->finish)
		return 0;
	return 1 + (unsigned)(1023 * (limit->finish - now) /
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

/* (1 - d/4T)^4 is close to exp(-d/T), and the same on every machine. */
bool
search_keeps(uint32_t *state, int more, unsigned left)
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

void
search_change(uint32_t *state, const struct problem *p, unsigned pass,
	      int *priority)
{
	const unsigned most = p->n;
	unsigned changes = pass % 50 ? 1 + search_random(state, 3) : p->n / 2;

	while (changes--) {
		const unsigned i = search_random(state, most);
		const unsigned j = search_random(state, most);
		const int old = priority[i];

		switch (search_random(state, 3)) {
		case 0:
			priority[i] +=
				(int)search_random(state, 12 * PRIORITY + 1) -
				6 * PRIORITY;
			break;
		case 1:
			priority[i] = priority[j];
			priority[j] = old;
			break;
		default:
			priority[i] =
				p->priority[i] +
				(int)search_random(state, 4 * PRIORITY + 1) -
				2 * PRIORITY;
		}
	}
}

int
search_run(struct problem *p, struct search_limit *limit, int longest,
	   int *priority)
{
	const size_t bytes = p->n * sizeof(*priority);
	int *const best = priority, *const kept = priority + p->n,
		   *const tried = priority + 2 * p->n;
	const int margin = 4;
	uint32_t random = SEARCH_SEED;
	int length, shortest, cost, lowest;

	memcpy(best, p->priority, bytes);
	memcpy(kept, best, bytes);
	shortest = list_schedule(p, best, 4 * longest + 64, NULL);
	cost = lowest = shortest < 0 ? INT32_MAX / 2 : list_cost(p, shortest);
	for (unsigned left; p->n && (left = search_left(limit));) {
		memcpy(tried, kept, bytes);
		search_change(&random, p, limit->done, tried);
		length = list_schedule(p, tried,
				       shortest < 0 ? 4 * longest + 64 :
						      shortest + margin,
				       NULL);
		if (length < 0)
			continue;
		const int now = list_cost(p, length);
		if (!search_keeps(&random, now - cost, left))
			continue;
		cost = now;
		memcpy(kept, tried, bytes);
		if (now >= lowest)
			continue;
		lowest = now;
		shortest = length;
		memcpy(best, tried, bytes);
	}
	return shortest < 0 || shortest > longest ? -1 : shortest;
}
