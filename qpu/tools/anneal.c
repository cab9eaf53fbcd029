/* SPDX-License-Identifier: MIT */
/* anneal: the moves and the cooling. */
#include "config.h"
#include "qpu/tools/anneal.h"

#include <math.h>

struct search {
	struct schedule *schedule;
	uint64_t state;			/* of the random numbers */
	double temperature;
	double cost;
	int values[GRAPH_VALUES];	/* whose place may be chosen */
	int nvalues;
};

/* xorshift64: small, and the same everywhere. */
static uint32_t
draw(struct search *search, uint32_t below)
{
	search->state ^= search->state << 13;
	search->state ^= search->state >> 7;
	search->state ^= search->state << 17;
	return (uint32_t)(search->state >> 20) % below;
}

static int
clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static double
cost(const struct schedule *schedule)
{
	/* A register too many is easier to get rid of. */
	return 3.0 * schedule->early + 3.0 * schedule->crowd +
	       2.0 * schedule->full;
}

/* Keep what was changed?  Else the caller undoes it. */
static bool
keep(struct search *search)
{
	const double now = cost(search->schedule);
	const double worse = now - search->cost;

	if (worse > 0) {
		const double dice = draw(search, 1 << 24) / 16777216.0;

		if (dice >= exp(-worse / search->temperature))
			return false;
	}
	search->cost = now;
	return true;
}

/* Any operation, or with some luck one that is in the way of another. */
static int
draw_op(struct search *search)
{
	const struct schedule *schedule = search->schedule;

	if (schedule->ncrowded && draw(search, 4) == 0) {
		const int crowded = schedule->crowded[draw(search,
						schedule->ncrowded)];
		const struct slot *slot = &schedule->slots[crowded];

		return slot->ops[draw(search, slot->nops)];
	}
	return draw(search, schedule->graph->nops);
}

/* The slots that its neighbours in the graph leave to an operation. */
static void
bounds(const struct schedule *schedule, int op, int *low, int *high)
{
	*low = 0;
	*high = schedule_last_slot(schedule, op);
	for (int i = 0; i < schedule->nop_edges[op]; i++) {
		const struct edge *edge =
			&schedule->edges[schedule->op_edges[op][i]];
		const int latency = schedule_latency(schedule, edge);

		if (edge->to == op) {
			const int first = schedule->time[edge->from] + latency;

			*low = first > *low ? first : *low;
		} else {
			const int last = schedule->time[edge->to] - latency;

			*high = last < *high ? last : *high;
		}
	}
}

static int
draw_time_between(struct search *search, int op, int reach)
{
	const int was = search->schedule->time[op];
	int low, high;

	bounds(search->schedule, op, &low, &high);
	if (low > high)
		return clamp(draw(search, 2) ? low : high, 0,
			     schedule_last_slot(search->schedule, op));
	if (high - low > 2 * reach) {
		low = clamp(was - reach, low, high);
		high = clamp(was + reach, low, high);
	}
	return low + draw(search, high - low + 1);
}

/* Another slot, perhaps on the other ALU. */
static void
try_time(struct search *search, bool anywhere)
{
	enum { REACH = 20, NUDGE = 6 };
	struct schedule *schedule = search->schedule;
	const int op = draw_op(search);
	const int was = schedule->time[op];
	const bool was_mul = schedule->on_mul[op];
	const int time = anywhere ?
		clamp(was + (int)draw(search, 2 * NUDGE + 1) - NUDGE, 0,
		      schedule_last_slot(schedule, op)) :
		draw_time_between(search, op, REACH);
	const bool flip = schedule->graph->ops[op].unit == UNIT_EITHER &&
			  draw(search, 3) == 0;

	if (time == was && !flip)
		return;
	schedule_set_time(schedule, op, time);
	if (flip)
		schedule_set_unit(schedule, op, !was_mul);
	if (keep(search))
		return;
	if (flip)
		schedule_set_unit(schedule, op, was_mul);
	schedule_set_time(schedule, op, was);
}

/* Two operations change their slots. */
static void
try_swap(struct search *search)
{
	struct schedule *schedule = search->schedule;
	const int one = draw_op(search);
	const int reach = draw(search, 4) ? 6 : 20;
	const int first = schedule->time[one];
	const int second = first + (int)draw(search, 2 * reach + 1) - reach;

	if (second < 0 || second >= schedule->nslots || second == first ||
	    !schedule->slots[second].nops)
		return;
	const struct slot *slot = &schedule->slots[second];
	const int other = slot->ops[draw(search, slot->nops)];

	if (second > schedule_last_slot(schedule, one) ||
	    first > schedule_last_slot(schedule, other))
		return;
	schedule_set_time(schedule, one, second);
	schedule_set_time(schedule, other, first);
	if (keep(search))
		return;
	schedule_set_time(schedule, one, first);
	schedule_set_time(schedule, other, second);
}

