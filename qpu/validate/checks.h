/* SPDX-License-Identifier: MIT */
/*
 * checks: one function for each rule of the validator, in tables that are
 * ended by rule 0.
 *
 * single.c has the rules about one instruction, pair.c those about two of which
 * the second runs up to three steps after the first.  Numbers, distances and
 * texts of the rules are in qpu/isa/rules.def.
 */
#ifndef QPU_VALIDATE_CHECKS_H
#define QPU_VALIDATE_CHECKS_H

#include "qpu/validate/validate.h"

struct qpu_use;

/* An instruction and the registers that it uses. */
struct qpu_step {
	const struct qpu_inst *inst;
	const struct qpu_use *use;
};

/* Two instructions, the second of which runs `distance` steps after the first. */
struct qpu_pair {
	struct qpu_step first;
	struct qpu_step then;
	unsigned distance; /* 0: both are the same instruction */
};

/*
 * What a rule says of one instruction, or of two.  The detail names the
 * register or unit in question; a check that has nothing to name leaves it
 * alone.
 */
typedef enum qpu_verdict
qpu_single_check(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE]);
typedef enum qpu_verdict
qpu_pair_check(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE]);

struct qpu_single_row {
	enum qpu_rule_number rule;
	qpu_single_check *check;
};

struct qpu_pair_row {
	enum qpu_rule_number rule;
	qpu_pair_check *check;
};

extern const struct qpu_single_row qpu_single_checks[];
extern const struct qpu_pair_row qpu_pair_checks[];

/*
 * The rules of qpu_slot_rules.  A check that does not answer QPU_FINE asks for
 * the instructions that run after this one.
 */
extern const struct qpu_single_row qpu_slot_checks[];

/* Does the program end with this instruction and the two after it? */
bool
qpu_ends_program(const struct qpu_inst *inst);

#endif
