/* SPDX-License-Identifier: MIT */
/*
 * validate: hazards that can be seen without running the program.
 *
 * The rules are those of qpu/isa/rules.def that have a text.
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

#include "qpu/isa/rules.h"

struct qpu_inst;

enum qpu_verdict { QPU_FINE, QPU_WARNING, QPU_HAZARD };

enum { QPU_DETAIL_SIZE = 128 };

struct qpu_hazard {
	const struct qpu_rule *rule; /* a row of qpu_rules or qpu_slot_rules */
	enum qpu_verdict verdict;
	size_t index;		      /* the instruction that is wrong */
	size_t cause;		      /* the earlier instruction, or the same */
	char detail[QPU_DETAIL_SIZE]; /* the register or unit: "ra5", or "" */
};

/* The limit for the callers of a subroutine that are followed, and for the ways
 * to an instruction with branches pending. */
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
