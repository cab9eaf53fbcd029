/* SPDX-License-Identifier: MIT */
/*
 * hazard_report: prints what the assembler and the validator found, on
 * standard error, for qpuasm and qpudis.
 *
 *	file:line:column: error: text [E141]
 *	    the line
 *	        ^
 *
 * Numbers with an E or a W are the assembler's (enum asm_number), those with
 * an R are the rules of the validator.
 */
#ifndef SRC_TOOLS_HAZARD_REPORT_H
#define SRC_TOOLS_HAZARD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qpu_asm_program;
struct qpu_inst;

/* Rules of the validator and warnings that are not wanted. */
struct hazard_ignored {
	uint32_t rules;	   /* bit n: Rn */
	uint32_t warnings; /* bit n: W200 + n */
};

/* Add names such as "R5,W200"; false when one of them is unknown. */
bool
hazard_report_ignore(const char *list, struct hazard_ignored *ignored);

/* Print the messages of the assembler; tool names what has no file. */
void
hazard_report_messages(const char *tool, const struct qpu_asm_program *program,
		       const struct hazard_ignored *ignored);

/*
 * Look for hazards in an assembled program and print them; false when one of
 * them is an error.  What a rule says of one source line is printed once.  The
 * file is named in what is about the whole program.
 */
bool
hazard_report_program(const char *file, const struct qpu_asm_program *program,
		      const struct hazard_ignored *ignored);

/*
 * The same for words without a source: the place is the file and the address,
 * the line is the disassembled text.
 */
bool
hazard_report_words(const char *file, const struct qpu_inst *insts,
		    const bool *is_inst, size_t n,
		    const struct hazard_ignored *ignored);

#endif
