/* SPDX-License-Identifier: MIT */
/*
 * fit: two operations with given ALUs into the fields of an instruction:
 * read ports, small immediate, write files, pack modes, flags.
 */
#ifndef QPU_ASM_FIT_H
#define QPU_ASM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm/stmt.h"

struct asm_problem;
struct qpu_inst;

struct asm_source_ref {
	const struct asm_token *token;
	bool is_immediate;
	uint32_t word;	  /* of an immediate */
	const char *text; /* of the same, as written */
	struct asm_reg reg;
};

/* What one ALU is to do; stmt is null for an ALU without work. */
struct asm_slot {
	const struct asm_stmt *stmt;
	uint8_t code;
	struct asm_source_ref sources[2];
	size_t nsources;
	bool replicates; /* packs the low byte into all four of regfile A */
};

struct asm_fit {
	struct asm_slot slots[ASM_UNITS];
	const struct asm_stmt *signal;	 /* or null */
	const struct asm_stmt *reads[2]; /* read statements */
	size_t nreads;
};

bool
asm_fit(const struct asm_fit *fit, struct qpu_inst *inst,
	struct asm_problem *problem);

#endif
