/* SPDX-License-Identifier: MIT */
/*
 * step: instructions one at a time under observation, for the checks, the
 * trace and the profile.
 */
#ifndef QPU_EMULATOR_STEP_H
#define QPU_EMULATOR_STEP_H

#include "qpu/emulator/machine.h"

static inline bool
emu_is_observed(const struct machine *machine)
{
	return machine->check || machine->tracer || machine->options.profile;
}

/* Run a QPU as emu_qpu_run() does, but observed; the trace shows `clock`. */
uint32_t
emu_step_run(struct emu_qpu *qpu, uint32_t n, uint64_t clock);

#endif
