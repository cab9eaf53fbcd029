/* SPDX-License-Identifier: MIT */
/*
 * word_output: the words of a program as they are assembled.
 *
 * Branches to labels keep their target until the end, because .back can
 * still move them.
 */
#ifndef QPU_ASM_WORD_OUTPUT_H
#define QPU_ASM_WORD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asm_arena;
struct asm_label;
struct asm_line;

enum { ASM_WORDS_MAX = 1 << 17 }; /* 1 MiB of code */

struct asm_word {
	uint64_t word;
	const struct asm_line *line;
	bool is_inst;	/* else data or padding */
	bool to_target; /* displacement to be filled in */
	bool is_clone;	/* the instruction at the target is to be copied */
	bool fixed;	/* .noschedule */
	uint16_t align; /* bytes, or 0 for any address */
	int64_t target; /* bytes from the start of the code */
};

struct asm_output {
	struct asm_arena *arena;
	struct asm_word *words;
	size_t nwords;
	unsigned filled;  /* bytes of data in the last word, 0 = all */
	size_t insert_at; /* .back: index of the next word */
	bool inserting;
	bool again;		  /* this is the second pass */
	bool fixed;		  /* words from here on */
	uint16_t align;		  /* the next word */
	struct asm_label **bound; /* in this pass */
	size_t nbound;
	struct asm_label **pending; /* wait for the next word or datum */
	size_t npending;
};

/* Bytes from the start of the code to the next byte of data. */
int64_t
asm_output_addr(const struct asm_output *output);

/* The label gets the address of the word or datum that comes next. */
void
asm_output_label(struct asm_output *output, struct asm_label *label);

/* The labels stand here: a datum, or nothing, follows. */
void
asm_output_bind(struct asm_output *output);

/* Make ready for an instruction: pad a partial word, bind the labels. */
void
asm_output_align(struct asm_output *output);

/* False when the program becomes too long. */
bool
asm_output_word(struct asm_output *output, const struct asm_word *word);
bool
asm_output_data(struct asm_output *output, uint64_t value, unsigned nbytes,
		const struct asm_line *line);

/* Put another word in the place of the last one. */
void
asm_output_replace(struct asm_output *output, const struct asm_word *word);

/* Words from here on go before the last count words; false if too few. */
bool
asm_output_back(struct asm_output *output, size_t count);
void
asm_output_back_end(struct asm_output *output);

#endif
