/* SPDX-License-Identifier: MIT */
/*
 * Promise: every message is taken once, by a lane or a worker as it is meant,
 * and both sides end together.
 */
#include "config.h"

#include "src/feed/work_split.h"
#include "src/lanes/message.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* Lanes of 1, 200 of them; two workers of 20. */
static const struct work_rates rates = {
	.lane = 1, .device = 200, .worker = 20, .workers = 2, .core = 20
};

static uint64_t lengths[5000];

static uint64_t
blocks_of(const void *what)
{
	return what ? *(const uint64_t *)what : 0;
}

static void
add(struct work_split *split, unsigned i, uint64_t blocks)
{
	lengths[i] = blocks;
	if (!work_split_add(split, blocks, &lengths[i]))
		exit(99);
}

static void
test_padding(void)
{
	ok(message_padded_blocks(0) == 1 && message_padded_blocks(55) == 1 &&
		   message_padded_blocks(56) == 2 &&
		   message_padded_blocks(63) == 2 &&
		   message_padded_blocks(64) == 2 &&
		   message_padded_blocks(119) == 2 &&
		   message_padded_blocks(120) == 3,
	   "the blocks of a message are counted with its padding");
}

static void
test_order(void)
{
	struct work_split split;
	bool arrival = true;

	work_split_init(&split);
	/* While lanes have more to do than the longest of these. */
	split.in_lanes = 10000;
	for (unsigned i = 0; i < 9; i++)
		add(&split, i, 10 + (i * 5) % 9);
	for (unsigned i = 0; i < 4; i++)
		arrival = arrival &&
			  work_split_for_lane(&split, &rates) == &lengths[i];
	ok(arrival, "while more messages come lanes take them as they arrived");
	ok(blocks_of(work_split_for_worker(&split, &rates, 0)) == 18,
	   "a worker takes the longest that waits");
	add(&split, 9, 100);
	ok(blocks_of(work_split_for_lane(&split, &rates)) == 100,
	   "lanes take the longest message if it would outlast all else");
	work_split_end(&split);
	while (split.waiting > 0)
		work_split_for_lane(&split, &rates);
	ok(split.blocks == 0 && !work_split_for_lane(&split, &rates) &&
		   !work_split_for_worker(&split, &rates, 0),
	   "all messages are taken in the end");
	work_split_free(&split);
}

/* Adding and taking in turn, beyond the first size of the ring. */
static void
test_each_once(void)
{
	static unsigned taken[5000];
	struct work_split split;
	uint32_t random = 1;
	unsigned added = 0, wrong = 0, unsorted = 0, left;
	uint64_t sum = 0;

	work_split_init(&split);
	while (added < 5000) {
		random = random * 1664525 + 1013904223;
		if (random >> 30 < 3 || split.waiting == 0) {
			add(&split, added++, 1 + (random >> 8) % 1000);
			sum += lengths[added - 1];
		} else {
			uint64_t *what =
				random >> 29 & 1 ?
					work_split_for_lane(&split, &rates) :
					work_split_for_worker(&split, &rates,
							      0);

			taken[what - lengths]++;
			sum -= *what;
		}
		wrong += split.blocks != sum;
	}
	ok(wrong == 0, "the sum of what waits is right at all times");
	left = split.waiting;
	work_split_end(&split);
	for (uint64_t last = UINT64_MAX; split.waiting > 0;) {
		uint64_t *what = work_split_for_lane(&split, &rates);

		taken[what - lengths]++;
		unsorted += *what > last;
		last = *what;
	}
	for (unsigned i = 0; i < 5000; i++)
		wrong += taken[i] != 1;
	ok(left > 1024 && wrong == 0, "each message is taken once");
	ok(unsorted == 0, "when all have come lanes take the longest first");
	work_split_free(&split);
}

