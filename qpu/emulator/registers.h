/* SPDX-License-Identifier: MIT */
/*
 * registers: the V3D block as the ARM sees it (section 12), with the event
 * counters.
 */
#ifndef QPU_EMULATOR_REGISTERS_H
#define QPU_EMULATOR_REGISTERS_H

#include <stdint.h>

#include "qpu/emulator/machine.h"

enum emu_register {
	EMU_IDENT0 = 0x000,
	EMU_IDENT1 = 0x004,
	EMU_SCRATCH = 0x010,
	EMU_L2CACTL = 0x020,
	EMU_SLCACTL = 0x024,
	EMU_INTCTL = 0x030,
	EMU_INTENA = 0x034,
	EMU_INTDIS = 0x038,
	EMU_CT0CS = 0x100, /* of the rendering list 4 more; likewise below */
	EMU_CT0EA = 0x108,
	EMU_CT0CA = 0x110,
	EMU_CT00RA0 = 0x118,
	EMU_PCS = 0x130,
	EMU_BFC = 0x134,
	EMU_RFC = 0x138,
	EMU_BPCA = 0x300,
	EMU_BPCS = 0x304,
	EMU_BPOA = 0x308,
	EMU_BPOS = 0x30c,
	EMU_SQRSV0 = 0x410,
	EMU_SQRSV1 = 0x414,
	EMU_SRQPC = 0x430,
	EMU_SRQUA = 0x434,
	EMU_SRQUL = 0x438,
	EMU_SRQCS = 0x43c,
	EMU_VPMBASE = 0x504,
	EMU_PCTRC = 0x670,
	EMU_PCTRE = 0x674,
	EMU_PCTR0 = 0x680,
	EMU_PCTRS15 = 0x6fc,
	EMU_DBQITE = 0xe2c,
	EMU_DBQITC = 0xe30,
	EMU_ERRSTAT = 0xf20,
};

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
