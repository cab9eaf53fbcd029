/* SPDX-License-Identifier: MIT */
/*
 * opt: makes programs shorter, on words.
 *
 * Within each block of a program operations are put into another order, two into
 * an instruction where both ALUs are free, and into the delay slots of branches and
 * the two instructions after thrend.  Nothing crosses the edges of a block.  What is
 * not known to be safe is refused, or stays as it is, and a note says which
 * instruction is the reason.  A block also stays in which the validator would find
 * something new, and one that does not become shorter.
 *
 *	op.c, resource.def   an instruction in parts that can move, and what they
 *	                     read, write and wait for
 *	slot.c               what fits into one instruction
 *	flow.c, link.c       blocks, ways between them, where links may lead
 *	live.c               registers that are live; distances across edges
 *	list.c               order and the list scheduler
 *	search.c             many passes of it; the best one
 *	rename.c             other registers for values that live in one block
 *	opt.c                all of that for a program
 *
 * It cannot see what a program depends on beside values: time, offsets into the
 * code that are kept elsewhere, and code that is written while it runs.
 */
#ifndef QPU_OPT_OPT_H
#define QPU_OPT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qpu_inst;

/* Marks of a word in the source. */
enum opt_mark {
	OPT_FIXED = 1, /* stays where it is: .noschedule */
	OPT_ENTRY = 2, /* a program may begin here */
	/* The logarithm of the words that divide its position, from this bit on. */
	OPT_ALIGN_SHIFT = 4,
};

struct opt_input {
	const uint64_t *words;
	const struct qpu_inst *insts;
	const bool *is_inst;  /* else data */
	const uint8_t *marks; /* null: none */
	size_t n;
	bool data_is_known; /* all words that are instructions are code */
};

struct opt_options {
	bool renames;
	double seconds; /* for the search; with 0 a fixed number of passes is made */
};

/* The words that one comes from, in the order of the source. */
enum { OPT_ORIGINS = 3 };
struct opt_origins {
	uint32_t at[OPT_ORIGINS];
	unsigned n; /* 0 for a nop that was added */
};

struct opt_output {
	uint64_t *words;
	bool *is_inst;
	struct opt_origins *origins;
	size_t n;
};

/* Why a program, or a block, is left as it is. */
struct opt_note {
	bool refused; /* the program */
	size_t index; /* of the word */
	const char *text;
};

typedef void
opt_sink(void *context, const struct opt_note *note);

enum opt_status { OPT_DONE, OPT_REFUSED, OPT_NO_MEMORY };

/* Unless it is refused, the output has the program; the caller frees its arrays. */
enum opt_status
opt_run(const struct opt_input *input, const struct opt_options *options,
	opt_sink *sink, void *context, struct opt_output *output);

void
opt_output_free(struct opt_output *output);

#endif
