/* SPDX-License-Identifier: MIT */
/*
 * Promise: what a launch on a virtual board has cost is modelled, reported and
 * collected as the options say.
 */
#include "config.h"

#include "qpu/virtual/board/costs.h"

#include <sys/wait.h>

#include "tests/virtual/made-launch.h"

/* In a process of its own, since there is one machine for each. */
static void
in_child(bool (*test)(void), const char *name)
{
	const struct board_options before = board.shared->options;
	int status = -1;
	const pid_t child = fork();

	if (child == 0)
		_exit(test() ? 0 : 1);
	waitpid(child, &status, 0);
	board.shared->options = before;
	board.shared->enabled = 0;
	board.shared->hung = false;
	board.shared->resets++;
	memset(&board.shared->totals, 0, sizeof(board.shared->totals));
	ok(status == 0, "%s", name);
}

static bool
test_timed(void)
{
	const struct board_totals *totals = &board.shared->totals;
	uint64_t clocks;

	board.shared->options.device.timed = true;
	gpu_enable(&board, true);
	if (launch(ENDS, 1, 1) != GPU_OK || totals->clocks == 0 ||
	    totals->launch_clocks == 0)
		return false;
	clocks = totals->clocks;
	if (launch(LOOPS, 1, 1) != GPU_FAILED)
		return false;
	clocks = totals->clocks - clocks;
	return clocks > 249900 && clocks <= 250000;
}

static bool
test_hazards(void)
{
	board.shared->options.device.check = true;
	gpu_enable(&board, true);
	return launch("mov ra1, 1\nmov r0, ra1\n" ENDS, 1, 1) == GPU_OK &&
	       board.shared->totals.findings == 1 && *made_says() &&
	       launch(ENDS, 1, 1) == GPU_OK &&
	       board.shared->totals.findings == 1 && !*made_says();
}

static bool
has_cost(const struct cost_table *table, uint32_t pc, uint64_t executions)
{
	for (unsigned i = 0; i < COSTS_ENTRIES; i++)
		if (table->entries[i].cost.executions == executions &&
		    table->entries[i].cost.pc == pc)
			return true;
	return false;
}

static bool
test_costs(void)
{
	struct cost_table *table = costs_map(board.dir, true);

	board.shared->options.costs = true;
	gpu_enable(&board, true);
	if (!table || launch(ENDS, 1, 1) != GPU_OK || table->n != 4 ||
	    !has_cost(table, BASE, 1) || launch(ENDS, 1, 1) != GPU_OK ||
	    table->n != 4 || !has_cost(table, BASE, 2) ||
	    !has_cost(table, BASE + 24, 2) || has_cost(table, BASE, 1))
		return false;
	/* The second instruction is another one, and one more comes. */
	if (launch("mov irq, 1\nnop\nthrend\nnop\nnop\n" NOPS, 1, 1) !=
		    GPU_OK ||
	    table->n != 7 || !has_cost(table, BASE, 3) ||
	    !has_cost(table, BASE + 8, 1) || !has_cost(table, BASE + 8, 2))
		return false;
	table->n = COSTS_ENTRIES / 4 * 3 - 1;
	if (launch("nop\n" ENDS, 1, 1) != GPU_OK)
		return false;
	return strcmp(made_says(),
		      "qpuemu: trace, timeline or profile is not whole: No "
		      "space left on device\n") == 0 &&
	       table->n == COSTS_ENTRIES / 4 * 3 &&
	       launch("nop\nnop\n" ENDS, 1, 1) == GPU_OK && !*made_says();
}

int
main(void)
{
	const struct board_options options = { .device = { .qpus = 12,
							   .mem_mib = 32 },
					       .v3d_mhz = 250,
					       .kernel_ms = 2 };

	if (!made_launch_begin(&options))
		return tap_done();
	in_child(test_timed, "a launch has clocks if they are modelled");
	in_child(test_hazards, "hazards are said and counted");
	in_child(test_costs, "each instruction's cost is collected");
	return made_end();
}
