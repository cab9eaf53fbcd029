/* SPDX-License-Identifier: MIT */
/*
 * result: where the two results of an instruction go.
 */
#ifndef QPU_ASM_RESULT_H
#define QPU_ASM_RESULT_H

#include <stdbool.h>

#include "qpu/asm/stmt.h"

struct asm_problem;
struct qpu_inst;

/*
 * Only the results: file choice, pack and conditions, for loads too.  dests
 * are of the add and of the mul side, null for none; floats says which sides
 * yield floats.  *pm is what the sources demand (0 or 1) or -1.
 */
bool
asm_result_fit(const struct asm_operand *const dests[ASM_UNITS],
	       const bool floats[ASM_UNITS], int *pm, struct qpu_inst *inst,
	       struct asm_problem *problem);

#endif
