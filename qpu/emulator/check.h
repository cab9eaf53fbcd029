/* SPDX-License-Identifier: MIT */
/*
 * check: hazards that a running program meets (section 8).
 *
 * The static validator finds most of R1 to R19 without running anything; here
 * they are seen with the actual lanes and across computed branches.  R15, R20
 * and the C-rules (finding.h) are only seen here.
 */
#ifndef QPU_EMULATOR_CHECK_H
#define QPU_EMULATOR_CHECK_H

#include <stdbool.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/timing.h"

/* Null timing is the default: the sizes of caches. */
struct emu_check *
emu_check_create(const struct machine_timing *timing);
void
emu_check_destroy(struct emu_check *check);

/* A program starts: forget what the QPU did before. */
void
emu_check_start(struct emu_qpu *qpu);

/* Before an instruction that will not stall, and after the last one. */
void
emu_check_inst(struct emu_qpu *qpu);
void
emu_check_end(struct emu_qpu *qpu);

/* DMA transfers began. */
void
emu_check_load(struct emu_qpu *qpu);
void
emu_check_store(struct emu_qpu *qpu);

/*
 * Fetch through the caches of a texture unit of the QPU's slice.  Returns the
 * lanes whose address is outside of memory, a bit each; they get noise.
 */
unsigned
emu_check_lookup(struct emu_qpu *qpu, unsigned unit, const emu_vec *addresses,
		 emu_vec *words);

/* The caches were cleared, as in emu_timed_clear_l2 and _slices. */
void
emu_check_clear_l2(struct emu_check *check);
void
emu_check_clear_slices(struct emu_check *check, uint32_t which);

/* A taken branch arrives. */
void
emu_check_target(struct emu_qpu *qpu, uint32_t addr);

#endif
