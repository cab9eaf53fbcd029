/* SPDX-License-Identifier: MIT */
/*
 * stmt: a statement, one of those that share a line and an instruction, and
 * what its mnemonic and its conditions stand for.
 */
#ifndef QPU_ASM_STMT_H
#define QPU_ASM_STMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm/value.h"

struct asm_refusal;
struct asm_token;
struct asm_word;
struct assembly;
struct qpu_inst;

enum asm_stmt_kind {
	ASM_STMT_ALU, /* an operation of an ALU */
	ASM_STMT_NOP, /* keeps an ALU free, or repeats a result */
	ASM_STMT_MOV,
	ASM_STMT_LDI,
	ASM_STMT_SEMA,
	ASM_STMT_BRANCH,
	ASM_STMT_READ, /* reads and forgets */
	ASM_STMT_SIGNAL,
};

enum { ASM_UNIT_ADD, ASM_UNIT_MUL };
enum { ASM_UNITS = 2, ASM_STMTS_MAX = 8, ASM_NO_CODE = 0xff };

struct asm_operand {
	const struct asm_token *token;
	struct asm_value value;
	uint8_t cond;	  /* of a destination */
	const char *text; /* of an immediate source, as written */
};

struct asm_stmt {
	enum asm_stmt_kind kind;
	const struct asm_token *token;
	const char *mnemonic;
	uint8_t code[ASM_UNITS]; /* or ASM_NO_CODE: not on that ALU */
	uint8_t noperands;
	uint8_t cond;	 /* enum qpu_cond */
	uint8_t cond_br; /* enum qpu_br */
	uint8_t sig;	 /* SIGNAL */
	bool relative;	 /* BRANCH */
	bool acquire;	 /* SEMA */
	bool setf;
	uint8_t rotate;		/* of the result, lanes up */
	bool rotates_dest;	/* written as a rotation of the destination */
	struct asm_pack unpack; /* of all sources */
	struct asm_operand dests[2];
	size_t ndests;
	struct asm_operand sources[2];
	size_t nsources;
};

/* Set the kind of a statement, and its codes, from a mnemonic.  Names here
 * are never empty. */
bool
asm_stmt_find(struct asm_stmt *stmt, const char *name);

/* A condition as a suffix: ".ifz"; on a destination ".z" will do. */
bool
asm_stmt_cond(const char *text, uint8_t *cond);
bool
asm_stmt_dest_cond(const char *text, uint8_t *cond);

/* The condition of a branch: ".anyz". */
bool
asm_stmt_branch_cond(const char *text, uint8_t *cond);

/* --- Statements into an instruction: encode.c, fit.c, result.c ------------ */

/*
 * encode.c tries the ways to do so.  Where there is a choice (ALU, port, file,
 * load or small immediate), the first one that works is taken; when none works,
 * the message is about the first one.  fit.c has what an ALU instruction reads
 * (ports, small immediate, rotation, unpack modes) and its flags; result.c what
 * any instruction writes (files, pack modes, conditions), and branches and
 * semaphores, which fill an instruction alone.  Each function is false when the
 * statements do not fit; the refusal then has the reason.
 */

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

/* Encode the results alone, including results of loads. dests belong to the add
 * and the mul side, null for none; floats says which sides yield floats. *pm is
 * 0 or 1 if the sources demand it, else -1. */
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
