/* SPDX-License-Identifier: MIT */
/*
 * Promise: an engine that hashes one message a lane does several of them, one
 * behind the other, by chained_run.
 */
#include "config.h"

#include "src/feed/chained.h"

#include "cpu/engine_cpu.h"
#include "tests/engine/chains.h"
#include "tests/support/tap.h"

enum { BLOCKS = 40, MOST = 9, ROUNDS = 20, BATCHES = 3 };

static struct chains chains;

/* The CPU takes several batches as well as one. */
static void *
open_for_batches(const void *context, const char *words,
		 struct engine_limits *limits, struct diag *why)
{
	void *self = engine_cpu.open(context, words, limits, why);

	limits->batches = BATCHES;
	return self;
}

static enum engine_status
submit_chained(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	return chained_run(&engine_cpu, self, batches, n, why);
}

static enum engine_status
wait_for_nothing(void *self, struct diag *why)
{
	(void)self;
	(void)why;
	return ENGINE_OK;
}

/* Messages of a lane: the last one may go on; some lanes are idle. */
static void
fill_lane(unsigned lane)
{
	uint32_t room = lane % 7 == 3 ? 0 : chains_random(&chains) % BLOCKS;
	uint32_t lengths[BLOCKS];
	unsigned n = 0;

	while (room > 0) {
		const uint32_t length = 1 + chains_random(&chains) % MOST;

		lengths[n] = length < room ? length : room;
		room -= lengths[n++];
	}
	chains_fill(&chains, lane, lengths, n, chains_random(&chains) % 2);
}

static void
test_mixed(void)
{
	struct engine engine = engine_cpu;
	unsigned left = 0;

	engine.open = open_for_batches;
	engine.submit = submit_chained;
	engine.wait = wait_for_nothing;
	if (!chains_open(&chains, &engine, "", 1, BLOCKS))
		exit(99);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned lane = 0; lane < chains.lanes; lane++)
			fill_lane(lane);
		left += !chains_step(&chains) || chains_left(&chains);
	}
	ok(left == 0 && chains.messages > 0 && chains.wrong == 0,
	   "messages that end and go on are hashed, in all and idle lanes");
	chains_close(&chains);
}

static enum engine_status
refuse(void *self, struct batch *batch, unsigned n, struct diag *why)
{
	(void)self;
	(void)batch;
	(void)n;
	diag_set(why, "no");
	return ENGINE_REFUSED;
}

static void
test_failure(void)
{
	const struct engine engine = { .submit = refuse };
	struct batch before;
	struct diag why;

	if (!chains_open(&chains, &engine_cpu, "", 1, BLOCKS))
		exit(99);
	fill_lane(0);
	before = chains.batches[0];
	ok(chained_run(&engine, NULL, chains.batches, 1, &why) ==
			   ENGINE_REFUSED &&
		   strcmp(why.text, "no") == 0 &&
		   memcmp(&before, &chains.batches[0], sizeof(before)) == 0,
	   "where the engine fails states are as they were, and why is told");
	chains_close(&chains);
}

int
main(void)
{
	test_mixed();
	test_failure();
	return tap_done();
}
