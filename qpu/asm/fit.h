/* SPDX-License-Identifier: MIT */
/*
 * fit: puts statements into the fields of an instruction.
 *
 * encode.c tries the ways to do so.  Where there is a choice (ALU, port, file,
 * load or small immediate), the first one that works is taken; when none works,
 * the message is about the first one.  fit.c has what an ALU instruction reads
 * (ports, small immediate, rotation, unpack modes) and its flags; result.c what
 * any instruction writes (files, pack modes, conditions), and branches and
 * semaphores, which fill an instruction alone.  Each function is false when the
 * statements do not fit; the refusal then has the reason.
 */
#ifndef QPU_ASM_FIT_H
#define QPU_ASM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm/stmt.h"

struct asm_refusal;
struct asm_word;
struct assembly;
struct qpu_inst;

/* An operand that an ALU reads. */
struct asm_input {
	const struct asm_token *token;
	bool is_immediate;
	uint32_t word;	  /* of an immediate */
	const char *text; /* of the same, as written */
	struct asm_reg reg;
};

/* The work of one ALU; stmt is null for an ALU without work. */
struct asm_slot {
	const struct asm_stmt *stmt;
	uint8_t code;
	struct asm_input sources[2];
	size_t nsources;
	bool replicates; /* packs the low byte into all four of regfile A */
};

struct asm_fit {
	struct asm_slot slots[ASM_UNITS];
	const struct asm_stmt *signal;	 /* or null */
	const struct asm_stmt *reads[2]; /* read statements */
	size_t nreads;
};

/* Two operations whose ALUs have been chosen. */
bool
asm_fit(const struct asm_fit *fit, struct qpu_inst *inst,
	struct asm_refusal *why);

/*
 * The results alone, of loads, too.  dests are those of the add and of the mul
 * side, null for none; floats says which sides yield floats.  *pm is what the
 * sources demand (0 or 1), or -1.
 */
bool
asm_fit_results(const struct asm_operand *const dests[ASM_UNITS],
		const bool floats[ASM_UNITS], int *pm, struct qpu_inst *inst,
		struct asm_refusal *why);

/* The label that is the target of brr is left in the word: it is resolved when
 * all words are known. */
bool
asm_fit_branch(const struct asm_stmt *stmt, struct qpu_inst *inst,
	       struct asm_word *word, struct asm_refusal *why);

bool
asm_fit_semaphore(const struct asm_stmt *stmt, struct qpu_inst *inst,
		  struct asm_refusal *why);

/* Statements to one instruction word.  False after a message, which stays away
 * when it is not wanted. */
bool
asm_encode(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	   bool quietly, struct asm_word *word);

#endif
