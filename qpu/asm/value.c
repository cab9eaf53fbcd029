/* SPDX-License-Identifier: MIT */
/*
 * value: constructors, conversions, the operators; functions of the C library,
 * and abs, ceil and floor, which keep or give integers; isRegister(x) and its
 * like.
 *
 * Integers are 64 bits wide in expressions and wrap; shifts by more than 63
 * give what shifting one by one would give.
 */
#include "config.h"

#include "qpu/asm/value.h"

#include <math.h>
#include <string.h>

#include "qpu/asm/source.h"
#include "qpu/isa/isa.h"

static bool
find_semaphore(const char *name, struct asm_value *value)
{
	const bool acquire = strncmp(name, "sacq", 4) == 0;

	if (!acquire && strncmp(name, "srel", 4) != 0)
		return false;
	const int number = asm_reg_number(name + 4);
	if (number < 0 || number > 15)
		return false;
	*value = (struct asm_value){
		.type = ASM_SEMA,
		.acquire = acquire,
		.i = number,
	};
	return true;
}

bool
asm_value_find_reg(const char *name, struct asm_value *value)
{
	struct asm_value found = { .type = ASM_REG };

	if (!asm_reg_find(name, &found.reg))
		return find_semaphore(name, value);
	*value = found;
	return true;
}

bool
asm_value_word(const struct asm_value *value, uint32_t *word)
{
	if (value->type == ASM_FLOAT) {
		const float f = (float)value->f;

		memcpy(word, &f, sizeof(*word));
		return true;
	}
	if (value->type != ASM_INT)
		return false;
	*word = (uint32_t)value->i;
	return value->i >= INT32_MIN && value->i <= UINT32_MAX;
}

static double
real_of(const struct asm_value *value)
{
	return value->type == ASM_INT ? (double)value->i : value->f;
}

bool
asm_value_unary(uint32_t op, struct asm_value *value, const char **reason)
{
	*reason = "this operator needs a number";
	if (!asm_value_is_number(value))
		return op == '+';
	switch (op) {
	case '+': return true;
	case '-':
		if (value->type == ASM_FLOAT)
			value->f = -value->f;
		else
			value->i = (int64_t) - (uint64_t)value->i;
		return true;
	case '!':
		value->i = value->type == ASM_FLOAT ? value->f == 0 :
						      value->i == 0;
		value->type = ASM_INT;
		return true;
	default:
		*reason = "~ needs an integer";
		value->i = ~value->i;
		return value->type == ASM_INT;
	}
}

/* Left shift by any count; negative counts shift right. */
static int64_t
shift(int64_t value, int64_t count, bool logical)
{
	if (count >= 64)
		return 0;
	if (count >= 0)
		return (int64_t)((uint64_t)value << count);
	if (count <= -64)
		return logical || value >= 0 ? 0 : -1;
	if (logical)
		return (int64_t)((uint64_t)value >> -count);
	return value >> -count;
}

static uint32_t
rotate_left(uint32_t value, unsigned count)
{
	count &= 31;
	return count ? value << count | value >> (32 - count) : value;
}

static int64_t
power(int64_t base, int64_t exponent)
{
	uint64_t factor = base;
	uint64_t result = 1;

	if (exponent < 0)
		return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result *= factor;
		factor *= factor;
	}
	return (int64_t)result;
}

/* The operators that only integers have. */
static bool
binary_int(uint32_t op, int64_t *left, int64_t right, const char **reason)
{
	const uint64_t a = *left;
	const uint64_t b = right;
	const int64_t negated = (int64_t)-b;

	switch (op) {
	case '+': *left = a + b; break;
	case '-': *left = a - b; break;
	case '*': *left = a * b; break;
	case '&': *left = a & b; break;
	case '|': *left = a | b; break;
	case '^': *left = a ^ b; break;
	case ASM_OP2('!', '^'): *left = ~(a ^ b); break;
	case '/':
	case '%':
		*reason = "division by zero";
		if (!right)
			return false;
		if (right == -1) /* INT64_MIN / -1 traps */
			*left = op == '/' ? (int64_t)-a : 0;
		else
			*left = op == '/' ? *left / right : *left % right;
		break;
	case ASM_OP2('*', '*'): *left = power(*left, right); break;
	case ASM_OP2('<', '<'): *left = shift(*left, right, false); break;
	case ASM_OP2('>', '>'): *left = shift(*left, negated, false); break;
	case ASM_OP3('<', '<', '<'): *left = shift(*left, right, true); break;
	case ASM_OP3('>', '>', '>'): *left = shift(*left, negated, true); break;
	case ASM_OP3('>', '<', '<'): *left = rotate_left(a, b); break;
	default: *left = rotate_left(a, -b); break; /* >>< */
	}
	return true;
}

