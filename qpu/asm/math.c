/* SPDX-License-Identifier: MIT */
/*
 * math: functions of the C library, and abs, ceil and floor, which keep or
 * give integers.
 */
#include "config.h"

#include "qpu/asm/math.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "qpu/asm/value.h"

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
	if (!is_abs && !apply_math(name, x, &result))
		return round_to_int(name, x, value);
	*value = asm_value_float(is_abs ? fabs(x) : result);
	return true;
}
