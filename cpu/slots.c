/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/slots.h"

#include "cpu/kernels.h"
#include "src/base/fips180.h"

enum {
	/* Slots that wait for a lane do not take turns more often than after
	 * this number of blocks: it costs about as much as a block. */
	LEAST_TURN = 4
};

struct slots {
	uint32_t features;
	const struct slot_supply *supply;
	bool supply_is_empty;
	/* Slots with work at a time; now the first `count` of `at` have some. */
	unsigned most, capacity, count;
	struct slot *at[CPU_LANES];
	/* The best kernel for that count; the first slots of `at` advance in its
	 * lanes, the others wait. */
	const struct cpu_kernel *kernel; /* null at first */
	unsigned chosen_for, advancing;
	/* The slot whose hash value is in this lane of the run, or null. */
	struct slot *in_lane[CPU_LANES];
	struct cpu_run run;
	struct slot slots[CPU_LANES];
};

static size_t
blocks_left(const struct slot *slot)
{
	return slot->nblocks[0] + slot->nblocks[1];
}

static void
exchange(struct slots *slots, unsigned one, unsigned other)
{
	struct slot *const slot = slots->at[one];

	slots->at[one] = slots->at[other];
	slots->at[other] = slot;
}

/* Ask for work for a slot that has none. */
static bool
fill(struct slots *slots, unsigned place)
{
	if (slots->supply->next(slots->supply->self, slots->at[place]))
		return true;
	slots->supply_is_empty = true;
	return false;
}

/* The hash value in a lane, if there is one, goes back to its slot. */
static void
unload(struct slots *slots, unsigned lane)
{
	if (!slots->in_lane[lane])
		return;
	cpu_run_get_state(&slots->run, slots->kernel, lane,
			  slots->in_lane[lane]->state);
	slots->in_lane[lane] = NULL;
}

/* Slots that have other places now give back their lanes. */
static void
unload_moved(struct slots *slots)
{
	for (unsigned lane = 0; lane < slots->capacity; lane++)
		if (slots->in_lane[lane] != slots->at[lane])
			unload(slots, lane);
}

static void
load(struct slots *slots)
{
	unload_moved(slots);
	for (unsigned lane = 0; lane < slots->advancing; lane++) {
		if (slots->in_lane[lane])
			continue;
		cpu_run_set_state(&slots->run, slots->kernel, lane,
				  slots->at[lane]->state);
		slots->in_lane[lane] = slots->at[lane];
	}
}

/* When nothing comes after them the longest go first, so that all end at about
 * the same time and no lane is left without work. */
static void
put_longest_first(struct slots *slots)
{
	for (unsigned place = 0; place < slots->advancing; place++) {
		unsigned longest = place;

		for (unsigned i = place + 1; i < slots->count; i++)
			if (blocks_left(slots->at[i]) >
			    blocks_left(slots->at[longest]))
				longest = i;
		exchange(slots, place, longest);
	}
}

/* Take the best kernel for the number of slots. */
static void
choose_kernel(struct slots *slots)
{
	const unsigned wanted = slots->count < slots->most ? slots->count :
							     slots->most;
	const struct cpu_kernel *const before = slots->kernel;
	const struct cpu_kernel *const kernel =
		cpu_kernel_choose(slots->features, wanted);

	slots->chosen_for = slots->count;
	slots->advancing = wanted < kernel->lanes ? wanted : kernel->lanes;
	unload_moved(slots);
	if (before && !before->run_lanes != !kernel->run_lanes)
		for (unsigned lane = 0; lane < slots->capacity; lane++)
			unload(slots, lane);
	/* The other lanes of a wide kernel compute something that is dropped. */
	for (unsigned lane = slots->advancing; lane < kernel->lanes; lane++)
		cpu_run_set_state(&slots->run, kernel, lane, sha256_initial);
	slots->kernel = kernel;
}

/* How far the first slots may go before the longest of those that wait has to
 * advance all the time, so that all end together. */
static size_t
slack(const struct slots *slots)
{
	size_t left = 0, longest = 0;

	for (unsigned place = 0; place < slots->count; place++) {
		const size_t its = blocks_left(slots->at[place]);

		left += its;
		if (place >= slots->advancing && its > longest)
			longest = its;
	}
	left /= slots->advancing;
	return left > longest + LEAST_TURN ? left - longest : LEAST_TURN;
}

/* How far the first slots go together. */
static size_t
turn(const struct slots *slots)
{
	size_t nblocks = SIZE_MAX;

	if (slots->supply_is_empty && slots->count > slots->advancing)
		nblocks = slack(slots);
	for (unsigned lane = 0; lane < slots->advancing; lane++)
		if (slots->at[lane]->nblocks[0] < nblocks)
			nblocks = slots->at[lane]->nblocks[0];
	return nblocks;
}

static void
advance(struct slots *slots, size_t nblocks)
{
	const struct cpu_kernel *const kernel = slots->kernel;
	struct cpu_run *const run = &slots->run;

	for (unsigned lane = 0; lane < slots->advancing; lane++)
		run->data[lane] = slots->at[lane]->data[0];
	for (unsigned lane = slots->advancing; lane < kernel->lanes; lane++)
		run->data[lane] = run->data[0];
	cpu_kernel_run(kernel, run, nblocks);
	for (unsigned lane = 0; lane < slots->advancing; lane++) {
		struct slot *const slot = slots->at[lane];

		slot->data[0] += nblocks * SHA256_BLOCK_BYTES;
		slot->nblocks[0] -= nblocks;
		if (slot->nblocks[0] == 0) {
			slot->data[0] = slot->data[1];
			slot->nblocks[0] = slot->nblocks[1];
			slot->nblocks[1] = 0;
		}
	}
}

/* Hand over what has ended, and take something new for it. */
static void
turn_over(struct slots *slots)
{
	/* Downwards, since the last slot moves to a place that is free. */
	for (unsigned lane = slots->advancing; lane-- > 0;) {
		if (slots->at[lane]->nblocks[0] > 0)
			continue;
		unload(slots, lane);
		slots->supply->ended(slots->supply->self, slots->at[lane]);
		if (!fill(slots, lane))
			exchange(slots, lane, --slots->count);
	}
}

void
slots_run(uint32_t features, unsigned most, const struct slot_supply *supply)
{
	struct slots slots;

	slots.features = features;
	slots.supply = supply;
	slots.most = most;
	slots.count = 0;
	slots.kernel = NULL;
	/* Either slots wait for a lane or lanes have no slot. */
	slots.capacity = cpu_kernel_choose(features, most)->lanes;
	if (slots.capacity >= most)
		slots.capacity = most;
	else if (2 * slots.capacity < CPU_LANES)
		slots.capacity = 2 * slots.capacity;
	else
		slots.capacity = CPU_LANES;
	for (unsigned i = 0; i < slots.capacity; i++) {
		slots.at[i] = &slots.slots[i];
		slots.in_lane[i] = NULL;
	}
	for (;;) {
		slots.supply_is_empty = false;
		while (slots.count < slots.capacity &&
		       fill(&slots, slots.count))
			slots.count++;
		if (slots.count == 0)
			break;
		if (!slots.kernel || slots.count != slots.chosen_for)
			choose_kernel(&slots);
		if (slots.supply_is_empty && slots.count > slots.advancing)
			put_longest_first(&slots);
		load(&slots);
		advance(&slots, turn(&slots));
		turn_over(&slots);
	}
}