static bool
binary_float(uint32_t op, struct asm_value *left, double right,
	     const char **reason)
{
	const double a = real_of(left);

	left->type = ASM_FLOAT;
	switch (op) {
	case '+': left->f = a + right; return true;
	case '-': left->f = a - right; return true;
	case '*': left->f = a * right; return true;
	case '/': left->f = a / right; return true;
	case '%': left->f = fmod(a, right); return true;
	case ASM_OP2('*', '*'): left->f = pow(a, right); return true;
	case ASM_OP2('<', '<'): left->f = a * exp2(right); return true;
	case ASM_OP2('>', '>'): left->f = a * exp2(-right); return true;
	default: *reason = "this operator needs integers"; return false;
	}
}

/* Sum or difference, wrapping. */
static int64_t
offset(uint32_t op, int64_t left, int64_t right)
{
	return op == '+' ? (uint64_t)left + (uint64_t)right :
			   (uint64_t)left - (uint64_t)right;
}

/* -1, 0 or 1; values of different kinds are ordered by their kind. */
static int
compare(const struct asm_value *a, const struct asm_value *b)
{
	if (asm_value_is_number(a) && asm_value_is_number(b)) {
		if (a->type == ASM_INT && b->type == ASM_INT)
			return (a->i > b->i) - (a->i < b->i);
		return (real_of(a) > real_of(b)) - (real_of(a) < real_of(b));
	}
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->type == ASM_ELEMENTS)
		return (a->elements > b->elements) -
		       (a->elements < b->elements);
	if (a->type == ASM_REG)
		return asm_value_same_source(a, b) &&
				       a->reg.write_files ==
					       b->reg.write_files &&
				       a->reg.rotate == b->reg.rotate &&
				       a->reg.pack.part == b->reg.pack.part ?
			       0 :
		       a->reg.addr < b->reg.addr ? -1 :
						   1;
	if (a->acquire != b->acquire)
		return a->acquire ? 1 : -1;
	return (a->i > b->i) - (a->i < b->i);
}

static bool
truth(const struct asm_value *value)
{
	return value->type == ASM_FLOAT ? value->f != 0 : value->i != 0;
}

/* Comparisons and the logical operators; false when op is none of them. */
static bool
binary_logic(uint32_t op, const struct asm_value *left,
	     const struct asm_value *right, int64_t *result)
{
	const int order = compare(left, right);

	switch (op) {
	case '<': *result = order < 0; return true;
	case '>': *result = order > 0; return true;
	case ASM_OP2('<', '='): *result = order <= 0; return true;
	case ASM_OP2('>', '='): *result = order >= 0; return true;
	case ASM_OP3('<', '=', '>'): *result = order; return true;
	case ASM_OP2('=', '='): *result = order == 0; return true;
	case ASM_OP2('!', '='): *result = order != 0; return true;
	case ASM_OP3('=', '=', '='):
		*result = order == 0 && left->type == right->type;
		return true;
	case ASM_OP3('!', '=', '='):
		*result = order != 0 || left->type != right->type;
		return true;
	default: break;
	}
	if (!asm_value_is_number(left) || !asm_value_is_number(right))
		return false;
	switch (op) {
	case ASM_OP2('&', '&'): *result = truth(left) && truth(right); break;
	case ASM_OP2('|', '|'): *result = truth(left) || truth(right); break;
	case ASM_OP2('^', '^'): *result = truth(left) != truth(right); break;
	case ASM_OP3('!', '^', '^'):
		*result = truth(left) == truth(right);
		break;
	default: return false;
	}
	return true;
}

