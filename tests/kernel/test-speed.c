/* SPDX-License-Identifier: MIT */
/*
 * test-kernel-speed: what the kernels cost.  Instruction counts are exact;
 * rates are modelled by the emulator's cycle model, at 250 MHz.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/rig.h"
#include "tests/support/tap.h"

/* What the published record of this GPU is documented to execute. */
enum { PUBLISHED_DOCUMENTED = 3575 };

enum { ICACHE_INSTRUCTIONS = 512, CLOCK_MHZ = 250 };

/* The optimised kernel, exactly; smaller is better: then change them. */
enum {
	OPTIMISED_BLOCK = 1750,
	OPTIMISED_SEGMENT = 60,
	OPTIMISED_HOT = 412,
};

/* A number of blocks in all lanes: in one segment, or each in one of its own. */
static void
plan_blocks(struct rig *rig, unsigned blocks, bool apart)
{
	struct rig_segment segments[RIG_SEGMENTS];

	if (!apart) {
		rig_plan_blocks(rig, blocks);
		return;
	}
	for (unsigned i = 0; i < blocks; i++)
		segments[i] = (struct rig_segment){ 1, 0xffff0000 };
	for (unsigned qpu = 0; qpu < rig->qpus; qpu++)
		rig_plan(rig, qpu, segments, blocks);
}

/* Instructions of a launch on one QPU, and how many of the program's words
 * ran at least once for each block but the last. */
static uint64_t
count(const char *name, unsigned blocks, bool apart, unsigned *hot)
{
	const struct machine_options options = {
		.qpus = 1,
		.profile = true,
	};
	struct machine_profile_row *rows = calloc(4096, sizeof(*rows));
	uint64_t instructions = 0;
	struct diag why;
	struct rig rig;

	*hot = 0;
	if (rig_open(&rig, kernel_program(name), &options, blocks, &why)) {
		plan_blocks(&rig, blocks, apart);
		if (rows && rig_run(&rig, &why) == MACHINE_DONE)
			instructions = machine_instructions(rig.machine);
		const size_t nrows = machine_profile(rig.machine, rows, 4096);

		for (size_t i = 0; i < nrows && i < 4096; i++)
			*hot += rows[i].executions >= blocks - 1;
	}
	rig_close(&rig);
	free(rows);
	return instructions;
}

/* Executed for one more block, when there are many. */
static unsigned
block_instructions(const char *name, unsigned *hot)
{
	unsigned ignored;

	return count(name, 21, false, hot) - count(name, 20, false, &ignored);
}

/* Executed for one more segment; *hot is then that of blocks and segments. */
static unsigned
segment_instructions(const char *name, unsigned *hot)
{
	unsigned ignored;

	return (count(name, 21, true, hot) - count(name, 21, false, &ignored)) /
	       20;
}

/* Modelled blocks a second of 12 QPUs at 250 MHz; 0 if the state is wrong. */
static double
modelled_rate(const char *name, unsigned blocks)
{
	const struct machine_options options = { .qpus = 12, .timed = true };
	const struct rig_segment segment = { .blocks = blocks };
	struct rig_job expected;
	struct diag why;
	struct rig rig;
	double rate = 0;

	if (rig_open(&rig, kernel_program(name), &options, blocks, &why)) {
		plan_blocks(&rig, blocks, false);
		rig_expect(&rig, 3, &segment, 1, &expected);
		const bool good = rig_run(&rig, &why) == MACHINE_DONE &&
				  memcmp(&expected, rig_job(&rig, 3),
					 sizeof(expected)) == 0;
		const uint64_t clocks = machine_clocks(rig.machine);

		if (good)
			rate = 192.0 * blocks * CLOCK_MHZ * 1e6 / clocks;
		tap_note("%s: %u blocks a lane, modelled %.3f million "
			 "blocks/s, %.0f MB/s",
			 name, blocks, rate / 1e6, rate * 64 / 1e6);
	}
	rig_close(&rig);
	return rate;
}

/* Modelled clocks of one more segment on 12 QPUs at once. */
static double
segment_clocks(const char *name)
{
	const struct machine_options options = { .qpus = 12, .timed = true };
	uint64_t clocks[2] = { 0, 0 };

	for (int apart = 0; apart < 2; apart++) {
		struct diag why;
		struct rig rig;

		if (rig_open(&rig, kernel_program(name), &options, RIG_SEGMENTS,
			     &why)) {
			plan_blocks(&rig, RIG_SEGMENTS, apart);
			if (rig_run(&rig, &why) == MACHINE_DONE)
				clocks[apart] = machine_clocks(rig.machine);
		}
		rig_close(&rig);
	}
	if (clocks[0] == 0 || clocks[1] == 0)
		return 1e9;
	return (double)(clocks[1] - clocks[0]) / (RIG_SEGMENTS - 1);
}

int
main(void)
{
	unsigned hot;
	unsigned block = block_instructions("optimised", &hot);

	tap_note("optimised: %u instructions a block, %u of them different",
		 block, hot);
	ok(block == OPTIMISED_BLOCK && block <= 1751,
	   "optimised: %d instructions a block", OPTIMISED_BLOCK);
	ok(hot == OPTIMISED_HOT, "optimised: its hot code is %d instructions",
	   OPTIMISED_HOT);
	ok(segment_instructions("optimised", &hot) == OPTIMISED_SEGMENT,
	   "optimised: %d instructions a segment", OPTIMISED_SEGMENT);
	ok(hot == OPTIMISED_HOT + OPTIMISED_SEGMENT &&
		   hot <= ICACHE_INSTRUCTIONS,
	   "optimised: blocks and segments fit the instruction cache");
	const double clocks = segment_clocks("optimised");
	tap_note("optimised: modelled %.0f clocks a segment", clocks);
	ok(clocks <= 270, "optimised: a segment costs 270 clocks at most");
	ok(modelled_rate("optimised", 1000) >= 6.3e6,
	   "optimised: 6.3 million blocks/s modelled at least");

	block = block_instructions("published", &hot);
	tap_note("published: %u instructions a block, %u of them different; "
		 "documented are %d",
		 block, hot, PUBLISHED_DOCUMENTED);
	ok(abs((int)block - PUBLISHED_DOCUMENTED) <= PUBLISHED_DOCUMENTED / 100,
	   "published: as many instructions as documented, within 1 %%");
	const double rate = modelled_rate("published", 200);
	ok(rate > 2.9e6 && rate < 3.4e6,
	   "published: modelled at 2.9 to 3.4 million blocks/s");

	block = block_instructions("simple", &hot);
	tap_note("simple: %u instructions a block, %u of them different", block,
		 hot);
	ok(block > OPTIMISED_BLOCK, "simple: costs more than optimised");
	ok(modelled_rate("simple", 50) > 0, "simple: right in timed mode");
	return tap_done();
}
