/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/isa/rules.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/diag.h"

const struct qpu_rule qpu_rules[QPU_RULES] = {
#define RULE(number, name, nearest, reach, text, seen)                         \
	[number] = { number, nearest, reach, text, seen },
#include "qpu/isa/rules.def"
};

const struct qpu_rule qpu_slot_rules[QPU_RULES] = {
#define SLOTS(number, name, instructions, text)                                \
	[number] = { number, 1, instructions, text, NULL },
#include "qpu/isa/rules.def"
};

const struct qpu_rule qpu_open_end_rule = {
#define OPEN_END(number, name, text) number, 0, 0, text, NULL
#include "qpu/isa/rules.def"
};

unsigned
qpu_rule_number_of(const char *name)
{
	return *name ? (unsigned)strtoul(name + 1, NULL, 10) : 0;
}

/* The number after a letter, of at most two digits, or three from 100 on; or 0.
 */
static unsigned
parse_number(const char *digits, size_t len)
{
	unsigned number = 0;

	if (len < 1 || len > 3)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)digits[i]))
			return 0;
		number = 10 * number + (unsigned)(digits[i] - '0');
	}
	return len < 3 || number >= 100 ? number : 0;
}

/* Add a name of len bytes; false if no range has it. */
static bool
add_name(const char *name, size_t len, const struct qpu_rule_range *ranges,
	 uint64_t *set)
{
	const unsigned number = len ? parse_number(name + 1, len - 1) : 0;

	for (; number && ranges->letter; ranges++)
		if (toupper((unsigned char)*name) == ranges->letter &&
		    number >= ranges->first && number <= ranges->last) {
			*set |= UINT64_C(1)
				<< (number - ranges->first + ranges->bit);
			return true;
		}
	return false;
}

static bool
refuse_name(const char *name, size_t len, const struct qpu_rule_range *ranges,
	    struct diag *why)
{
	char names[128] = "";

	for (const struct qpu_rule_range *range = ranges; range->letter;
	     range++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 range->first == range->last ? "%s%c%u" :
						       "%s%c%u to %c%u",
			 range == ranges ? "" : " and ", range->letter,
			 range->first, range->letter, range->last);
	return diag_set(why, "'%.*s' is not a rule: there are %s",
			(int)(len < 32 ? len : 32), name, names);
}

bool
qpu_rules_parse(const char *list, const struct qpu_rule_range *ranges,
		uint64_t *set, struct diag *why)
{
	for (;;) {
		const size_t len = strcspn(list, ",");

		if (!add_name(list, len, ranges, set))
			return refuse_name(list, len, ranges, why);
		if (!list[len])
			return true;
		list += len + 1;
	}
}
