/* SPDX-License-Identifier: MIT */
/*
 * suggest: finds the known name that an unknown one was probably meant to be.
 */
#ifndef QPU_ASM_SUGGEST_H
#define QPU_ASM_SUGGEST_H

struct asm_suggestion {
	const char *wanted;
	const char *best;  /* so far, or null */
	unsigned distance; /* of best */
};

/* Is this known name nearer than what was found so far?  It may be null. */
void
asm_suggest_consider(struct asm_suggestion *suggestion, const char *name);

/* "; did you mean 'x'?", or nothing, for the end of a message. */
void
asm_suggest_text(const char *best, char text[64]);

/*
 * For the end of a message that something else was expected in this column:
 * what the comment of another assembler is here, or "".
 */
const char *
asm_suggest_comment(const char *line, unsigned column);

#endif
