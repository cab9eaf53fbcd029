/* SPDX-License-Identifier: MIT */
/*
 * source: source files as arrays of lines that know where they come from.
 *
 * Synclines (#line N "FILE" or # N "FILE", as m4 -s writes them) are taken
 * out and move the place of the lines that follow, so that an expanded macro
 * names the macro's file and line.
 */
#ifndef QPU_ASM_SOURCE_H
#define QPU_ASM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"

struct asm_arena;
struct asm_messages;

struct asm_line {
	const char *text; /* without newline and carriage return */
	const char *file;
	unsigned number;		/* 1-based */
	const struct asm_token *tokens; /* set by the first reading */
	/* Lines to what ends a block that is open here, and to its next part, or
	 * 0 if not looked for yet. */
	unsigned to_end, to_part;
};

struct asm_source {
	struct asm_source *next;
	const char *path;
	struct asm_line *lines;
	size_t nlines;
};

/* The files read so far; a file is read once.  All of them together have at
 * most SOURCE_BYTES and SOURCE_LINES. */
enum { SOURCE_BYTES = 1 << 26, SOURCE_LINES = 1 << 20 };

struct asm_sources {
	struct asm_arena *arena;
	const char *const *dirs; /* in which asm_source_find looks */
	size_t ndirs;
	/* Null, or what is called instead of opening files: asm.h. */
	const char *(*reader)(void *context, const char *path, size_t *bytes);
	void *context;
	struct asm_source *first;
	size_t bytes, lines;
	struct text file; /* that is being read; asm.c may free it */
};

/* Null, with errno set, when the file cannot be read.  "-" is stdin. */
const struct asm_source *
asm_source_load(struct asm_sources *sources, const char *path);

/* The same for a file in the directory that the first len bytes of dir name. */
const struct asm_source *
asm_source_load_in(struct asm_sources *sources, const char *dir, size_t len,
		   const char *name);

/* The same for a file in the first of the directories that has it. */
const struct asm_source *
asm_source_find(struct asm_sources *sources, const char *name);

/* Return the text built in for the file of this name if it is not found, or
 * null, with errno as it was. */
const struct asm_source *
asm_source_builtin(struct asm_sources *sources, const char *name);

/* A source from memory; null, with errno set, when it is too large. */
const struct asm_source *
asm_source_from(struct asm_sources *sources, const char *path, const char *text,
		size_t len);

/*
 * The definitions that sources for vc4asm take from its file vc4.qinc: functions
 * for set-up words, and numbers.  They stand in for that file where it is not
 * found.
 */
extern const char asm_vc4_qinc[];

/* Return true if it defines a function or a number of this name. */
bool
asm_vc4_qinc_defines(const char *name);

/* --- One source line as tokens: lex.c ------------------------------------- */

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
	uint8_t binds;	  /* OP: how strongly, or 0 if it is not binary */
	bool touches;	  /* no blank before it */
	uint8_t base;	  /* INT: 2, 8, 10 or 16 */
	bool prefixed;	  /* INT: by 0b, 0o or 0x */
};

/* The tokens of a line, ended by ASM_TOK_END, or null after a message. */
const struct asm_token *
asm_lex(struct asm_messages *messages, const struct asm_line *line);

static inline bool
asm_token_is(const struct asm_token *token, uint32_t op)
{
	return token->type == ASM_TOK_OP && token->op == op;
}

#endif
