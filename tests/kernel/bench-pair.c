/* SPDX-License-Identifier: MIT */
/*
 * bench-pair: what the pair kernel does in jobs of whole tiles, by the
 * emulator's cycle model, 12 QPUs at 250 MHz.  All QPUs begin in step.
 *
 * Efficiency is what the instructions would take without waiting, of the time
 * of the whole job: caches are cold at first, and QPUs that find no thread wait
 * for the last one.  The loop that delays a start is no work; it is counted
 * where it says so.
 */
#include "config.h"

#include <stdlib.h>

#include "tests/kernel/pair_rig.h"

enum {
	CLOCK_MHZ = 250,
	LOOP_INSTRUCTIONS = 5,
	DELAYED_ROWS = 8, /* of pixels */
	DELAYED_THREADS = 16,
};

/* Each QPU gets as many threads as the others. */
static const struct {
	const char *what;
	struct pair_plan plan;
} rows[] = {
	{ "1 block",
	  { .messages = 3072, .low = 1, .high = 1, .packed = true } },
	{ "16 blocks", { .messages = 1536, .low = 16, .high = 16 } },
	{ "65 blocks", { .messages = 384, .low = 65, .high = 65 } },
	{ "257 blocks", { .messages = 384, .low = 257, .high = 257 } },
	{ "1..31 blocks", { .messages = 1536, .low = 1, .high = 31 } },
};

/* The words that delay the first threads; with the second one a QPU begins a
 * sixth of a block after another. */
static const unsigned delays[] = { 0, 37 };

static void
bench(const char *what, const struct pair_plan *plan)
{
	const struct machine_options options = { .timed = true };
	struct pair_rig rig;

	if (!pair_rig_open(&rig, &options, plan) ||
	    pair_rig_run(&rig) != MACHINE_DONE || !pair_rig_is_right(&rig)) {
		printf("bench-pair: %s: wrong, %s\n", what,
		       rig.job.emu.why.text);
		exit(EXIT_FAILURE);
	}
	const double clocks = machine_clocks(pair_machine(&rig));
	const double slots = clocks * MACHINE_QPUS / 4;
	const double instructions = machine_instructions(pair_machine(&rig));
	const double loops = (double)LOOP_INSTRUCTIONS * plan->delay *
			     (MACHINE_QPUS - 1) / 2 * DELAYED_THREADS;
	double stalled[MACHINE_STALLS] = { 0 };

	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++)
		for (int cause = 1; cause < MACHINE_STALLS; cause++)
			stalled[cause] +=
				machine_stalled(pair_machine(&rig), qpu, cause);
	printf("%-16s delay %2u  %8.0f clocks  %5.1f MB/s  %5.2f M messages/s  "
	       "efficiency %.3f, with loops %.3f; waiting: TMU %.1f %%, "
	       "instructions %.1f %%\n",
	       what, plan->delay, clocks,
	       64.0 * rig.messages.blocks * CLOCK_MHZ / clocks,
	       plan->messages * CLOCK_MHZ / clocks,
	       (instructions - loops) / slots, instructions / slots,
	       100 * stalled[MACHINE_STALL_TMU] / clocks / MACHINE_QPUS,
	       100 * stalled[MACHINE_STALL_ICACHE] / clocks / MACHINE_QPUS);
	pair_rig_close(&rig);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < sizeof(delays) / sizeof(*delays); k++) {
			struct pair_plan plan = rows[i].plan;

			plan.seed = i;
			plan.delay = delays[k];
			plan.delayed_rows = DELAYED_ROWS;
			bench(rows[i].what, &plan);
		}
	return EXIT_SUCCESS;
}
