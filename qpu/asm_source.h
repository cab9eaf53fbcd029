/* SPDX-License-Identifier: MIT */
/*
 * asm_source: source files as arrays of lines that know where they come from.
 *
 * Synclines (#line N "FILE" or # N "FILE", as m4 -s writes them) are taken
 * out and move the place of the lines that follow, so that an expanded macro
 * names the macro's file and line.
 */
#ifndef QPU_ASM_SOURCE_H
#define QPU_ASM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct asm_arena;

struct asm_line {
	const char *text;	/* without newline and carriage return */
	const char *file;
	unsigned number;	/* 1-based */
	const struct asm_token *tokens;	/* set by the first reading */
};

struct asm_source {
	struct asm_source *next;
	const char *path;
	struct asm_line *lines;
	size_t nlines;
};

/* The files read so far; a file is read once. */
struct asm_sources {
	struct asm_source *first;
};

/* Null, with errno set, when the file cannot be read.  "-" is stdin. */
const struct asm_source *
asm_source_load(struct asm_sources *sources, struct asm_arena *arena,
		const char *path);

/* A source from memory. */
const struct asm_source *
asm_source_from(struct asm_sources *sources, struct asm_arena *arena,
		const char *path, const char *text, size_t len);

#endif
