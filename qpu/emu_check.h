/* SPDX-License-Identifier: MIT */
/*
 * check: hazards that a running program meets (section 8), reported once for
 * each rule and code address.
 *
 * Rules 1..20 are R1..R20.  The static validator finds most of R1..R19
 * without running anything; here they are seen with the actual lanes, across
 * computed branches, and R15 and R20 are seen at all.
 */
#ifndef QPU_EMU_CHECK_H
#define QPU_EMU_CHECK_H

#include <stdbool.h>

#include "qpu/emu_machine.h"

enum emu_check_rule {
	EMU_CHECK_TMU_DEPTH = 21,	/* more than 4 requests waiting */
	EMU_CHECK_UNDEFINED,		/* register that nobody ever wrote */
	EMU_CHECK_MUTEX_HELD,		/* program ended with the mutex */
	EMU_CHECK_UNIFORM_LIMIT,	/* read behind SRQUL */
	EMU_CHECK_ALIGNMENT,		/* DMA address is no word's */
	EMU_CHECK_VPM_RANGE,		/* outside the rows of VPMBASE */
	EMU_CHECK_LOAD_BUSY,		/* VPM read under an own DMA load */
	EMU_CHECK_STORE_BUSY,		/* VPM written under a DMA store */
	EMU_CHECK_STORE_LEFT,		/* program ended under its store */
	EMU_CHECK_STALE,		/* TMU read of an old line */
	EMU_CHECK_TMU_LEFT,		/* results nobody fetched */
	EMU_CHECK_BRANCH_FLAGS,		/* odd register sets flags (3.9) */
	EMU_CHECKS
};

struct emu_check *
emu_check_create(void);
void
emu_check_destroy(struct emu_check *check);

/* What a rule says; null for one that is not checked here. */
const char *
emu_check_text(unsigned rule);

/* Report a rule at the QPU's instruction, if checking. */
void
emu_check_note(struct emu_qpu *qpu, unsigned rule);

/* A program starts: forget what the QPU did before. */
void
emu_check_start(struct emu_qpu *qpu);

/* Before an instruction that will not stall, and after the last one. */
void
emu_check_inst(struct emu_qpu *qpu);
void
emu_check_end(struct emu_qpu *qpu);

/* DMA transfers began and lookups were made. */
void
emu_check_load(struct emu_qpu *qpu);
void
emu_check_store(struct emu_qpu *qpu);
void
emu_check_lookup(struct emu_qpu *qpu, const emu_vec *addresses);

/* The ARM flushed the caches, as every launch does. */
void
emu_check_flush(struct machine *machine);

/* A taken branch arrives. */
void
emu_check_target(struct emu_qpu *qpu, uint32_t addr);

#endif
