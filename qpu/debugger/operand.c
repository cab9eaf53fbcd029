/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool
bus_address_parse(const char *text, const char **end, uint32_t *addr)
{
	char *stop;
	unsigned long long value;

	/* strtoull would take a sign and blanks. */
	if (!strchr("0123456789abcdefABCDEF", *text) || !*text)
		return false;
	value = strtoull(text, &stop, 16);
	*end = stop;
	*addr = value;
	return value <= UINT32_MAX;
}

static const char *
skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static bool
parse_index(const char **text, unsigned limit, unsigned *index)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return false;
	value = strtoul(*text, &end, 10);
	if (value >= limit)
		return false;
	*text = end;
	*index = value;
	return true;
}

static bool
parse_lane(const char **text, struct operand *operand)
{
	const char *at = *text + 1;

	if (**text != '[')
		return true;
	if (!parse_index(&at, MACHINE_LANES, &operand->lane) || *at != ']')
		return false;
	operand->has_lane = true;
	*text = at + 1;
	return true;
}

static bool
parse_register(const char **text, struct operand *operand)
{
	const char *at = *text;
	unsigned limit = 32;

	if (*at++ != 'r')
		return false;
	operand->kind = OPERAND_REGISTER;
	if (*at == 'a' || *at == 'b') {
		operand->file = *at++ == 'b';
	} else {
		operand->file = 2;
		limit = 6;
	}
	if (!parse_index(&at, limit, &operand->number) ||
	    !parse_lane(&at, operand))
		return false;
	*text = at;
	return true;
}

static bool
parse_memory(const char **text, struct operand *operand)
{
	const char *end;

	if (**text != '[' ||
	    !bus_address_parse(skip_blanks(*text + 1), &end, &operand->value))
		return false;
	end = skip_blanks(end);
	if (*end != ']')
		return false;
	operand->kind = OPERAND_MEMORY;
	*text = end + 1;
	return true;
}

static bool
parse_number(const char **text, struct operand *operand)
{
	const size_t length = strspn(*text, "+-.0123456789abcdefxABCDEFX");
	const bool hex = strncasecmp(*text, "0x", 2) == 0;
	char *end;
	long long value;

	operand->kind = OPERAND_NUMBER;
	if (!hex && memchr(*text, '.', length)) {
		const float real = strtof(*text, &end);

		memcpy(&operand->value, &real, sizeof(real));
	} else {
		value = strtoll(*text, &end, hex ? 16 : 10);
		if (value < INT32_MIN || value > UINT32_MAX)
			return false;
		operand->value = value;
	}
	if (end == *text || end != *text + length)
		return false;
	*text = end;
	return true;
}

bool
operand_parse(const char **text, struct operand *operand, struct diag *why)
{
	const char *at = skip_blanks(*text);

	memset(operand, 0, sizeof(*operand));
	if (parse_register(&at, operand) || parse_memory(&at, operand) ||
	    parse_number(&at, operand)) {
		*text = at;
		return true;
	}
	return diag_set(
		why,
		"'%s' is no register (ra0 to ra31, rb0 to rb31, r0 to r5; a "
		"lane is ra3[15]), [ADDR] or number",
		*text);
}

bool
operand_read(const struct operand *operand, struct machine *machine,
	     unsigned qpu, uint32_t *value)
{
	const void *bytes;

	switch (operand->kind) {
	case OPERAND_NUMBER: *value = operand->value; return true;
	case OPERAND_REGISTER:
		*value = machine_register(machine, qpu, operand->file,
					  operand->number)[operand->lane];
		return true;
	case OPERAND_MEMORY: break;
	}
	bytes = machine_memory(machine, operand->value, sizeof(*value));
	if (bytes)
		memcpy(value, bytes, sizeof(*value));
	return bytes;
}

bool
operand_write(const struct operand *operand, struct machine *machine,
	      unsigned qpu, uint32_t value)
{
	uint32_t *lanes;
	void *bytes;

	switch (operand->kind) {
	case OPERAND_NUMBER: return false;
	case OPERAND_REGISTER:
		lanes = machine_register(machine, qpu, operand->file,
					 operand->number);
		for (unsigned i = 0; i < MACHINE_LANES; i++)
			if (!operand->has_lane || i == operand->lane)
				lanes[i] = value;
		return true;
	case OPERAND_MEMORY: break;
	}
	bytes = machine_memory(machine, operand->value, sizeof(value));
	if (bytes)
		memcpy(bytes, &value, sizeof(value));
	return bytes;
}

/* A relation stands before those that it begins with. */
static const struct {
	char text[3];
	unsigned relation;
} relations[] = {
	{ "==", RELATION_EQUAL },
	{ "!=", RELATION_LESS | RELATION_MORE },
	{ "<=", RELATION_LESS | RELATION_EQUAL },
	{ ">=", RELATION_EQUAL | RELATION_MORE },
	{ "<", RELATION_LESS },
	{ ">", RELATION_MORE },
};

bool
condition_parse(const char *text, struct condition *condition, struct diag *why)
{
	size_t i = 0;

	if (!operand_parse(&text, &condition->left, why))
		return false;
	text = skip_blanks(text);
	while (i < sizeof(relations) / sizeof(*relations) &&
	       strncmp(text, relations[i].text, strlen(relations[i].text)))
		i++;
	if (i == sizeof(relations) / sizeof(*relations))
		return diag_set(
			why,
			"'%s' does not begin with == != < <= > or >=", text);
	condition->relation = relations[i].relation;
	text += strlen(relations[i].text);
	if (!operand_parse(&text, &condition->right, why))
		return false;
	text = skip_blanks(text);
	return !*text || diag_set(why, "'%s' follows the condition", text);
}

bool
condition_holds(const struct condition *condition, struct machine *machine,
		unsigned qpu)
{
	uint32_t words[2];

	if (!operand_read(&condition->left, machine, qpu, &words[0]) ||
	    !operand_read(&condition->right, machine, qpu, &words[1]))
		return false;
	const int32_t left = words[0], right = words[1];

	return condition->relation & (left < right  ? RELATION_LESS :
				      left == right ? RELATION_EQUAL :
						      RELATION_MORE);
}
