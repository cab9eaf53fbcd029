/* SPDX-License-Identifier: MIT */
/*
 * builtin: functions of the C library, and abs, ceil and floor, which keep or
 * give integers; isRegister(x) and its like.
 */
#include "config.h"

#include "qpu/asm/builtin.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "qpu/asm/value.h"
#include "qpu/isa/isa.h"

static bool
apply_math(const char *name, double x, double *result)
{
	static const struct {
		const char *name;
		double (*function)(double);
	} functions[] = {
		{ "exp", exp },	    { "exp2", exp2 },	{ "exp10", exp10 },
		{ "log", log },	    { "log2", log2 },	{ "log10", log10 },
		{ "sqrt", sqrt },   { "cos", cos },	{ "sin", sin },
		{ "tan", tan },	    { "acos", acos },	{ "asin", asin },
		{ "atan", atan },   { "cosh", cosh },	{ "sinh", sinh },
		{ "tanh", tanh },   { "acosh", acosh }, { "asinh", asinh },
		{ "atanh", atanh }, { "erf", erf },	{ "erfc", erfc },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strcmp(name, functions[i].name) == 0) {
			*result = functions[i].function(x);
			return true;
		}
	return false;
}

bool
asm_math_exists(const char *name)
{
	double result;

	return apply_math(name, 1, &result) || strcmp(name, "abs") == 0 ||
	       strcmp(name, "ceil") == 0 || strcmp(name, "floor") == 0;
}

static bool
round_to_int(const char *name, double x, struct asm_value *value)
{
	const double result = *name == 'c' ? ceil(x) : floor(x);

	if (!(fabs(result) < 0x1p62))
		return false;
	*value = asm_value_int((int64_t)result);
	return true;
}

bool
asm_math_apply(const char *name, struct asm_value *value, const char **reason)
{
	const bool is_abs = strcmp(name, "abs") == 0;
	const bool unknown = value->unknown;
	double result;

	*reason = "needs a number";
	if (value->type != ASM_INT && value->type != ASM_FLOAT)
		return false;
	if (is_abs && value->type == ASM_INT) {
		if (value->i < 0)
			value->i = (int64_t) - (uint64_t)value->i;
		return true;
	}
	const double x = value->type == ASM_INT ? (double)value->i : value->f;
	*reason = "is out of range here";
	if (is_abs || apply_math(name, x, &result))
		*value = asm_value_float(is_abs ? fabs(x) : result);
	else if (!round_to_int(name, x, value))
		return false;
	value->unknown = unknown;
	return true;
}

static bool
is_file_reg(const struct asm_value *value, unsigned file)
{
	return value->type == ASM_REG && value->reg.mux < 0 &&
	       (value->reg.read_files | value->reg.write_files) == file;
}

static bool
is_small(const struct asm_value *value)
{
	uint32_t word;

	return asm_value_word(value, &word) && qpu_small_find(word) >= 0;
}

/* The answer of a query, 0 or 1; -1 if there is none of this name. */
static int
answer(const char *name, const struct asm_value *value)
{
	const bool is_reg = value->type == ASM_REG;

	if (strcmp(name, "isConstant") == 0)
		return value->type == ASM_INT || value->type == ASM_FLOAT;
	if (strcmp(name, "isLdPE") == 0)
		return value->type == ASM_ELEMENTS;
	if (strcmp(name, "isRegister") == 0)
		return is_reg;
	if (strcmp(name, "isRegfileA") == 0)
		return is_file_reg(value, ASM_FILE_A);
	if (strcmp(name, "isRegfileB") == 0)
		return is_file_reg(value, ASM_FILE_B);
	if (strcmp(name, "isAccu") == 0)
		return is_reg && value->reg.mux >= 0;
	if (strcmp(name, "isReadable") == 0)
		return is_reg && (value->reg.mux >= 0 || value->reg.read_files);
	if (strcmp(name, "isWritable") == 0)
		return is_reg && value->reg.write_files;
	if (strcmp(name, "isSemaphore") == 0)
		return value->type == ASM_SEMA;
	if (strcmp(name, "isLabel") == 0)
		return value->type == ASM_LABEL;
	if (strcmp(name, "isSmallImmd") == 0)
		return is_small(value);
	return -1;
}

bool
asm_query_exists(const char *name)
{
	const struct asm_value any = { .type = ASM_INT };

	return answer(name, &any) >= 0;
}

/* Only isSmallImmd depends on the value itself, which may still be unknown. */
void
asm_query_apply(const char *name, struct asm_value *value)
{
	const bool unknown = value->unknown && strcmp(name, "isSmallImmd") == 0;

	*value = asm_value_int(answer(name, value));
	value->unknown = unknown;
}
