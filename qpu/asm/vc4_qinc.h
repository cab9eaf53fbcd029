/* SPDX-License-Identifier: MIT */
/*
 * vc4_qinc: the definitions that sources for vc4asm take from its file vc4.qinc:
 * functions for set-up words, and numbers.  They stand in for that file where it
 * is not found.
 */
#ifndef QPU_ASM_VC4_QINC_H
#define QPU_ASM_VC4_QINC_H

#include <stdbool.h>

extern const char asm_vc4_qinc[];

/* Does it define a function or a number of this name? */
bool
asm_vc4_qinc_defines(const char *name);

#endif
