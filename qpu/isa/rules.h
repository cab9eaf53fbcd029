/* SPDX-License-Identifier: MIT */
/*
 * rules: the hazard rules of QPU programs by number, from the table rules.def.
 *
 * The validator finds hazards in code, the emulator's checking mode in a run.
 * Both use these numbers, distances and texts.
 */
#ifndef QPU_ISA_RULES_H
#define QPU_ISA_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct diag;

/* QPU_RULE_END is 7, and so on. */
enum qpu_rule_number {
#define RULE(number, name, nearest, reach, text, seen) QPU_RULE_##name = number,
#include "qpu/isa/rules.def"
	QPU_RULES,	       /* the numbers are less than this */
	QPU_RULE_LAST_R = 20,  /* rules up to here are called R1, R2, ... */
	QPU_RULE_FIRST_C = 21, /* rules from here on are called C21, ... */
};

struct qpu_rule {
	unsigned id;	  /* its number, or 0 without such a rule */
	unsigned nearest; /* distance of two instructions, at least */
	unsigned reach;	  /* and at most */
	const char *text; /* of what is found in code, or null */
	const char *seen; /* of what is found in a run, or null */
};

/* The rules by number; number 0 is none. */
extern const struct qpu_rule qpu_rules[QPU_RULES];

/*
 * The rules about instructions that must exist, by the number of the rule that
 * they belong to; `reach` is how many there must be after the one in question.
 */
extern const struct qpu_rule qpu_slot_rules[QPU_RULES];

/* The rule that a program must end, not only stop. */
extern const struct qpu_rule qpu_open_end_rule;

/* Return the number in a name such as R5 or W200, 0 in "". */
unsigned
qpu_rule_number_of(const char *name);

/* Names such as R5 or W200, as options take them: a letter and a number. */
struct qpu_rule_range {
	char letter; /* 0 ends an array of ranges */
	unsigned first, last;
	unsigned bit; /* that stands for the first one in a set */
};

/*
 * Add a list of names such as "R5,C22" to a set, in which each name has a bit.
 * False, with the reason, for a name that is in no range.
 */
bool
qpu_rules_parse(const char *list, const struct qpu_rule_range *ranges,
		uint64_t *set, struct diag *why);

#endif
