/* SPDX-License-Identifier: MIT */
/*
 * schedule: runs the QPUs in turn when time is not modelled.
 *
 * Functional mode goes round robin in long slices and changes QPU early when
 * one stalls; checking mode takes short slices in random order.  For the checks,
 * the trace and the profile instructions are executed one at a time.
 */
#ifndef QPU_EMULATOR_SCHEDULE_H
#define QPU_EMULATOR_SCHEDULE_H

#include "qpu/emulator/machine.h"

enum machine_status
emu_schedule_run(struct machine *machine, uint64_t instructions);

/* Describe a deadlock in machine->fault. */
void
emu_schedule_deadlock(struct machine *machine);

static inline bool
emu_is_observed(const struct machine *machine)
{
	return machine->check || machine->tracer || machine->options.profile;
}

/* Run a QPU as emu_qpu_run() does, but observed; the trace shows `clock`. */
uint32_t
emu_step_run(struct emu_qpu *qpu, uint32_t n, uint64_t clock);

#endif
