/* SPDX-License-Identifier: MIT */
/*
 * core: the loop that executes decoded instructions, built once for each
 * vector instruction set of the host.
 */
#ifndef QPU_EMULATOR_CORE_H
#define QPU_EMULATOR_CORE_H

#include "qpu/emulator/machine.h"

/*
 * A core executes up to n instructions in a row and stops after a taken
 * branch or a thread end (EMU_STOP_OPENED) or before an instruction that
 * stalls; qpu->stop says which.  Returns how many were executed.
 */

/* The core for this host; null if it lacks what was asked for. */
emu_core *
emu_core_select(enum machine_simd simd);

/* What a core computes with. */
enum machine_simd
emu_core_simd(emu_core *core);

#endif
