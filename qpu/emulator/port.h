/* SPDX-License-Identifier: MIT */
/*
 * port: what happens when an instruction reads, writes or signals a unit
 * outside the two ALUs (register addresses 32..63, section 7).
 */
#ifndef QPU_EMULATOR_PORT_H
#define QPU_EMULATOR_PORT_H

#include "qpu/emulator/machine.h"

/* The unit an instruction would wait for now, in the absence of time. */
enum machine_stall
emu_port_wait(const struct emu_qpu *qpu, const struct emu_op *op);

/* Check for stalls, then read; EMU_STOP_BUDGET if the ALUs may start. */
enum emu_stop
emu_port_before(struct emu_qpu *qpu, const struct emu_op *op);

/* Write, then signal; likewise. */
enum emu_stop
emu_port_after(struct emu_qpu *qpu, const struct emu_op *op);

#endif