static void
test_worker(void)
{
	const struct work_rates slow = {
		.lane = 1, .device = 200, .worker = 1.5, .workers = 1
	};
	struct work_split split;

	work_split_init(&split);
	for (unsigned i = 0; i < 100; i++)
		add(&split, i, 5);
	work_split_end(&split);
	ok(!work_split_for_worker(&split,
				  &(struct work_rates){ .lane = 1,
							.device = 200,
							.worker = 0.1,
							.workers = 1 },
				  0),
	   "a worker takes nothing that lanes are done with sooner");
	ok(work_split_for_worker(&split, &slow, 0) != NULL,
	   "a worker takes what would end later in a lane");
	ok(!work_split_for_worker(&split, &rates, 100) &&
		   work_split_for_worker(&split, &rates, 35) != NULL,
	   "a worker that is busy takes what it can be done with in time");
	work_split_free(&split);
}

static void
test_fitting(void)
{
	/* Slower than a lane: nothing is better off with it. */
	const struct work_rates slow = {
		.lane = 1, .device = 200, .worker = 0.9, .workers = 1
	};
	struct work_split split;

	work_split_init(&split);
	for (unsigned i = 0; i < 100; i++)
		add(&split, i, 1000 - 10 * i);
	work_split_end(&split);
	/* Lanes have 50500 blocks in 251.4, and the worker 226.2 in that. */
	ok(blocks_of(work_split_for_worker(&split, &slow, 0)) == 220,
	   "a worker takes the longest of the messages that it can be done with");
	ok(blocks_of(work_split_for_worker(&split, &slow, 100)) == 120,
	   "a worker that is busy takes less");
	ok(!work_split_for_worker(&split, &slow, 220),
	   "a worker that is too busy takes none");
	work_split_free(&split);
}

/* Lanes that are fed slowly get the longest, so that they want fewer. */
static void
test_feeding(void)
{
	struct work_rates slow = rates;
	struct work_split split;

	slow.feeding = true;
	slow.worker = 22;
	work_split_init(&split);
	split.in_lanes = 10000;
	for (unsigned i = 0; i < 400; i++)
		add(&split, i, 21 + (i + 4) % 10);
	add(&split, 400, 1);
	ok(blocks_of(work_split_for_worker(&split, &slow, 0)) == 21,
	   "where feeding takes long a worker takes a short one of the first");
	ok(blocks_of(work_split_for_lane(&split, &slow)) == 25,
	   "a lane takes the next message, if workers are too slow for the short ones");
	slow.worker = 30;
	add(&split, 401, 50);
	ok(blocks_of(work_split_for_lane(&split, &slow)) == 50,
	   "a lane takes the longest message if workers can do the short ones");
	add(&split, 402, 100);
	ok(blocks_of(work_split_for_worker(&split, &slow, 0)) == 100,
	   "a worker takes the longest if it would outlast all else");
	slow.workers = 1;
	ok(!work_split_for_worker(&split, &slow, 0),
	   "where feeding takes the only core a worker takes nothing");
	add(&split, 403, 200);
	ok(blocks_of(work_split_for_worker(&split, &slow, 0)) == 200,
	   "a worker on the core that feeds takes what would outlast all else");
	work_split_free(&split);
}

static bool
near(uint64_t is, double should_be)
{
	return (double)is > 0.99 * should_be && (double)is < 1.01 * should_be;
}

