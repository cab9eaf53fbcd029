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

struct asm_token;

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
	const char *text; /* of a source that is no register, as written */
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

/*
 * nc is "carry clear" for Raspberry Pi's assembler, and here, but "n clear"
 * for vc4asm.
 */
bool
asm_stmt_cond_is_ambiguous(const char *text);

/* The condition of a branch: ".anyz". */
bool
asm_stmt_branch_cond(const char *text, uint8_t *cond);

#endif