/* reg + n is another register, reg << n one whose lanes are rotated. */
static bool
binary_reg(uint32_t op, struct asm_reg *reg, const struct asm_value *right,
	   const char **reason)
{
	const bool shifts = op == ASM_OP2('<', '<') || op == ASM_OP2('>', '>');

	if (shifts && right->type == ASM_REG && right->reg.mux == 5) {
		reg->rotate = ASM_ROTATE_R5;
		return true;
	}
	*reason = "a register takes + n, - n, << n, >> n, << r5 or >> r5 only";
	if (right->type != ASM_INT)
		return false;
	if (shifts) {
		/*
		 * As a source, << n takes the lanes from n higher up: the
		 * hardware's rotation upwards by 16 - n.
		 */
		const uint64_t n = right->i;

		reg->rotate = (op == ASM_OP2('<', '<') ? -n : n) & 15;
		return true;
	}
	if (op != '+' && op != '-')
		return false;

	*reason = "no such register";
	const int limit = reg->mux >= 0 ? 3 : 31;
	const int number = reg->mux >= 0 ? reg->mux : reg->addr;
	const int64_t wanted = offset(op, number, right->i);
	if (number > limit || wanted < 0 || wanted > limit)
		return false;
	reg->addr += wanted - number;
	if (reg->mux >= 0)
		reg->mux = wanted;
	return true;
}

static bool
binary_label(uint32_t op, struct asm_value *left, const struct asm_value *right,
	     const char **reason)
{
	*reason = "a label takes + n and - n, two labels only -";
	if (op == '-' && right->type == ASM_LABEL) {
		left->i = offset('-', left->i, right->i);
		left->type = ASM_INT;
		return true;
	}
	if (right->type != ASM_INT || (op != '+' && op != '-'))
		return false;
	left->i = offset(op, left->i, right->i);
	return true;
}

bool
asm_value_binary(uint32_t op, struct asm_value *left,
		 const struct asm_value *right, const char **reason)
{
	int64_t result;

	left->unknown |= right->unknown;
	left->address |= right->address;
	*reason = "these operands do not fit the operator";
	if (binary_logic(op, left, right, &result)) {
		const bool unknown = left->unknown, address = left->address;

		*left = asm_value_int(result);
		left->unknown = unknown;
		left->address = address;
		return true;
	}
	switch (left->type) {
	case ASM_REG: return binary_reg(op, &left->reg, right, reason);
	case ASM_LABEL: return binary_label(op, left, right, reason);
	case ASM_SEMA:
		if (right->type != ASM_INT || (op != '+' && op != '-'))
			return false;
		left->i = offset(op, left->i, right->i);
		*reason = "semaphores are numbered 0 to 15";
		return left->i >= 0 && left->i < 16;
	case ASM_INT:
		if (right->type == ASM_LABEL && op == '+') {
			const struct asm_value bytes = *left;

			*left = *right;
			left->i = offset('+', left->i, bytes.i);
			left->unknown = bytes.unknown;
			return true;
		}
		if (right->type == ASM_INT)
			return binary_int(op, &left->i, right->i, reason);
		break;
	default: break;
	}
	if (!asm_value_is_number(left) || !asm_value_is_number(right))
		return false;
	return binary_float(op, left, real_of(right), reason);
}

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

bool
asm_math_apply(const char *name, struct asm_value *value, const char **reason)
{
	const bool is_abs = strcmp(name, "abs") == 0;
	const bool unknown = value->unknown, address = value->address;
	double result;

	*reason = "needs a number";
	if (!asm_value_is_number(value))
		return false;
	if (is_abs && value->type == ASM_INT) {
		if (value->i < 0)
			value->i = (int64_t) - (uint64_t)value->i;
		return true;
	}
	const double x = real_of(value);
	*reason = "is out of range here";
	if (is_abs || apply_math(name, x, &result)) {
		*value = asm_value_float(is_abs ? fabs(x) : result);
	} else {
		result = *name == 'c' ? ceil(x) : floor(x);
		if (!(fabs(result) < 0x1p62))
			return false;
		*value = asm_value_int((int64_t)result);
	}
	value->unknown = unknown;
	value->address = address;
	return true;
}

static bool
is_file_reg(const struct asm_value *value, unsigned file)
{
	return value->type == ASM_REG && value->reg.mux < 0 &&
	       (value->reg.read_files | value->reg.write_files) == file;
}

/* The answer of a query, 0 or 1; -1 if there is none of this name. */
static int
answer(const char *name, const struct asm_value *value)
{
	const bool is_reg = value->type == ASM_REG;
	uint32_t word;

	if (strcmp(name, "isConstant") == 0)
		return asm_value_is_number(value);
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
		return asm_value_word(value, &word) &&
		       qpu_small_find(word) >= 0;
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