static void
test_plan(void)
{
	const struct work_rates none = { .lane = 1, .device = 200 };
	static uint64_t left[200];
	struct work_split split;
	struct work_plan plan;

	work_split_init(&split);
	for (unsigned i = 0; i < 4800; i++)
		add(&split, i, 100);
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(plan.lane_quota == UINT64_MAX && near(plan.fill_target, 2000),
	   "while more messages come lanes take all that they have room for");
	work_split_end(&split);
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(near(plan.lane_quota, 200 * 2000) && near(plan.fill_target, 2000),
	   "when all messages have come lanes take their part");
	split.in_workers = 24000;
	for (unsigned i = 0; i < 200; i++)
		left[i] = i < 100 ? 1000 : 0;
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(near(plan.fill_target, 2516) &&
		   near(plan.lane_quota, 200 * 2516.0 - 100 * 1000),
	   "what lanes have begun is a part of theirs");
	left[0] = 1000000;
	work_split_plan(&split, &none, left, 200, &plan);
	ok(near(plan.fill_target, (480000 + 99 * 1000) / 199.0) &&
		   plan.lane_quota == UINT64_MAX,
	   "one long message is no reason to fill other lanes more");
	left[0] = 1000 + 240000;
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(near(plan.fill_target, 2516 + 1000),
	   "workers have the rest of one long message to do");
	work_split_free(&split);
}

/* Amounts that can be divided: lanes and workers end together to the block. */
static void
test_exact_plan(void)
{
	const struct work_rates none = { .lane = 1, .device = 200 };
	const struct work_rates even = {
		.lane = 1, .device = 4, .worker = 2, .workers = 2
	};
	uint64_t left[4] = { 0 };
	struct work_split split;
	struct work_plan plan;

	work_split_init(&split);
	for (unsigned i = 0; i < 64; i++)
		add(&split, i, 128);
	work_split_end(&split);
	work_split_plan(&split, &none, left, 4, &plan);
	ok(plan.fill_target == 2049 && plan.lane_quota == UINT64_MAX,
	   "four lanes do 8192 blocks in 2048");
	work_split_plan(&split, &even, left, 4, &plan);
	ok(plan.fill_target == 1025 && plan.lane_quota == 4097 &&
		   plan.lane_capacity == 0 && plan.min_migration == 1024,
	   "four lanes do half of the blocks with two workers that are as fast");
	split.migrating = 1024;
	split.in_workers = 1024;
	left[1] = 2048;
	work_split_plan(&split, &even, left, 4, &plan);
	ok(plan.fill_target == 1537 && plan.lane_quota == 3 * 1536 + 1 &&
		   plan.lane_capacity == 512 && plan.min_migration == 1536,
	   "what is begun counts, and what outlasts all is for workers");
	work_split_free(&split);
	work_split_init(&split);
	add(&split, 0, 3000);
	work_split_end(&split);
	left[1] = 0;
	work_split_plan(&split, &none, left, 4, &plan);
	ok(plan.fill_target == 3001, "one message has one lane");
	split.begun = 1;
	work_split_plan(&split, &none, left, 4, &plan);
	ok(plan.fill_target == 1501,
	   "a second lane is for messages that are begun");
	work_split_free(&split);
}

/* Is the short message found at this place, where feeding takes long? */
static bool
finds_short(unsigned place)
{
	struct work_rates slow = rates;
	struct work_split split;
	uint64_t blocks;

	slow.feeding = true;
	work_split_init(&split);
	split.in_lanes = 10000;
	for (unsigned i = 0; i < 300; i++)
		add(&split, i, i == place ? 3 : 30);
	blocks = blocks_of(work_split_for_worker(&split, &slow, 0));
	work_split_free(&split);
	return blocks == 3;
}

static void
test_short_ones(void)
{
	ok(finds_short(0) && finds_short(1) && finds_short(255) &&
		   !finds_short(256),
	   "a short message is looked for among the first 256");
}

static void
test_no_memory(void)
{
	static uint64_t what;
	const long before = balance_now().blocks;
	struct work_split split;
	unsigned refused = 0;

	work_split_init(&split);
	for (unsigned i = 1; i <= 2; i++) {
		fault_from(FAULT_MEMORY, i, ENOMEM);
		refused += !work_split_add(&split, 5, &what) &&
			   balance_now().blocks == before;
	}
	fault_clear();
	ok(refused == 2 && split.waiting == 0 && split.blocks == 0,
	   "without memory no message is added");
	for (unsigned i = 0; i < 1024; i++)
		add(&split, i, 5);
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	ok(!work_split_add(&split, 5, &what) && split.waiting == 1024,
	   "without memory no message is added to 1024 that wait");
	fault_clear();
	ok(work_split_add(&split, 5, &what) && split.waiting == 1025,
	   "a message is added when there is memory again");
	work_split_free(&split);
	ok(balance_now().blocks == before && split.waiting == 0 &&
		   split.size == 0,
	   "all memory of a work_split goes back");
}

