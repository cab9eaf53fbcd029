/* SPDX-License-Identifier: MIT */
/*
 * math: the functions of one number, such as sin and floor.
 */
#ifndef QPU_ASM_MATH_H
#define QPU_ASM_MATH_H

#include <stdbool.h>

struct asm_value;

bool
asm_math_exists(const char *name);

/* Apply a function that exists; false, with a reason, when it cannot be. */
bool
asm_math_apply(const char *name, struct asm_value *value, const char **reason);

#endif
