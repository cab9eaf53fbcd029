/* SPDX-License-Identifier: MIT */
/*
 * checks: one function for each rule of the validator.
 *
 * Numbers, distances and texts of the rules are in qpu/isa/rules.def.  A rule
 * about one instruction is one about two at a distance of 0.
 */
#ifndef QPU_VALIDATE_CHECKS_H
#define QPU_VALIDATE_CHECKS_H

#include "qpu/validate/validate.h"

struct qpu_use;

/* Two instructions; the second runs `distance` steps after the first. */
struct qpu_pair {
	const struct qpu_inst *first, *inst;
	const struct qpu_use *first_use, *use; /* the registers that they use */
	unsigned distance; /* 0 if both are the same instruction */
};

/*
 * Return a rule's verdict on the second instruction.  The detail names the
 * register or unit in question; a check that has nothing to name leaves it
 * alone.
 */
typedef enum qpu_verdict
qpu_check(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE]);

struct qpu_check_row {
	enum qpu_rule_number rule;
	qpu_check *check;
};

/* Rules about one instruction and about two, each ended by rule 0. */
extern const struct qpu_check_row qpu_single_checks[], qpu_pair_checks[];

/* Return true if the program ends with this instruction and the two after it. */
bool
qpu_ends_program(const struct qpu_inst *inst);

#endif
