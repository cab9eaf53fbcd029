/* SPDX-License-Identifier: MIT */
/*
 * finding: reports of hazards that do not stop the program.  Each is made once
 * for its rule and code address.
 *
 * The rules, with their numbers and texts, are those of qpu/isa/rules.def that
 * have a text for what is seen in a run.
 */
#ifndef QPU_EMULATOR_FINDING_H
#define QPU_EMULATOR_FINDING_H

#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/isa/rules.h"

struct emu_qpu;

struct emu_findings {
	/* Rules and addresses that were reported; null until the first one. */
	uint64_t *seen;
	unsigned nseen;
	machine_report *report;
	void *context;
};

void
emu_findings_free(struct emu_findings *findings);

/* Report a rule at the QPU's instruction, in checking mode only. */
void
emu_report(struct emu_qpu *qpu, enum qpu_rule_number rule);

/* Report a lookup outside of memory: a warning unless checking. */
void
emu_report_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane);

#endif
