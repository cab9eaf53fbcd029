/* SPDX-License-Identifier: MIT */
/*
 * program: what the handle of a program holds.
 */
#ifndef QPU_API_PROGRAM_H
#define QPU_API_PROGRAM_H

#include "qpu/api/message.h"
#include "qpu/asm/asm.h"
#include "qpu/isa/isa.h"

struct strings {
	char **rows;
	size_t n, capacity;
};

struct qpu_program {
	struct strings directories, preloads;
	qpu_reader *reader;
	void *reader_context;
	uint64_t ignored; /* rules, a bit each; warnings from WARNING_BIT on */
	struct messages messages;

	bool is_filled;			  /* it has got its words, or errors */
	char *name;			  /* of the source or the words */
	struct qpu_asm_program assembled; /* all zeros without a source */
	struct qpu_word *words;		  /* null after an error */
	struct qpu_inst *insts;		  /* of words that are instructions */
	bool *is_inst;
	size_t n;
};

#endif
