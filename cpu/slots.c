/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/slots.h"

#include "cpu/kernels.h"
#include "src/base/fips180.h"

enum {
	/* Slots are not exchanged more often than after this number of blocks:
	 * it costs about as much as half a block. */
	LEAST_TURN = 4
};

struct slots {
	uint32_t features;
	unsigned most;
	const struct slot_supply *supply;
	bool supply_is_empty;
	/* Slots with work; lane i of the run belongs to at[i]. */
	unsigned count;
	struct slot *at[BATCH_LANES];
	/* The best kernel for that number of slots; those in its lanes advance,
	 * the others wait. */
	const struct cpu_kernel *kernel; /* null at first */
	unsigned chosen_for, advancing;
	struct cpu_run run;
	struct slot slots[BATCH_LANES];
};

static size_t
blocks_left(const struct slot *slot)
{
	return slot->nblocks[0] + slot->nblocks[1];
}

/* Ask for work for the slot of this lane. */
static bool
fill(struct slots *slots, unsigned lane)
{
	uint32_t state[SHA256_STATE_WORDS];

	if (!slots->supply->next(slots->supply->self, slots->at[lane], state)) {
		slots->supply_is_empty = true;
		return false;
	}
	cpu_run_set_state(&slots->run, lane, state);
	return true;
}

static void
swap_lanes(struct slots *slots, unsigned one, unsigned other)
{
	uint32_t state[SHA256_STATE_WORDS], other_state[SHA256_STATE_WORDS];
	struct slot *const slot = slots->at[one];

	cpu_run_get_state(&slots->run, slots->kernel, one, state);
	cpu_run_get_state(&slots->run, slots->kernel, other, other_state);
	cpu_run_set_state(&slots->run, one, other_state);
	cpu_run_set_state(&slots->run, other, state);
	slots->at[one] = slots->at[other];
	slots->at[other] = slot;
}

/* When nothing comes after them the longest go first, so that all end at about
 * the same time and no lane is left without work. */
static void
put_longest_first(struct slots *slots)
{
	for (unsigned lane = 0; lane < slots->advancing; lane++) {
		unsigned longest = lane;

		for (unsigned i = lane + 1; i < slots->count; i++)
			if (blocks_left(slots->at[i]) >
			    blocks_left(slots->at[longest]))
				longest = i;
		if (longest != lane)
			swap_lanes(slots, lane, longest);
	}
}

/* Take the best kernel for the number of slots.  Lanes 0 to states - 1 have hash
 * values that the kernel before may have written. */
static void
choose_kernel(struct slots *slots, unsigned states)
{
	const unsigned wanted = slots->count < slots->most ? slots->count :
							     slots->most;
	const struct cpu_kernel *const before = slots->kernel;
	const struct cpu_kernel *const kernel =
		cpu_kernel_choose(slots->features, wanted);

	if (before && !before->run_lanes != !kernel->run_lanes) {
		for (unsigned lane = 0; lane < states; lane++) {
			uint32_t state[SHA256_STATE_WORDS];

			cpu_run_get_state(&slots->run, before, lane, state);
			cpu_run_set_state(&slots->run, lane, state);
		}
	}
	/* The other lanes of a wide kernel compute something that is dropped. */
	for (unsigned lane = slots->count; lane < kernel->lanes; lane++)
		cpu_run_set_state(&slots->run, lane, sha256_initial);
	slots->kernel = kernel;
	slots->chosen_for = slots->count;
	slots->advancing = wanted < kernel->lanes ? wanted : kernel->lanes;
}

/* How far the slots in the lanes of the kernel go together. */
static size_t
turn(const struct slots *slots)
{
	size_t nblocks = SIZE_MAX;

	for (unsigned lane = 0; lane < slots->advancing; lane++)
		if (slots->at[lane]->nblocks[0] < nblocks)
			nblocks = slots->at[lane]->nblocks[0];
	if (slots->supply_is_empty && slots->count > slots->advancing) {
		size_t most = blocks_left(slots->at[0]) / BATCH_LANES;

		if (most < LEAST_TURN)
			most = LEAST_TURN;
		if (nblocks > most)
			nblocks = most;
	}
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
		uint32_t state[SHA256_STATE_WORDS];

		if (slots->at[lane]->nblocks[0] > 0)
			continue;
		cpu_run_get_state(&slots->run, slots->kernel, lane, state);
		slots->supply->ended(slots->supply->self, slots->at[lane],
				     state);
		if (fill(slots, lane))
			continue;
		slots->count--;
		if (lane < slots->count)
			swap_lanes(slots, lane, slots->count);
	}
}

void
slots_run(uint32_t features, unsigned most, const struct slot_supply *supply)
{
	struct slots slots;
	unsigned capacity = cpu_kernel_choose(features, most)->lanes;

	/* Either slots wait for a lane or lanes have no slot. */
	if (capacity >= most)
		capacity = most;
	else if (2 * capacity < BATCH_LANES)
		capacity = 2 * capacity;
	else
		capacity = BATCH_LANES;
	slots.features = features;
	slots.most = most;
	slots.supply = supply;
	slots.count = 0;
	slots.kernel = NULL;
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		slots.at[lane] = &slots.slots[lane];
	for (;;) {
		const unsigned count = slots.count;

		slots.supply_is_empty = false;
		while (slots.count < capacity && fill(&slots, slots.count))
			slots.count++;
		if (slots.count == 0)
			break;
		if (!slots.kernel || slots.count != slots.chosen_for)
			choose_kernel(&slots, count);
		if (slots.supply_is_empty && slots.count > slots.advancing)
			put_longest_first(&slots);
		advance(&slots, turn(&slots));
		turn_over(&slots);
	}
}