/* Another place for a temporary, perhaps with another slot. */
static void
try_place(struct search *search)
{
	struct schedule *schedule = search->schedule;
	const int value = search->values[draw(search, search->nvalues)];
	const int op = schedule->graph->values[value].writer;
	const enum place was = schedule->place[value];
	const enum place place = draw(search, PLACE_CHOICES);
	const int was_time = schedule->time[op];
	int time = was_time;

	if (place == was)
		return;
	if (draw(search, 2))
		time = clamp(time + (int)draw(search, 5) - 2, 0,
			     schedule_last_slot(schedule, op));
	schedule_set_place(schedule, value, place);
	schedule_set_time(schedule, op, time);
	if (keep(search))
		return;
	schedule_set_time(schedule, op, was_time);
	schedule_set_place(schedule, value, was);
}

static void
try_unit(struct search *search)
{
	struct schedule *schedule = search->schedule;
	const int op = draw(search, schedule->graph->nops);

	if (schedule->graph->ops[op].unit != UNIT_EITHER)
		return;
	schedule_set_unit(schedule, op, !schedule->on_mul[op]);
	if (!keep(search))
		schedule_set_unit(schedule, op, !schedule->on_mul[op]);
}

/* All operations of some slots, one slot up or down. */
static void
try_shift(struct search *search)
{
	enum { SHIFT_SLOTS = 14, SHIFT_OPS = 64 };
	struct schedule *schedule = search->schedule;
	const int first = draw(search, schedule->nslots);
	const int end = first + 2 + draw(search, SHIFT_SLOTS - 2);
	const int by = draw(search, 2) ? 1 : -1;
	int ops[SHIFT_OPS];
	int nops = 0;

	for (int i = first; i < end && i < schedule->nslots; i++)
		for (int k = 0; k < schedule->slots[i].nops; k++) {
			const int op = schedule->slots[i].ops[k];
			const int time = i + by;

			if (time < 0 || nops == SHIFT_OPS ||
			    time > schedule_last_slot(schedule, op))
				return;
			ops[nops++] = op;
		}
	for (int i = 0; i < nops; i++)
		schedule_set_time(schedule, ops[i],
				  schedule->time[ops[i]] + by);
	if (nops == 0 || keep(search))
		return;
	for (int i = 0; i < nops; i++)
		schedule_set_time(schedule, ops[i],
				  schedule->time[ops[i]] - by);
}

static void
step(struct search *search)
{
	const unsigned dice = draw(search, 100);

	if (dice < 45)
		try_time(search, false);
	else if (dice < 60)
		try_time(search, true);
	else if (dice < 78)
		try_swap(search);
	else if (dice < 90)
		try_place(search);
	else if (dice < 96)
		try_unit(search);
	else
		try_shift(search);
}

/* One slot less: the emptiest goes, what was in it moves up. */
static void
shrink(struct search *search)
{
	struct schedule *schedule = search->schedule;
	const int start = draw(search, schedule->nslots);
	int emptiest = start;

	for (int i = 1; i < schedule->nslots; i++) {
		const int slot = (start + i) % schedule->nslots;

		if (schedule->slots[slot].nops <
		    schedule->slots[emptiest].nops)
			emptiest = slot;
	}
	schedule->nslots--;
	for (int i = 0; i < schedule->graph->nops; i++) {
		if (schedule->time[i] > emptiest)
			schedule->time[i]--;
		schedule->time[i] = clamp(schedule->time[i], 0,
					  schedule_last_slot(schedule, i));
	}
	schedule_count(schedule);
	search->cost = cost(schedule);
}

void
anneal_run(const struct anneal *anneal, struct schedule *schedule,
	   anneal_found *found, void *context)
{
	enum { RECOOL = 4096 };		/* steps of one temperature */
	struct search search = {
		.schedule = schedule,
		.state = 88172645463325252 ^
			 anneal->seed * 0x9e3779b97f4a7c15,
		.cost = cost(schedule),
	};
	const struct graph *graph = schedule->graph;
	uint64_t age = 0;

	for (int v = 0; v < graph->nvalues; v++)
		if (schedule->temporary[v] && !graph->values[v].needs_a)
			search.values[search.nvalues++] = v;
	if (!search.state || !search.nvalues)
		return;
	for (uint64_t i = 0; i < anneal->steps; i++, age++) {
		if (i % RECOOL == 0) {
			const double done =
				fmod((double)age / anneal->cycle, 1);

			search.temperature = anneal->hot *
				pow(anneal->cold / anneal->hot, done);
		}
		if (schedule_is_valid(schedule)) {
			if (!found(context, schedule))
				return;
			shrink(&search);
			/* What is there is good: not all the heat again. */
			age = anneal->cycle / 3;
		}
		step(&search);
	}
}
