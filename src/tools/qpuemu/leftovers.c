/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/leftovers.h"

#include <inttypes.h>
#include <stdio.h>

#include "qpu/emulator/emulator.h"
#include "qpu/virtual/board/buffer.h"

/* Power and clock of the QPUs. */
static bool
report_qpus(const struct board_shared *shared)
{
	const bool changed = board_shared_clock_changed(shared);

	if (shared->enabled > 0)
		fprintf(stderr, "qpuemu: the QPUs were left enabled\n");
	if (changed)
		fprintf(stderr, "qpuemu: the clock of the QPUs was not put "
				"back\n");
	return shared->enabled == 0 && !changed;
}

bool
leftovers_report(const struct board *board)
{
	const struct board_shared *shared = board->shared;
	unsigned nblocks = 0, nlocked = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < BOARD_BLOCKS; i++) {
		const struct board_block *block = &shared->blocks[i];

		nblocks += block->handle != 0;
		nlocked += block->handle != 0 && block->locks > 0;
		bytes += block->handle ? block->bytes : 0;
	}
	if (nblocks > 0)
		fprintf(stderr,
			"qpuemu: GPU memory was not released: "
			"%" PRIu64 " bytes in %u block%s, %u of them "
			"locked\n",
			bytes, nblocks, nblocks == 1 ? "" : "s", nlocked);
	buffer_collect(board); /* tells of those that were freed too early */
	return report_qpus(shared) && !shared->lost && nblocks == 0;
}

void
leftovers_print_counters(const struct board_shared *shared)
{
	const struct board_totals *totals = &shared->totals;
	const uint64_t clocks = totals->clocks + totals->launch_clocks;
	const unsigned mhz =
		shared->launch_mhz ?
			shared->launch_mhz :
			profile_rows[shared->options.profile].v3d_mhz;

	fprintf(stderr,
		"qpuemu: %" PRIu64 " launches, %" PRIu64 " instructions",
		totals->launches, totals->instructions);
	/* A board that is no Raspberry Pi has no clock. */
	if (shared->options.device.timed && mhz > 0)
		fprintf(stderr,
			", %" PRIu64 " clocks = %.1f us at %u MHz "
			"(modelled)",
			clocks, (double)clocks / mhz, mhz);
	putc('\n', stderr);
	for (unsigned i = 0; i < MACHINE_COUNTERS; i++)
		if (machine_counter_name(i) &&
		    (shared->options.device.timed || i == 16 || i == 24))
			fprintf(stderr, "%2u %12" PRIu64 "  %s\n", i,
				totals->counters[i], machine_counter_name(i));
	if (!shared->options.device.timed)
		fputs("(the other counters need --timed)\n", stderr);
}
