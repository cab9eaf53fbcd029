/* SPDX-License-Identifier: MIT */
/*
 * schedule: runs the QPUs in turn when time is not modelled.
 *
 * Functional mode goes round robin in long slices and changes QPU early when
 * one stalls; checking mode takes short slices in random order.
 */
#ifndef QPU_EMULATOR_SCHEDULE_H
#define QPU_EMULATOR_SCHEDULE_H

#include "qpu/emulator/machine.h"

enum machine_status
emu_schedule_run(struct machine *machine, uint64_t instructions);

/* Describe a deadlock in machine->fault. */
void
emu_schedule_deadlock(struct machine *machine);

#endif
