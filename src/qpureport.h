/* SPDX-License-Identifier: MIT */
/*
 * qpureport: messages about QPU programs, for the tools' standard error.
 *
 *	file:line:column: error: text [E141]
 *	    the line
 *	        ^
 */
#ifndef SRC_QPUREPORT_H
#define SRC_QPUREPORT_H

#include <stdbool.h>
#include <stddef.h>

struct qpu_asm_program;
struct qpu_inst;

/* What the assembler had to say. */
void qpu_report_messages(const char *tool,
			 const struct qpu_asm_program *program);

/* Look for hazards in a program; false when there are errors. */
bool qpu_report_hazards(const struct qpu_asm_program *program);

/*
 * The same for words without a source: the place is the file and the address,
 * the line is the disassembled text.
 */
bool qpu_report_word_hazards(const char *file, const struct qpu_inst *insts,
			     const bool *is_inst, size_t n);

#endif
