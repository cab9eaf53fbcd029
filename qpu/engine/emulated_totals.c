/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/engine/emulated_totals.h"

#include "qpu/emulator/emulator.h"

void
emulated_totals(struct machine *machine, bool timed,
		struct device_totals *totals)
{
	*totals = (struct device_totals){
		.modelled = true,
		.timed = timed,
		.instructions = machine_instructions(machine),
		.clocks = machine_clocks(machine),
		.launch_clocks = machine_launch_clocks(machine)
	};
	for (unsigned i = 0; i < MACHINE_COUNTERS && timed; i++) {
		const char *name = machine_counter_name(i);

		if (name)
			totals->counters[totals->ncounters++] =
				(struct device_counter){
					.name = name,
					.value = machine_counter(machine, i)
				};
	}
}
