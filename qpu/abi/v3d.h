/* SPDX-License-Identifier: MIT */
/*
 * v3d: registers of the V3D, as offsets from its base, and values that are
 * written to them.  Names are from Broadcom's guide, section 12, and from
 * Linux 6.1, drivers/gpu/drm/vc4/vc4_regs.h.
 */
#ifndef QPU_ABI_V3D_H
#define QPU_ABI_V3D_H

#include <stdint.h>

enum v3d_register {
	V3D_IDENT0 = 0x000, /* IDENT1 and IDENT2 follow */
	V3D_IDENT1 = 0x004,
	V3D_SCRATCH = 0x010,
	V3D_L2CACTL = 0x020,
	V3D_SLCACTL = 0x024,
	V3D_INTCTL = 0x030,
	V3D_CT0CS = 0x100, /* of the rendering list 4 more; likewise below */
	V3D_CT0EA = 0x108,
	V3D_CT0CA = 0x110,
	V3D_BFC = 0x134,
	V3D_RFC = 0x138,
	V3D_SQRSV0 = 0x410,
	V3D_SQRSV1 = 0x414,
	V3D_SRQPC = 0x430,
	V3D_SRQUA = 0x434,
	V3D_SRQUL = 0x438,
	V3D_SRQCS = 0x43c,
	V3D_VPMBASE = 0x504,
	V3D_PCTRC = 0x670,
	V3D_PCTRE = 0x674,
	V3D_PCTR0 = 0x680, /* each counter is followed by its PCTRS */
	V3D_PCTRS15 = 0x6fc,
	V3D_DBQITE = 0xe2c,
	V3D_DBQITC = 0xe30,
	V3D_ERRSTAT = 0xf20,
};

/* Bits of INTCTL. */
enum v3d_interrupt {
	V3D_INT_FRAME_DONE = 1,
	V3D_INT_FLUSH_DONE = 2,
	V3D_INT_OUT_OF_MEMORY = 4,
};

/* L2CACTL and SLCACTL: clear the L2 cache, the caches of all texture units, and
 * all caches of the slices. */
#define V3D_L2_CLEAR UINT32_C(4)
#define V3D_SLICES_CLEAR_TMUS UINT32_C(0x0f0f0000)
#define V3D_SLICES_CLEAR_ALL UINT32_C(0x0f0f0f0f)

#endif
