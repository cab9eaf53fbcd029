/* SPDX-License-Identifier: MIT */
/*
 * Promise: what a device does wrong is found before anything of it is believed,
 * in each lane; data that a device cannot read are refused; and the figures are
 * those of what was done.  (test-chains: what is hashed when all is right.)
 */
#include "config.h"

#include "tests/engine/chains.h"
#include "tests/support/tap.h"

enum { ROOM = 16 /* blocks of a lane */ };

static struct chains chains;

static void
begin(const char *words)
{
	if (chains_open(&chains, &engine_emulator, words, 3, ROOM))
		return;
	printf("Bail out! %s\n", chains.why.text);
	exit(99);
}

/* Put one message of n blocks into a lane. */
static void
put(unsigned lane, uint32_t blocks)
{
	chains_fill(&chains, lane, &blocks, blocks > 0, false);
}

static enum engine_status
step(void)
{
	enum engine_status status =
		engine_emulator.submit(chains.self, chains.batches,
				       chains.limits.batches, &chains.why);

	return status == ENGINE_OK ?
		       engine_emulator.wait(chains.self, &chains.why) :
		       status;
}

/* Each fault that a device reports has a status of its own. */
static void
test_failure(const char *words, enum engine_status expected)
{
	static struct batch before[CHAINS_QPUS];
	enum engine_status status = ENGINE_OK;

	begin(words);
	for (unsigned i = 0; i < 3 && status == ENGINE_OK; i++) {
		for (unsigned lane = 0; lane < chains.lanes; lane++)
			put(lane, lane % 5 == 0 ? 2 : 0);
		memcpy(before, chains.batches, sizeof(before));
		status = step();
	}
	ok(status == expected && *chains.why.text,
	   "'%s' fails with the right status: %s", words, chains.why.text);
	ok(memcmp(before->state, chains.batches->state,
		  sizeof(before->state)) == 0,
	   "'%s': nothing of the failed launch is believed", words);
	memcpy(before, chains.batches, sizeof(before));
	ok(step() == expected &&
		   memcmp(before, chains.batches, sizeof(before)) == 0,
	   "'%s': the device is not used again, and batches stay", words);
	chains_close(&chains);
}

/* Every lane can break; none must get through the self-test. */
static void
test_self_test(void)
{
	unsigned missed = 0;

	for (unsigned lane = 0; lane < CHAINS_LANES; lane++) {
		char words[64];

		snprintf(words, sizeof(words), "fault=lane@1,seed=%u", lane);
		begin(words);
		put(0, 1);
		missed += step() != ENGINE_FAULT;
		chains_close(&chains);
	}
	ok(missed == 0, "the self-test finds each of %u lanes that break",
	   (unsigned)CHAINS_LANES);
}

/* All lanes are occupied; from launch 3 on one of them is wrong. */
static unsigned
launch_that_fails(unsigned lane)
{
	unsigned failed = 0;
	char words[64];

	snprintf(words, sizeof(words), "qpus=2,fault=lane@7.%u.%u",
		 lane / BATCH_LANES, lane % BATCH_LANES);
	begin(words);
	for (unsigned launch = 2; launch <= 4 && !failed; launch++) {
		for (unsigned i = 0; i < chains.lanes; i++)
			put(i, 1);
		if (step() != ENGINE_OK)
			failed = launch;
	}
	chains_close(&chains);
	return failed;
}

static void
test_full_house(void)
{
	unsigned late = 0;

	for (unsigned lane = 0; lane < 2 * BATCH_LANES; lane++)
		late += launch_that_fails(lane) != 3;
	ok(late == 0, "each occupied lane is checked in every launch");
}

static void
test_strange_data(void)
{
	static uint8_t elsewhere[128] __attribute__((aligned(64)));

	begin("qpus=1");
	put(0, 1);
	chains.batches[0].data[0] = elsewhere;
	ok(step() == ENGINE_REFUSED,
	   "data outside of the device's memory are refused");
	chains_close(&chains);

	begin("qpus=1");
	put(0, 1);
	chains.batches[0].data[0]++;
	ok(step() == ENGINE_REFUSED, "unaligned data are refused");
	chains_close(&chains);
}

/* A short lane at the end of a buffer is read as far as the longest one. */
static void
test_tail(void)
{
	const uint32_t blocks = 500;
	size_t tail;

	if (!chains_open(&chains, &engine_emulator, "qpus=1", 3, blocks))
		exit(99);
	tail = (chains.limits.slack_bytes + 2 * SHA256_BLOCK_BYTES - 1) /
	       SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
	put(0, blocks);
	put(1, 1);
	chains.batches[0].data[1] = chains.arena + chains.bytes - tail;
	ok(step() == ENGINE_OK && chains.batches[0].done[0] == blocks &&
		   chains.batches[0].done[1] == 1,
	   "a short lane may end where its buffer does");
	chains_close(&chains);
}

static void
test_memory(void)
{
	begin("fault=alloc@1");
	ok(step() == ENGINE_REFUSED && strstr(chains.why.text, "MiB"),
	   "an engine without memory opens, has buffers of the CPU's, and says "
	   "so: %s",
	   chains.why.text);
	chains_close(&chains);

	begin("qpus=2,mem=1");
	ok(!engine_emulator.alloc(chains.self, 1 << 20),
	   "a buffer larger than the memory cannot be had");
	chains_close(&chains);
}

static bool
has_counters(const struct facts *stats)
{
	for (unsigned i = 0; i < stats->n; i++)
		if (strncmp(facts_label(stats, &stats->rows[i]),
			    "counter: ", 9) == 0 &&
		    strcmp(stats->rows[i].unit, "(modelled)") == 0)
			return true;
	return false;
}

static void
test_stats(void)
{
	struct facts stats = { .n = 0 };

	begin("timed,qpus=3");
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		put(lane, lane > 0 ? 15 : 0);
	ok(chains_step(&chains) && !chains_left(&chains) && chains.wrong == 0,
	   "timed: all hash values are right");
	engine_emulator.stats(chains.self, &stats);
	ok(chains_figure(&chains, "QPUs") == 3 &&
		   chains_figure(&chains, "launches") == 1 &&
		   chains_figure(&chains, "blocks on the device") == 47 * 15 &&
		   chains_figure(&chains, "lane occupancy") > 0 &&
		   chains_figure(&chains, "lane occupancy") <= 100,
	   "stats: as many blocks as there were");
	ok(chains_figure(&chains, "clocks, modelled") > 0 &&
		   chains_figure(&chains, "clocks of launches, modelled") > 0 &&
		   chains_figure(&chains, "at 250 MHz, modelled") > 0 &&
		   has_counters(&stats) && stats.n < FACTS_MAX,
	   "stats: modelled clocks and counters");
	chains_close(&chains);
}

int
main(void)
{
	test_failure("fault=lane@7", ENGINE_FAULT);
	test_failure("fault=stuck@7", ENGINE_TIMEOUT);
	test_failure("fault=stuck@6,qpus=1", ENGINE_TIMEOUT);
	test_failure("fault=refuse@6", ENGINE_REFUSED);
	test_self_test();
	test_full_house();
	test_strange_data();
	test_tail();
	test_memory();
	test_stats();
	return tap_done();
}
