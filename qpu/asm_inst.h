/* SPDX-License-Identifier: MIT */
/*
 * asm_inst: the statements on one line, which become one instruction.
 */
#ifndef QPU_ASM_INST_H
#define QPU_ASM_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm_value.h"

struct asm_token;
struct assembly;

enum asm_stmt_kind {
	ASM_STMT_ALU,		/* an operation of an ALU */
	ASM_STMT_NOP,		/* keeps an ALU free */
	ASM_STMT_MOV,
	ASM_STMT_LDI,
	ASM_STMT_SEMA,
	ASM_STMT_BRANCH,
	ASM_STMT_READ,		/* reads and forgets */
	ASM_STMT_SIGNAL,
};

enum { ASM_UNIT_ADD, ASM_UNIT_MUL };
enum { ASM_UNITS = 2, ASM_STMTS_MAX = 8, ASM_NO_CODE = 0xff };

struct asm_operand {
	const struct asm_token *token;
	struct asm_value value;
	uint8_t cond;		/* of a destination */
};

struct asm_stmt {
	enum asm_stmt_kind kind;
	const struct asm_token *token;
	const char *mnemonic;
	uint8_t code[ASM_UNITS];	/* or ASM_NO_CODE: not on that ALU */
	uint8_t noperands;
	uint8_t cond;		/* enum qpu_cond */
	uint8_t cond_br;	/* enum qpu_br */
	uint8_t sig;		/* SIGNAL */
	bool relative;		/* BRANCH */
	bool acquire;		/* SEMA */
	bool setf;
	uint8_t rotate;		/* of the result, lanes up */
	struct asm_pack unpack;	/* of all sources */
	struct asm_operand dests[2];
	size_t ndests;
	struct asm_operand sources[2];
	size_t nsources;
};

/*
 * Assemble what is left of the line into one word.  A line that is wrong
 * gets a nop, so that the addresses stay.
 */
bool asm_inst_line(struct assembly *as);

#endif
