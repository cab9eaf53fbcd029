/* SPDX-License-Identifier: MIT */
/*
 * hazard_report: prints what the assembler and the validator found, on
 * standard error, for qpuasm and qpudis.
 *
 *	file:line:column: error: text [E141]
 *	    the line
 *	        ^
 *
 * Numbers with an E or a W are the assembler's, those with an R or a D are the
 * rules of the validator.
 */
#ifndef SRC_TOOLS_HAZARD_REPORT_H
#define SRC_TOOLS_HAZARD_REPORT_H

#include <stdbool.h>

#include "qpu/qpu.h"

struct diag;

/*
 * Add names such as "R5,W200" to the rules and warnings that are not reported.
 * It is the parser of an option (src/base/option.h) whose field is a pointer to
 * a struct qpu_program.
 */
bool
hazard_report_ignore(void *program, const char *list, struct diag *why);

/*
 * Print the messages of a program, and that memory was short if the status says
 * so; tool names what has no file.  False unless the status is QPU_OK.
 */
bool
hazard_report(const char *tool, const struct qpu_program *program,
	      enum qpu_status status, const char *file);

#endif
