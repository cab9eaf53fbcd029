/* SPDX-License-Identifier: MIT */
/*
 * lex: one source line as tokens.
 */
#ifndef QPU_ASM_LEX_H
#define QPU_ASM_LEX_H

#include <stdbool.h>
#include <stdint.h>

struct asm_line;
struct asm_diagnostics;

enum asm_token_type {
	ASM_TOK_END,
	ASM_TOK_INT,
	ASM_TOK_FLOAT,
	ASM_TOK_NAME,
	ASM_TOK_LOCAL,	   /* 1f or 1b: a numeric label */
	ASM_TOK_SUFFIX,	   /* .name that touches what it follows */
	ASM_TOK_DIRECTIVE, /* .name that stands alone */
	ASM_TOK_STRING,
	ASM_TOK_OP,
};

/* Operators are their characters, the last one lowest. */
#define ASM_OP2(a, b) ((uint32_t)(a) << 8 | (b))
#define ASM_OP3(a, b, c) (ASM_OP2(a, b) << 8 | (c))

struct asm_token {
	enum asm_token_type type;
	unsigned column;  /* 1-based */
	const char *text; /* NAME, SUFFIX, DIRECTIVE (no dot), STRING */
	uint64_t integer; /* INT; LOCAL: the number */
	double real;	  /* FLOAT */
	uint32_t op;	  /* OP; LOCAL: 'f' or 'b'; STRING: its last quote */
	uint8_t binds;	  /* OP: how strongly; 0: it is not binary */
	bool touches;	  /* no blank before it */
	uint8_t base;	  /* INT: 2, 8, 10 or 16 */
	bool prefixed;	  /* INT: by 0b, 0o or 0x */
};

/* The tokens of a line, ended by ASM_TOK_END, or null after a message. */
const struct asm_token *
asm_lex(struct asm_diagnostics *diagnostics, const struct asm_line *line);

static inline bool
asm_token_is(const struct asm_token *token, uint32_t op)
{
	return token->type == ASM_TOK_OP && token->op == op;
}

#endif
