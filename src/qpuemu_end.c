/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/qpuemu_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qpu/emulator.h"

bool
end_report_leaks(const struct state *state)
{
	unsigned nblocks = 0, nlocked = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < STATE_BLOCKS; i++) {
		const struct state_block *block = &state->blocks[i];

		nblocks += block->handle != 0;
		nlocked += block->handle != 0 && block->locks > 0;
		bytes += block->handle ? block->bytes : 0;
	}
	if (nblocks > 0)
		fprintf(stderr, "qpuemu: GPU memory was not released: "
			"%" PRIu64 " bytes in %u block%s, %u of them "
			"locked\n", bytes, nblocks, nblocks == 1 ? "" : "s",
			nlocked);
	if (state->enabled > 0)
		fprintf(stderr, "qpuemu: the QPUs were left enabled\n");
	return nblocks == 0 && state->enabled == 0;
}

static bool
is_counted(const struct state *state, unsigned source)
{
	return machine_counter_name(source) &&
	       (state->options.words.timed || source == 16 || source == 24);
}

void
end_report_counters(const struct state *state)
{
	const struct state_totals *totals = &state->totals;
	const uint64_t clocks = totals->clocks + totals->launch_clocks;

	fprintf(stderr, "qpuemu: %" PRIu64 " launches, %" PRIu64
		" instructions", totals->launches, totals->instructions);
	if (state->options.words.timed)
		fprintf(stderr, ", %" PRIu64 " clocks = %.1f us at %u MHz "
			"(modelled)", clocks,
			(double)clocks / state->options.v3d_mhz,
			state->options.v3d_mhz);
	putc('\n', stderr);
	for (unsigned i = 0; i < MACHINE_COUNTER_SOURCES; i++)
		if (is_counted(state, i))
			fprintf(stderr, "%2u %12" PRIu64 "  %s\n", i,
				totals->counters[i], machine_counter_name(i));
	if (!state->options.words.timed)
		fputs("(the other counters need --timed)\n", stderr);
}

/* Only those that are still ours. */
void
end_remove_links(const struct state *state, const char *dir)
{
	const size_t prefix = strlen(dir);
	char target[STATE_PATH];

	for (unsigned i = 0; i < STATE_LINKS && *state->links[i]; i++) {
		const ssize_t len = readlink(state->links[i], target,
					     sizeof(target) - 1);

		if (len > (ssize_t)prefix &&
		    memcmp(target, dir, prefix) == 0)
			unlink(state->links[i]);
	}
}
