/* SPDX-License-Identifier: MIT */
/*
 * directive: .set, .const, .assert, .include, ...: directives of one line
 * that define names, check, and include.
 */
#ifndef QPU_ASM_DIRECTIVE_H
#define QPU_ASM_DIRECTIVE_H

#include "qpu/asm/assembly.h"

/* Ended by a row without a name. */
extern const struct asm_directive asm_line_directives[];

#endif
