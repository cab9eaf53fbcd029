/* SPDX-License-Identifier: MIT */
/*
 * check_shader: hazards that only fragment shaders meet (rules R18, C36 to C41).
 */
#ifndef QPU_EMULATOR_CHECK_SHADER_H
#define QPU_EMULATOR_CHECK_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/machine.h"

/* What is known of the instructions of a thread so far; it begins as zeros. */
struct emu_shader_history {
	uint8_t executed;    /* instructions, up to a few */
	uint8_t switching;   /* instructions until another thread's turn */
	uint8_t depth_slots; /* until the mask of samples may be read */
	bool waited;	     /* for its turn at the tile buffer */
	bool drew;
};

/* Before an instruction. */
void
emu_check_shader(struct emu_qpu *qpu, struct emu_shader_history *history,
		 const struct emu_op *op);

/* Has another thread its turn after the instruction?  It leaves accumulators
 * as it likes. */
bool
emu_check_shader_switches(struct emu_shader_history *history,
			  const struct emu_op *op);

void
emu_check_shader_end(struct emu_qpu *qpu,
		     const struct emu_shader_history *history);

#endif
