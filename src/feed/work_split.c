/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/work_split.h"

#include <stdlib.h>

#include "src/lanes/message.h"

enum {
	FIRST_SIZE = 1024,
	/* A worker that wants a short message looks at that many. */
	LOOKED_AT = 256
};

void
work_split_init(struct work_split *split)
{
	*split = (struct work_split){ .ended = false };
}

void
work_split_free(struct work_split *split)
{
	free(split->items);
	free(split->heap);
	split->items = NULL;
	split->heap = NULL;
	split->size = split->waiting = 0;
}

/* --- The heap ------------------------------------------------------------- */

static struct work_item *
heap_item(const struct work_split *split, uint32_t at)
{
	return &split->items[split->heap[at]];
}

static void
heap_put(struct work_split *split, uint32_t at, uint32_t index)
{
	split->heap[at] = index;
	split->items[index].heap_at = at;
}

static void
heap_up(struct work_split *split, uint32_t at)
{
	const uint32_t index = split->heap[at];
	const uint64_t blocks = split->items[index].blocks;

	while (at > 0 && heap_item(split, (at - 1) / 2)->blocks < blocks) {
		heap_put(split, at, split->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(split, at, index);
}

/* Move the item at a place down, within the first n places. */
static void
heap_down(struct work_split *split, uint32_t at, uint32_t n)
{
	const uint32_t index = split->heap[at];
	const uint64_t blocks = split->items[index].blocks;

	for (;;) {
		uint32_t below = 2 * at + 1;

		if (below >= n)
			break;
		if (below + 1 < n &&
		    heap_item(split, below)->blocks <
			    heap_item(split, below + 1)->blocks)
			below++;
		if (heap_item(split, below)->blocks <= blocks)
			break;
		heap_put(split, at, split->heap[below]);
		at = below;
	}
	heap_put(split, at, index);
}

/* --- Adding --------------------------------------------------------------- */

/* Double the number of places.  It stays a power of two, so that the place of an
 * arrival is found by a mask. */
static bool
grow(struct work_split *split)
{
	const uint32_t size = split->size ? 2 * split->size : FIRST_SIZE;
	struct work_item *items = malloc(size * sizeof(*items));
	uint32_t *heap = malloc(size * sizeof(*heap));

	if (!items || !heap) {
		free(items);
		free(heap);
		return false;
	}
	for (uint32_t at = split->first; at != split->end; at++) {
		items[at & (size - 1)] = split->items[at & (split->size - 1)];
		if (!items[at & (size - 1)].taken)
			heap[items[at & (size - 1)].heap_at] = at & (size - 1);
	}
	free(split->items);
	free(split->heap);
	split->items = items;
	split->heap = heap;
	split->size = size;
	return true;
}

bool
work_split_add(struct work_split *split, uint64_t blocks, void *what)
{
	uint32_t index;

	if (split->end - split->first == split->size && !grow(split))
		return false;
	index = split->end++ & (split->size - 1);
	split->items[index] =
		(struct work_item){ .blocks = blocks, .what = what };
	heap_put(split, split->waiting, index);
	heap_up(split, split->waiting++);
	split->blocks += blocks;
	return true;
}

void
work_split_end(struct work_split *split)
{
	split->ended = true;
}

/* --- Taking --------------------------------------------------------------- */

static void *
take(struct work_split *split, struct work_item *item)
{
	const uint32_t at = item->heap_at;

	split->blocks -= item->blocks;
	item->taken = true;
	if (at != --split->waiting) {
		heap_put(split, at, split->heap[split->waiting]);
		heap_up(split, at);
		heap_down(split, at, split->waiting);
	}
	while (split->first != split->end &&
	       split->items[split->first & (split->size - 1)].taken)
		split->first++;
	return item->what;
}

static uint64_t
longest_waiting(const struct work_split *split)
{
	return split->waiting > 0 ? heap_item(split, 0)->blocks : 0;
}

struct work_amount
work_split_amount(const struct work_split *split)
{
	return (struct work_amount){ .messages = split->waiting,
				     .blocks = split->blocks };
}

static double
longer(double a, double b)
{
	return a > b ? a : b;
}

static double
both_rates(const struct work_rates *rates)
{
	return rates->device + rates->worker * rates->workers;
}

/* Seconds until all is done, waiting or begun, if it can be cut. */
static double
seconds_left(const struct work_split *split, const struct work_rates *rates)
{
	return (double)(split->blocks + split->in_lanes + split->in_workers +
			split->migrating) /
	       both_rates(rates);
}

static struct work_item *
first_item(const struct work_split *split)
{
	return &split->items[split->first & (split->size - 1)];
}

/* The shortest of the messages that arrived first. */
static struct work_item *
shortest_of_first(const struct work_split *split)
{
	struct work_item *best = first_item(split);

	for (uint32_t i = 1; i < LOOKED_AT && split->first + i != split->end;
	     i++) {
		struct work_item *item =
			&split->items[(split->first + i) & (split->size - 1)];

		if (!item->taken && item->blocks < best->blocks)
			best = item;
	}
	return best;
}

/* Lanes that are fed slowly had better get the longest, if workers can do a
 * good part of the short ones meanwhile. */
static bool
lanes_want_longest(const struct work_rates *rates)
{
	return rates->feeding &&
	       rates->worker * rates->workers > rates->device / 4;
}

void *
work_split_for_lane(struct work_split *split, const struct work_rates *rates)
{
	const double longest = (double)longest_waiting(split);

	if (split->waiting == 0)
		return NULL;
	if (split->ended || lanes_want_longest(rates) ||
	    longest > rates->lane * seconds_left(split, rates))
		return take(split, heap_item(split, 0));
	return take(split, first_item(split));
}

/* The longest message with at most `most` blocks, at this place of the heap or
 * below; `best`, which may be NULL, if none is longer than that. */
static struct work_item *
longest_within(const struct work_split *split, uint32_t at, double most,
	       struct work_item *best)
{
	struct work_item *item;

	if (at >= split->waiting)
		return best;
	item = heap_item(split, at);
	if (best && item->blocks <= best->blocks)
		return best;
	if ((double)item->blocks <= most)
		return item;
	best = longest_within(split, 2 * at + 1, most, best);
	return longest_within(split, 2 * at + 2, most, best);
}

void *
work_split_for_worker(struct work_split *split, const struct work_rates *rates,
		      uint64_t assigned)
{
	const double before = rates->worker * seconds_left(split, rates);
	struct work_item *item;
	double most;

	/* Any message would end earlier in a lane. */
	if (split->waiting == 0 ||
	    (!split->ended && rates->worker <= rates->lane))
		return NULL;
	/* Lanes that are fed slowly get the long ones, but not one that outlasts
	 * all. */
	item = heap_item(split, 0);
	if (rates->feeding &&
	    (double)item->blocks * rates->worker < before * rates->lane) {
		/* The only core has nothing to spare. */
		if (rates->workers == 1)
			return NULL;
		item = shortest_of_first(split);
	}
	most = longer(before,
		      (double)item->blocks * rates->worker / rates->lane);
	/* A message that would end even later in a lane is taken anyway. */
	if (split->ended && (double)(assigned + item->blocks) > most)
		item = longest_within(split, 0, before - (double)assigned,
				      NULL);
	return item ? take(split, item) : NULL;
}

/* --- Planning -------------------------------------------------------------- */

/* Blocks that lanes and workers could still take, beside what they have. */
struct capacity {
	double lanes, workers;
};

/* What they could take and be done with in that many seconds. */
static struct capacity
capacity_within(const struct work_split *split, const struct work_rates *rates,
		const uint64_t *left, unsigned n, double seconds)
{
	const double level = rates->lane * seconds;
	struct capacity capacity = { .lanes = 0 };
	uint32_t idle = 0;

	if (rates->workers > 0)
		capacity.workers =
			rates->worker * rates->workers * seconds -
			(double)(split->in_workers + split->migrating);
	for (unsigned i = 0; i < n; i++) {
		const double lane = (double)left[i];

		/* A message is in one lane at a time. */
		if (left[i] == 0 && idle++ >= split->waiting + split->begun)
			continue;
		/* Workers go on with what takes a lane too long. */
		if (lane < level)
			capacity.lanes += level - lane;
		else if (rates->workers > 0)
			capacity.workers -= lane - level;
	}
	return capacity;
}

/* Which messages that have been begun are for workers, and which for lanes? */
static void
set_migration(const struct work_split *split, const struct work_rates *rates,
	      struct work_plan *plan)
{
	const uint64_t level = (uint64_t)(rates->lane * plan->seconds);
	const uint64_t longest = longest_waiting(split);

	plan->lane_capacity =
		level > MIGRATION_MIN_BLOCKS ? level - MIGRATION_MIN_BLOCKS : 0;
	plan->min_migration = level > longest ? level : longest;
	if (plan->min_migration < MIGRATION_MIN_BLOCKS)
		plan->min_migration = MIGRATION_MIN_BLOCKS;
	if (rates->worker <= rates->lane)
		plan->min_migration = UINT64_MAX;
}

void
work_split_plan(const struct work_split *split, const struct work_rates *rates,
		const uint64_t *left, unsigned n, struct work_plan *plan)
{
	const double waiting = (double)split->blocks;
	double least = 0, most = 1;
	struct capacity capacity;

	do {
		most *= 2;
		capacity = capacity_within(split, rates, left, n, most);
	} while (capacity.lanes + capacity.workers < waiting && most < 1e12);
	for (unsigned step = 0; step < 50; step++) {
		const double middle = (least + most) / 2;

		capacity = capacity_within(split, rates, left, n, middle);
		if (capacity.lanes + capacity.workers < waiting)
			least = middle;
		else
			most = middle;
	}
	capacity = capacity_within(split, rates, left, n, most);
	plan->seconds = most;
	plan->fillers = rates->fillers;
	plan->fill_target = (uint64_t)(rates->lane * most) + 1;
	set_migration(split, rates, plan);
	plan->lane_quota = UINT64_MAX;
	if (split->ended && rates->workers > 0)
		plan->lane_quota = (uint64_t)capacity.lanes + 1;
}

double
work_split_estimate(const struct work_split *split,
		    const struct work_rates *rates)
{
	const double fastest = longer(rates->lane, rates->core);
	const double lanes = rates->lane * split->waiting;
	struct work_rates used = *rates;

	if (lanes < used.device)
		used.device = lanes;
	return longer((double)split->blocks / both_rates(&used),
		      (double)longest_waiting(split) / fastest);
}
