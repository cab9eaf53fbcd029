/* SPDX-License-Identifier: MIT */
/*
 * lists: reads the packets of control lists.
 */
#ifndef QPU_EMULATOR_LISTS_H
#define QPU_EMULATOR_LISTS_H

#include "qpu/emulator/pipe.h"

/* Execute packets until the list waits or ends; returns how many. */
uint64_t
emu_list_run(struct machine *machine, enum emu_list_number number);

#endif
