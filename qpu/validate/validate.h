/* SPDX-License-Identifier: MIT */
/*
 * validate: hazards that can be seen without running the program.
 *
 * The rules have the numbers of section 8 of the hardware reference; the table
 * in qpu/asm/README.md says what each is about and where it is checked.
 *
 * Distances count executed instructions: through delay slots, to both
 * successors of a branch, around loops.  Where a branch goes to a register, it
 * is followed to the return addresses of all branches that link to that
 * register; a hazard found on such a way is reported as a warning.
 */
#ifndef QPU_VALIDATE_VALIDATE_H
#define QPU_VALIDATE_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>

struct qpu_inst;
struct qpu_use;

enum qpu_verdict { QPU_FINE, QPU_WARNING, QPU_HAZARD };

enum { QPU_DETAIL_SIZE = 128 };

/* An instruction and the registers that it uses. */
struct qpu_step {
	const struct qpu_inst *inst;
	const struct qpu_use *use;
};

/* Two instructions, the second of which runs distance steps after the first. */
struct qpu_pair {
	struct qpu_step first;
	struct qpu_step then;
	unsigned distance; /* 0: both are the same instruction */
};

/*
 * A rule about one instruction, or about two.  The detail names the register
 * or unit in question; it is left alone when there is nothing to name.
 */
typedef enum qpu_verdict
qpu_single_check(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE]);
typedef enum qpu_verdict
qpu_pair_check(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE]);

struct qpu_rule {
	unsigned id;
	const char *section; /* of the hardware reference */
	unsigned nearest;    /* distances of a pair; 0 is the same one */
	unsigned reach;	     /* also of what must exist behind */
	qpu_single_check *single;
	qpu_pair_check *pair;
	const char *text;
};

extern const struct qpu_rule qpu_single_rules[]; /* ended by id 0 */
extern const struct qpu_rule qpu_pair_rules[];

/*
 * Here the single check says that the reach instructions behind must exist;
 * it is a hazard when the program ends, or data begin, before.
 */
extern const struct qpu_rule qpu_slot_rules[];

struct qpu_hazard {
	const struct qpu_rule *rule;
	enum qpu_verdict verdict;
	size_t index;	    /* instruction that is wrong */
	size_t cause;	    /* the earlier one, or the same */
	const char *detail; /* "ra5", "r4", ..., or "" */
};

/* Callers of one subroutine that its return is followed to, and ways to one
 * instruction with branches pending. */
enum { QPU_WAYS_MAX = 64 };

typedef void
qpu_hazard_sink(void *context, const struct qpu_hazard *hazard);

/*
 * Check n words; is_inst may be null when all are instructions.  Each rule is
 * reported once for an instruction (a warning may be followed by the hazard),
 * in the order of the causes.  *complete becomes false when there are more ways
 * through the program than are followed (more than QPU_WAYS_MAX callers of one
 * subroutine, or branches in delay slots of branches everywhere), so that the
 * time grows with n.  False when memory ran out.
 */
bool
qpu_validate(const struct qpu_inst *insts, const bool *is_inst, size_t n,
	     qpu_hazard_sink *sink, void *context, bool *complete);

#endif
