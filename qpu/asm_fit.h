/* SPDX-License-Identifier: MIT */
/*
 * asm_fit: two operations with given ALUs into the fields of an instruction:
 * read ports, small immediate, write files, pack modes, flags.
 */
#ifndef QPU_ASM_FIT_H
#define QPU_ASM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm_inst.h"

struct qpu_inst;

/* The first thing that went wrong. */
struct asm_problem {
	unsigned number;	/* enum asm_number; 0: nothing */
	const struct asm_token *token;
	char text[256];
};

/* Remember the first problem; always false. */
__attribute__((format(printf, 4, 5)))
bool asm_problem_set(struct asm_problem *problem, unsigned number,
		     const struct asm_token *token, const char *format, ...);

struct asm_source_ref {
	const struct asm_token *token;
	bool is_immediate;
	uint32_t word;		/* of an immediate */
	struct asm_reg reg;
};

/* What one ALU is to do; stmt is null for an ALU without work. */
struct asm_slot {
	const struct asm_stmt *stmt;
	uint8_t code;
	struct asm_source_ref sources[2];
	size_t nsources;
};

struct asm_fit {
	struct asm_slot slots[ASM_UNITS];
	const struct asm_stmt *signal;	/* or null */
	const struct asm_stmt *reads[2];	/* read statements */
	size_t nreads;
};

bool asm_fit(const struct asm_fit *fit, struct qpu_inst *inst,
	     struct asm_problem *problem);

/*
 * Only the results: file choice, pack and conditions, for loads too.  dests
 * are of the add and of the mul side, null for none; floats says which sides
 * yield floats.  *pm is what the sources demand (0 or 1) or -1.
 */
bool asm_fit_results(const struct asm_operand *const dests[ASM_UNITS],
		     const bool floats[ASM_UNITS], int *pm,
		     struct qpu_inst *inst, struct asm_problem *problem);

#endif
