/* SPDX-License-Identifier: MIT */
/*
 * finding: reports about a running program that do not stop it.  Each is made
 * once for its rule and code address.
 *
 * Rules 1 to 20 are R1 to R20 of the hardware (section 8); those from 21 on
 * are called C21, C22, ... and are only seen while a program runs.  The manual
 * page of qpurun explains them.
 */
#ifndef QPU_EMULATOR_FINDING_H
#define QPU_EMULATOR_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"

enum emu_rule {
	EMU_RULE_TMU_DEPTH = 21, /* more than 4 requests waiting */
	EMU_RULE_UNDEFINED,	 /* register that was never written */
	EMU_RULE_MUTEX_HELD,	 /* program ended with the mutex */
	EMU_RULE_UNIFORM_LIMIT,	 /* read behind SRQUL */
	EMU_RULE_ALIGNMENT,	 /* DMA address within a word */
	EMU_RULE_VPM_RANGE,	 /* outside the rows of VPMBASE */
	EMU_RULE_LOAD_BUSY,	 /* VPM read under an own DMA load */
	EMU_RULE_STORE_BUSY,	 /* VPM written under a DMA store */
	EMU_RULE_STORE_LEFT,	 /* program ended under its store */
	EMU_RULE_STALE,		 /* TMU lookup of an old line */
	EMU_RULE_TMU_LEFT,	 /* results that were not fetched */
	EMU_RULE_BRANCH_FLAGS,	 /* odd register sets flags (3.9) */
	EMU_RULE_OUTSIDE,	 /* TMU lookup outside of memory */
	EMU_RULE_PITCH,		 /* bits of a DMA pitch that get lost */
	EMU_RULE_NO_VALUE,	 /* register 39, or result of a mul nop */
	EMU_RULES
};

struct emu_qpu;

/* Rules and code addresses that were reported, 0: free. */
struct emu_findings {
	uint64_t *seen; /* null until the first report */
	unsigned nseen;
	machine_report *report;
	void *context;
};

void
emu_findings_free(struct emu_findings *findings);

/* Report a rule at the QPU's instruction, in checking mode only. */
void
emu_note(struct emu_qpu *qpu, unsigned rule);

/* Report a lookup outside of memory: a warning unless checking. */
void
emu_note_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane);

#endif
