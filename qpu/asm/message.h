/* SPDX-License-Identifier: MIT */
/*
 * message: the errors, warnings and notes of the assembler, in the order of
 * the source.
 *
 * A message has a number that is never reused, a place, and the text of the
 * source line, under which the caller can draw a caret.
 */
#ifndef QPU_ASM_MESSAGE_H
#define QPU_ASM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/qpu.h"

struct asm_arena;
struct asm_line;
struct asm_token;

/* The numbers; 1 to 20 are the rules of the validator, W the warnings. */
enum asm_number {
	ASM_E_FILE = 100,	/* cannot read a source */
	ASM_E_CHARACTER = 101,	/* no token begins so */
	ASM_E_NUMBER = 102,	/* malformed or too large */
	ASM_E_SYNTAX = 103,	/* something else was expected */
	ASM_E_EXPRESSION = 110, /* operands do not fit an operator */
	ASM_E_UNDEFINED = 111,	/* name or label unknown */
	ASM_E_REDEFINED = 112,	/* label or constant defined twice */
	ASM_E_DIRECTIVE = 120,	/* unknown directive */
	ASM_E_BLOCK = 121,	/* block not closed or not open */
	ASM_E_ARGUMENT = 122,	/* wrong argument of a directive or macro */
	ASM_E_ASSERT = 123,	/* .assert failed */
	ASM_E_DEPTH = 124,	/* recursion or repetition without end */
	ASM_E_MOVED = 125,	/* label at two addresses */
	ASM_E_MNEMONIC = 130,	/* unknown instruction */
	ASM_E_SUFFIX = 131,	/* unknown or misplaced suffix */
	ASM_E_OPERAND = 132,	/* wrong kind or number of operands */
	ASM_E_UNIT = 140,	/* no ALU left for the operation */
	ASM_E_PORT = 141,	/* two reads need one port */
	ASM_E_WRITE = 142,	/* two results need one file */
	ASM_E_IMMEDIATE = 143,	/* value cannot be encoded */
	ASM_E_SIGNAL = 144,	/* signal cannot be combined */
	ASM_E_PACK = 145,	/* pack and unpack modes collide */
	ASM_E_FLAGS = 146,	/* .setf on the ALU that does not set them */
	ASM_E_ROTATE = 147,	/* rotation that cannot be done */
	ASM_E_BRANCH = 148,	/* branch target out of range or shape */
	ASM_E_OPTIMISE = 150,	/* the optimiser cannot follow the program */
	ASM_E_MEMORY = 199,
	ASM_W_CARRY = 200,	  /* .ifnc means something else in vc4asm */
	ASM_W_NEGATED = 201,	  /* add became sub, the carry is inverted */
	ASM_W_QUADS = 202,	  /* rotates within groups of four lanes */
	ASM_W_ROTATES_BOTH = 203, /* rotates both operands */
	ASM_W_WORD = 204,	  /* .word has another size in vc4asm */
	ASM_W_UNPACKS_BOTH = 205, /* unpacks both operands */
	ASM_W_OPEN_IF = 206,	  /* the program ends inside .if */
	ASM_W_NUMBER = 207,	  /* 010 and 0b1 have other values in vc4asm */
	ASM_W_CONDS = 208,	  /* of two destinations: one in vc4asm */
	ASM_W_NOT_JOINED = 209,	  /* across a label: joined in vc4asm */
	ASM_W_NOPS = 210,	  /* they are one instruction */
	ASM_W_PACK = 211,	  /* of fmul, another one in vc4asm */
	ASM_W_SEMAPHORE = 212,	  /* of a number above 15 four bits are taken */
	ASM_W_KEPT = 213,	  /* by the optimiser, as it is */
	ASM_W_FIRST = ASM_W_CARRY,
	ASM_W_LAST = ASM_W_KEPT,
};

/* The bit of a warning in a set. */
static inline uint64_t
asm_warning_bit(unsigned number)
{
	return UINT64_C(1) << (number - ASM_W_FIRST);
}

struct asm_messages {
	struct asm_arena *arena;
	struct qpu_message *rows;
	size_t nrows;
	uint64_t ignored; /* warnings, by bit */
	size_t nerrors;
	size_t limit; /* of errors; later ones are counted only */
	bool silent;  /* in the first pass */
};

/* Return true if one more error is kept; if not, its message need not be good. */
static inline bool
asm_messages_are_kept(const struct asm_messages *messages)
{
	return !messages->silent && messages->nerrors < messages->limit;
}

/* column 1-based or 0; line may be null. */
__attribute__((format(printf, 6, 7))) void
asm_message_add(struct asm_messages *messages, enum qpu_severity severity,
		unsigned number, const struct asm_line *line, unsigned column,
		const char *format, ...);

/* Why statements cannot be encoded: the first reason. */
struct asm_refusal {
	unsigned number; /* enum asm_number, or 0 */
	const struct asm_token *token;
	char text[256];
};

/* Remember the first refusal; always false. */
__attribute__((format(printf, 4, 5))) bool
asm_refuse(struct asm_refusal *why, unsigned number,
	   const struct asm_token *token, const char *format, ...);

#endif
