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

struct diag;
struct qpu_asm_program;
struct qpu_inst;

/*
 * Add names such as "R5,W200" to the rules of the validator and warnings of the
 * assembler that are not reported: a uint64_t with a bit for each.  It is the
 * parser of an option (src/base/option.h).
 */
bool
hazard_report_ignore(void *ignored, const char *list, struct diag *why);

/* Print the diagnostics of the assembler; tool names what has no file. */
void
hazard_report_messages(const char *tool, const struct qpu_asm_program *program,
		       uint64_t ignored);

/*
 * Look for hazards in an assembled program and print them; false when one of
 * them is an error.  What a rule says of one source line is printed once.  A
 * message about the whole program names the file.
 */
bool
hazard_report_program(const char *file, const struct qpu_asm_program *program,
		      uint64_t ignored);

/*
 * Would the kernel's driver vc4 accept the program (qpu/validate/drm.h)?  Print
 * the rule that it breaks, and return false; or a note with what the kernel
 * counts.
 */
bool
hazard_report_drm(const char *file, const struct qpu_asm_program *program);

/*
 * Look for hazards in words without a source: the place is the file and the address,
 * the line is the disassembled text.
 */
bool
hazard_report_words(const char *file, const struct qpu_inst *insts,
		    const bool *is_inst, size_t n, uint64_t ignored);

#endif
