/* SPDX-License-Identifier: MIT */
/*
 * asm: the assembler, from a source to words, lines and messages.
 *
 * The syntax is vc4asm's (instructions, expressions, directives).  Output of
 * m4 -s is understood.  README.md describes the passes.
 */
#ifndef QPU_ASM_ASM_H
#define QPU_ASM_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm/message.h"

struct qpu_asm_options {
	const char *const *include_dirs;
	size_t ninclude_dirs;
	const char *const *preloads; /* files that are run before the source */
	size_t npreloads;
	size_t error_limit; /* 0 means the usual 20 */
	uint64_t ignored;   /* warnings that make no message, by bit */
	/* Null, or a function that is called for each source instead of
	 * opening a file.  It returns the text of a path and sets *bytes, or
	 * returns null; the text lasts until the program is assembled. */
	const char *(*reader)(void *context, const char *path, size_t *bytes);
	void *context;
};

struct qpu_asm_word {
	uint64_t word;
	bool is_inst;	/* else data */
	bool fixed;	/* .noschedule */
	uint16_t align; /* .align, in bytes, or 0 */
	bool is_entry;	/* ::name or .global stands before it */
	const char *file;
	unsigned line;
	const char *text; /* the source line */
};

/* Everything lives until qpu_asm_free. */
struct qpu_asm_program {
	const struct qpu_asm_word *words; /* null after an error */
	size_t nwords;
	/* The line in which a label's address first becomes a value other than
	 * a branch target; its file is null if there is none. */
	struct qpu_asm_word addressed;
	const struct qpu_message *messages;
	size_t nmessages;
	size_t nerrors; /* may be more than there are messages */
	void *memory;
};

/* False when there was an error; the messages describe it. */
bool
qpu_asm_file(const char *path, const struct qpu_asm_options *options,
	     struct qpu_asm_program *program);
bool
qpu_asm_text(const char *name, const char *text, size_t len,
	     const struct qpu_asm_options *options,
	     struct qpu_asm_program *program);

/* Return the path of a source that was read, from 0; null beyond the last one. */
const char *
qpu_asm_source(const struct qpu_asm_program *program, size_t index);

void
qpu_asm_free(struct qpu_asm_program *program);

#endif
