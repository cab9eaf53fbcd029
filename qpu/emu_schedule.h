/* SPDX-License-Identifier: MIT */
/*
 * schedule: who runs next when time does not matter.
 *
 * Functional mode goes round robin in long slices and changes QPU early when
 * one stalls; checking mode takes short slices in random order.
 */
#ifndef QPU_EMU_SCHEDULE_H
#define QPU_EMU_SCHEDULE_H

#include "qpu/emu_machine.h"

enum machine_status
emu_schedule_run(struct machine *machine, uint64_t instructions);

/* Describe a deadlock in machine->fault. */
void
emu_schedule_deadlock(struct machine *machine);

#endif
