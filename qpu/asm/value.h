/* SPDX-License-Identifier: MIT */
/*
 * value: what an expression of the assembler can be, and the functions that
 * expressions have without a definition.
 *
 * A result that depends on a label which is not defined yet is as unknown as
 * the label.
 */
#ifndef QPU_ASM_VALUE_H
#define QPU_ASM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/asm/reg.h"

enum asm_type {
	ASM_INT,
	ASM_FLOAT,
	ASM_ELEMENTS, /* one small number for each lane */
	ASM_REG,
	ASM_SEMA, /* sacq0.. and srel0.. */
	ASM_LABEL,
};

struct asm_value {
	enum asm_type type;
	bool unknown;	   /* from a label that is not defined yet */
	bool relative;	   /* LABEL: written r:name */
	bool acquire;	   /* SEMA */
	int64_t i;	   /* INT, LABEL (bytes), SEMA (number) */
	double f;	   /* FLOAT */
	uint32_t elements; /* ELEMENTS: as the load has it */
	uint8_t load;	   /* ELEMENTS: enum qpu_load */
	struct asm_reg reg;
};

struct asm_value
asm_value_int(int64_t i);
struct asm_value
asm_value_float(double f);

struct asm_value
asm_value_reg(const struct asm_reg *reg);

/* A register or semaphore by its name. */
bool
asm_value_find_reg(const char *name, struct asm_value *value);

/* The word an INT or FLOAT stands for; false when it needs more bits. */
bool
asm_value_word(const struct asm_value *value, uint32_t *word);

/*
 * Apply an operator of lex.h.  False, with a reason, when the operands do
 * not fit it.  A unary operator has a null right operand.
 */
bool
asm_value_unary(uint32_t op, struct asm_value *value, const char **reason);
bool
asm_value_binary(uint32_t op, struct asm_value *left,
		 const struct asm_value *right, const char **reason);

/* Functions of one number, such as sin and floor. */
bool
asm_math_exists(const char *name);

/* Apply one that exists; false, with a reason, when it cannot be. */
bool
asm_math_apply(const char *name, struct asm_value *value, const char **reason);

/*
 * Functions that ask what kind of value something is.  Sources for other
 * assemblers define them with constants that stand for the insides of a
 * register value.
 */
bool
asm_query_exists(const char *name);

/* The value becomes the answer of a query that exists. */
void
asm_query_apply(const char *name, struct asm_value *value);

#endif
