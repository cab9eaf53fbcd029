/* SPDX-License-Identifier: MIT */
/*
 * Promise: an engine of QPUs hashes messages one after the other, whatever
 * their lengths are, in all or few lanes, from launch to launch, and leaves
 * data alone that it does not own.
 */
#include "config.h"

#include "tests/sha/chains.h"
#include "tests/support/tap.h"

static struct chains chains;

/* Which lanes get messages. */
enum lanes { ALL_LANES, SOME_LANES, ONE_LANE, ONE_QPU };

static bool
is_wanted(enum lanes which, unsigned lane, unsigned round)
{
	switch (which) {
	case ALL_LANES: return true;
	case SOME_LANES: return chains_random(&chains) % 2;
	case ONE_LANE: return lane == round * 37 % chains.limits.lanes;
	case ONE_QPU:
		return lane / KERNEL_LANES ==
		       round % (chains.limits.lanes / KERNEL_LANES);
	}
	return false;
}

/* New messages of 1..most blocks in a lane, `room` blocks of them. */
static void
fill_lane(unsigned lane, uint32_t room, uint32_t most)
{
	uint32_t lengths[CHAINS_BLOCKS];
	unsigned n = 0;

	while (room > 0) {
		uint32_t length = 1 + chains_random(&chains) % most;

		if (length > room)
			length = room;
		lengths[n++] = length;
		room -= length;
	}
	chains_fill(&chains, lane, lengths, n, chains_random(&chains) % 3 == 0);
}

struct row {
	const char *words;
	enum lanes lanes;
	uint32_t room, most; /* blocks of a lane, of a message */
	unsigned rounds;
	const char *what;
};

static void
test_row(const struct row *row)
{
	const bool in_tiles = strncmp(row->words, "tiles", 5) == 0;
	bool good = chains_open(
		&chains, in_tiles ? &engine_emulated_tiles : &engine_emulator,
		row->words, 7, row->room);

	for (unsigned round = 0; good && round < row->rounds; round++) {
		for (unsigned lane = 0; lane < chains.limits.lanes; lane++) {
			uint32_t room = 1 + chains_random(&chains) % row->room;

			if (row->most == 1)
				room = row->room;
			if (!is_wanted(row->lanes, lane, round))
				room = 0;
			fill_lane(lane, room, row->most);
		}
		while (good && chains_left(&chains))
			good = chains_step(&chains);
	}
	ok(good && chains.messages > 0 && chains.wrong == 0,
	   "'%s': %s: %llu messages", row->words, row->what,
	   (unsigned long long)chains.messages);
	ok(chains.touched == 0, "'%s': %s: data are left alone", row->words,
	   row->what);
	if (!good)
		tap_note("%s", chains.why.text);
	chains_close(&chains);
}

static const struct row rows[] = {
	{ "", ALL_LANES, 60, 40, 3, "1 to 40 blocks" },
	{ "", ALL_LANES, 300, 40, 1, "long lanes" },
	{ "", SOME_LANES, 60, 40, 3, "idle lanes" },
	{ "", ONE_LANE, 60, 40, 4, "one lane only" },
	{ "", ONE_QPU, 20, 20, 12, "one QPU only" },
	{ "qpus=2", ONE_LANE, 20, 20, 32, "each lane alone" },
	{ "", ALL_LANES, 150, 1, 1, "one block each" },
	{ "qpus=1", ALL_LANES, 60, 40, 4, "1 to 40 blocks" },
	{ "qpus=5", SOME_LANES, 60, 9, 5, "1 to 9 blocks" },
	{ "qpus=2,mem=1", ALL_LANES, 60, 3, 4, "few segments in a launch" },
	{ "check,seed=3,qpus=2", SOME_LANES, 12, 12, 2, "1 to 12 blocks" },
	{ "check,seed=4,qpus=5", ALL_LANES, 20, 1, 2, "one block each" },
	{ "check,seed=5,qpus=1", ALL_LANES, 40, 40, 2, "1 to 40 blocks" },
	{ "timed", ALL_LANES, 40, 40, 1, "1 to 40 blocks" },
	{ "timed,check,qpus=3", SOME_LANES, 20, 5, 2, "1 to 5 blocks" },
	{ "tiles", ALL_LANES, 60, 60, 2, "1 to 60 blocks" },
	{ "tiles", SOME_LANES, 60, 4, 2, "1 to 4 blocks" },
	{ "tiles,check,seed=3,qpus=5", SOME_LANES, 8, 8, 2, "1 to 8 blocks" },
};

/* A lane of messages longer than any launch. */
static void
test_long_messages(void)
{
	static uint32_t lengths[] = { 1, 510, 1 };
	bool good = chains_open(&chains, &engine_emulator, "qpus=2", 9, 512);

	for (unsigned round = 0; good && round < 3; round++) {
		for (unsigned lane = 0; lane < chains.limits.lanes; lane++)
			chains_fill(&chains, lane, lengths, 3, true);
		good = chains_step(&chains) && !chains_left(&chains);
	}
	ok(good && chains.wrong == 0 && chains.touched == 0 &&
		   chains.messages == 3 * 2 * chains.limits.lanes,
	   "a message that goes on is hashed over launches of 512 blocks");
	chains_close(&chains);
}

/* A QPU that runs out of records (this little memory has 256) goes on in the next
 * launch. */
