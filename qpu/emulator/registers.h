/* SPDX-License-Identifier: MIT */
/*
 * registers: the V3D block as the ARM sees it (section 12), with the event
 * counters.
 */
#ifndef QPU_EMULATOR_REGISTERS_H
#define QPU_EMULATOR_REGISTERS_H

#include <stdint.h>

#include "qpu/abi/v3d.h"
#include "qpu/emulator/machine.h"

void
emu_registers_reset(struct machine *machine);

/* The bits of SLCACTL for the caches of all texture units. */
#define EMU_SLCACTL_TMUS UINT32_C(0x07070000)

/*
 * Clear the V3D's L2 cache, or caches of its slices: `which` is a value of
 * SLCACTL, a byte for each kind of cache with a bit for each slice.
 */
void
emu_clear_l2(struct machine *machine);
void
emu_clear_slices(struct machine *machine, uint32_t which);

/* Programs begin: if some caches were not cleared for them, these hold words from
 * now on. */
void
emu_caches_used(struct machine *machine);

/* All QPUs and all rows of the VPM are for user programs. */
void
emu_registers_release(struct machine *machine);

#endif