/* Which messages that were begun are for workers, and which for lanes. */
static void
test_begun(void)
{
	const struct work_rates slow = {
		.lane = 1, .device = 200, .worker = 0.9, .workers = 1
	};
	static uint64_t left[200];
	struct work_split split;
	struct work_plan plan;

	work_split_init(&split);
	add(&split, 0, 300);
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(plan.min_migration == MIGRATION_MIN_BLOCKS &&
		   plan.lane_capacity == 0,
	   "what takes a lane two launches stays where it is");
	add(&split, 1, 300000);
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(plan.min_migration == 300000,
	   "a longer message that waits comes before one that was begun");
	work_split_end(&split);
	while (work_split_for_lane(&split, &rates))
		continue;
	for (unsigned i = 0; i < 200; i++)
		left[i] = 30000;
	left[0] = 430000;
	split.in_workers = 800000;
	work_split_plan(&split, &rates, left, 200, &plan);
	ok(near(plan.min_migration, 30000) &&
		   plan.lane_capacity ==
			   plan.min_migration - MIGRATION_MIN_BLOCKS,
	   "a message that would outlast everything is for a worker, and one "
	   "that a lane is done with in time is not");
	work_split_plan(&split, &slow, left, 200, &plan);
	ok(plan.min_migration == UINT64_MAX,
	   "a worker as slow as a lane gets no message that was begun");
	work_split_free(&split);
}

static void
test_estimate(void)
{
	const struct work_rates cpu = { .worker = 20,
					.workers = 2,
					.core = 20 };
	struct work_split split;

	work_split_init(&split);
	for (unsigned i = 0; i < 200; i++)
		add(&split, i, 12);
	ok(work_split_estimate(&split, &rates) == 10 &&
		   work_split_estimate(&split, &cpu) == 60,
	   "an estimate is all work by the speed of all");
	add(&split, 200, 4000);
	ok(work_split_estimate(&split, &rates) == 200 &&
		   work_split_estimate(&split, &cpu) == 200,
	   "an estimate is not less than the longest message takes");
	work_split_free(&split);
	work_split_init(&split);
	for (unsigned i = 0; i < 10; i++)
		add(&split, i, 100);
	ok(work_split_estimate(&split, &rates) == 20,
	   "an estimate counts no lanes without a message");
	work_split_free(&split);
}

/* Levels to which lanes are filled, one after the other, up to the target. */
static void
test_levels(void)
{
	unsigned good = 0;

	for (uint64_t target = 1; target <= 2000; target++) {
		const struct work_plan plan = { .fill_target = target };
		uint64_t level = 0, step = 0;
		bool right = true;

		for (unsigned pass = 1; pass <= WORK_PASSES; pass++) {
			const uint64_t next = work_plan_target(&plan, pass);

			step = next - level;
			right = right && next >= level &&
				step <= target / 8 + 1;
			if (next > level && next == target)
				right = right && step == 1;
			level = next;
		}
		good += right && level == target;
	}
	ok(good == 2000,
	   "lanes are filled in small steps, the last one of a "
	   "block (%u of 2000)",
	   good);
}

int
main(void)
{
	test_padding();
	test_order();
	test_each_once();
	test_worker();
	test_fitting();
	test_feeding();
	test_plan();
	test_exact_plan();
	test_short_ones();
	test_no_memory();
	test_levels();
	test_begun();
	test_estimate();
	return tap_done();
}
