/* SPDX-License-Identifier: MIT */
/*
 * check: hazards that a running program meets (section 8).
 *
 * The static validator finds most of R1 to R19 without running anything; here
 * they are seen with the actual lanes and across computed branches.  R15 and
 * the rules from C21 on are only seen here.
 */
#ifndef QPU_EMULATOR_CHECK_H
#define QPU_EMULATOR_CHECK_H

#include "qpu/emulator/machine.h"

/* To be freed with free(). */
struct emu_check *
emu_check_create(void);

/* A program starts: forget what the QPU did before. */
void
emu_check_start(struct emu_qpu *qpu);

/* Before an instruction that will not stall, and after the last one. */
void
emu_check_inst(struct emu_qpu *qpu);
void
emu_check_end(struct emu_qpu *qpu);

/* The QPU has set up reads of the VPM, or has begun a DMA. */
void
emu_check_setup(struct emu_qpu *qpu);
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

#endif
