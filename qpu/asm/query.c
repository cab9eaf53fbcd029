/* SPDX-License-Identifier: MIT */
/*
 * query: isRegister(x) and its like, by name.
 */
#include "config.h"

#include "qpu/asm/query.h"

#include <stddef.h>
#include <string.h>

#include "qpu/asm/value.h"
#include "qpu/isa/isa.h"

static bool
is_file_reg(const struct asm_value *value, unsigned file)
{
	return value->type == ASM_REG && value->reg.mux < 0 &&
	       (value->reg.read_files | value->reg.write_files) == file;
}

static bool
is_constant(const struct asm_value *value)
{
	return value->type == ASM_INT || value->type == ASM_FLOAT;
}

static bool
is_small(const struct asm_value *value)
{
	uint32_t word;

	return asm_value_word(value, &word) && qpu_small_find(word) >= 0;
}

/* The queries that foreign sources define with raw register constants. */
bool
asm_query_answer(const char *name, const struct asm_value *value)
{
	const bool is_reg = value->type == ASM_REG;

	if (strcmp(name, "isConstant") == 0)
		return is_constant(value);
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
	return is_small(value); /* isSmallImmd */
}

bool
asm_query_exists(const char *name)
{
	static const char *const names[] = {
		"isConstant",  "isLdPE",  "isRegister",	 "isRegfileA",
		"isRegfileB",  "isAccu",  "isReadable",	 "isWritable",
		"isSemaphore", "isLabel", "isSmallImmd",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}