static void
test_few_records(void)
{
	static uint32_t ones[CHAINS_BLOCKS];
	uint32_t whole = 400;
	bool good =
		chains_open(&chains, &engine_emulator, "qpus=2,mem=2", 9, 512);

	for (unsigned i = 0; i < whole; i++)
		ones[i] = 1;
	for (unsigned lane = 0; good && lane < chains.limits.lanes; lane++)
		if (lane < KERNEL_LANES)
			chains_fill(&chains, lane, ones, whole, false);
		else
			chains_fill(&chains, lane, &whole, 1, false);
	good = good && chains_step(&chains);
	ok(good && chains.wrong == 0 && chains.lanes[0].done == 255 &&
		   chains.lanes[KERNEL_LANES].done == whole,
	   "a QPU ends where it has no record left, others at their end");
	chains_close(&chains);
}

/* Each of the first lanes has a message of n blocks, which goes on. */
static bool
step_all(unsigned lanes, uint32_t n)
{
	for (unsigned lane = 0; lane < chains.limits.lanes; lane++)
		chains_fill(&chains, lane, &n, lane < lanes, true);
	return chains_step(&chains);
}

static uint64_t
sum_done(void)
{
	uint64_t done = 0;

	for (unsigned lane = 0; lane < chains.limits.lanes; lane++)
		done += chains.lanes[lane].done;
	return done;
}

/* After 65,536 blocks a short launch, here the tenth, is followed by a test.  It
 * finds an adder that is wrong for one sum in 2^16, and caches that are not cleared,
 * whatever the launches have hashed; here no lane is idle. */
static void
test_again(void)
{
	static const struct {
		const char *words, *what;
		bool is_good;
	} tests[] = { { "qpus=2", "that is right", true },
		      { "qpus=2,fault=stuck@11", "that does not end", false },
		      { "qpus=2,fault=lane@11", "that is wrong", false },
		      { "qpus=2,seed=1,fault=alu16@11-",
			"with an adder that has become wrong", false },
		      { "qpus=2,seed=2,fault=alu16@11-", "with another one",
			false },
		      { "qpus=2,fault=caches@11-",
			"with caches that are not cleared any more", false },
		      { "qpus=2,fault=l2@11-", "with such an L2", false } };

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		bool good = chains_open(&chains, &engine_emulator,
					tests[i].words, 9, CHAINS_BLOCKS);

		for (unsigned launch = 0; launch < 4; launch++)
			good = good &&
			       step_all(chains.limits.lanes, CHAINS_BLOCKS);
		ok(good &&
			   step_all(chains.limits.lanes, 10) ==
				   tests[i].is_good &&
			   chains.wrong == 0,
		   "a short launch after much work has a test, %s",
		   tests[i].what);
		ok(sum_done() ==
			   (tests[i].is_good ? 10 * chains.limits.lanes : 0),
		   "after a test %s the launch counts as %s", tests[i].what,
		   tests[i].is_good ? "done" : "failed");
		if (tests[i].is_good)
			ok(chains_figure(&chains, "launches") == 5,
			   "a test %s is no launch", tests[i].what);
		chains_close(&chains);
	}
}

static void
test_figures_wait(void)
{
	bool good = chains_open(&chains, &engine_emulator, "qpus=1", 9,
				CHAINS_BLOCKS);
	const uint32_t blocks = CHAINS_BLOCKS;

	chains_fill(&chains, 0, &blocks, 1, false);
	good = good && chains.engine->submit(chains.self, chains.lanes,
					     chains.limits.lanes,
					     &chains.why) == ENGINE_OK;
	ok(good && chains_figure(&chains, "launches") == 1,
	   "figures that are wanted while a launch runs have it, too");
	chains_close(&chains);
}

/* An adder of a lane without messages spoils one block of 110. */
static bool
idle_lane_is_checked(void)
{
	bool good = chains_open(&chains, &engine_emulator,
				"qpus=2,fault=alu16@6-.0.5", 9, CHAINS_BLOCKS);
	unsigned launches = 0;

	while (good && launches < 3 && step_all(1, CHAINS_BLOCKS))
		launches++;
	good = good && launches < 3 && chains.wrong == 0 && sum_done() == 0;
	chains_close(&chains);
	return good;
}

/* The lane hashes for as long as the launch lasts: 512 blocks of a known chain, the
 * same ones in each launch, in which one chain of a hundred has no sum that is wrong. */
static void
test_idle_lane(void)
{
	ok(idle_lane_is_checked() || idle_lane_is_checked() ||
		   idle_lane_is_checked(),
	   "a lane without messages finds what is seldom wrong");
}

/* Job 11 begins the test after a short launch of pairs in tiles.  From then on caches
 * are not cleared; or what sticks is bit 17 of rb17, in which their kernel keeps an
 * index for the second block of a message; bit 18 of ra11, the offset of a block; or a
 * bit of a line of a texture cache. */
static void
test_later_blocks(void)
{
	enum { LONG = 390 }; /* blocks of a launch that is not short */
	static const char *const words[] = {
		"seed=4223,fault=sticks@11-", "seed=8160,fault=sticks@11-",
		"seed=8698,fault=tmubit@11-", "seed=2892,fault=tmubit@11-",
		"fault=caches@11-",	      "fault=l2@11-"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		bool good = chains_open(&chains, &engine_emulated_tiles,
					words[i], 9, CHAINS_BLOCKS);

		good = good && step_all(chains.limits.lanes, LONG);
		ok(good && !step_all(3, 1) && chains.wrong == 0 &&
			   sum_done() == 0,
		   "the test of tiles after a short launch finds %s", words[i]);
		chains_close(&chains);
	}
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		test_row(&rows[i]);
	test_long_messages();
	test_few_records();
	test_again();
	test_figures_wait();
	test_later_blocks();
	test_idle_lane();
	return tap_done();
}
