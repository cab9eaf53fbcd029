/* SPDX-License-Identifier: MIT */
/*
 * validate: hazards that can be seen without running the program.
 *
 * The rules are numbered as in section 8 of the hardware reference:
 *
 *	R1 .. R6	distances between two instructions	validate_pair.c
 *	R7, R8		thread end, branches			validate_pair.c
 *	R9 .. R14	combinations in one instruction		validate_single.c
 *	R15		VPM read counts				emulator
 *	R16		B read beside a small immediate		asm_fit.c; an
 *			unused immediate			validate_single.c
 *	R17		pack and unpack without effect		validate_single.c
 *	R18		threaded shaders only			nowhere
 *	R19		semaphore writes			validate_single.c
 *	R20		branch target alignment			asm_jump.c,
 *			validate_single.c, and the emulator
 *
 * Distances count executed instructions: through delay slots, to both
 * successors of a branch, around loops.  Where a register decides, the
 * return addresses of all branches that link to that register are tried, and
 * what is found so is a warning.
 */
#ifndef QPU_VALIDATE_H
#define QPU_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>

struct qpu_inst;
struct qpu_use;

enum qpu_verdict { QPU_FINE, QPU_WARNING, QPU_HAZARD };

enum { QPU_DETAIL_SIZE = 128 };

/* A rule about one instruction, or about two and the steps between them. */
typedef enum qpu_verdict
qpu_single_check(const struct qpu_inst *inst, const struct qpu_use *use,
		 char detail[QPU_DETAIL_SIZE]);
typedef enum qpu_verdict
qpu_pair_check(const struct qpu_inst *first, const struct qpu_use *first_use,
	       const struct qpu_inst *then, const struct qpu_use *then_use,
	       unsigned distance, char detail[QPU_DETAIL_SIZE]);

struct qpu_rule {
	unsigned id;
	const char *section;	/* of the hardware reference */
	unsigned nearest;	/* distances of a pair; 0 is the same one */
	unsigned reach;
	qpu_single_check *single;
	qpu_pair_check *pair;
	const char *text;
};

extern const struct qpu_rule qpu_single_rules[];	/* ended by id 0 */
extern const struct qpu_rule qpu_pair_rules[];

struct qpu_hazard {
	const struct qpu_rule *rule;
	enum qpu_verdict verdict;
	size_t index;		/* instruction that is wrong */
	size_t cause;		/* the earlier one, or the same */
	const char *detail;	/* "ra5", "r4", ..., or "" */
};

typedef void qpu_hazard_sink(void *context, const struct qpu_hazard *hazard);

/*
 * Check n words; is_inst may be null when all are instructions.  Each rule is
 * reported once for an instruction (a warning may be followed by the hazard),
 * in the order of the causes.  False when memory ran out.
 */
bool qpu_validate(const struct qpu_inst *insts, const bool *is_inst, size_t n,
		  qpu_hazard_sink *sink, void *context);

#endif
