/* SPDX-License-Identifier: MIT */
/*
 * core: the core for any processor, and the choice of one.
 */
#include "config.h"

#define EMU_BYTES 16
#include "qpu/emulator/core_run.h"

/* AVX2 is not worth a core of its own: our kernel takes 5 % less time with it than
 * with portable vectors, and lookups take more; with AVX-512 it takes 35 % less. */
emu_core *
emu_core_select(enum machine_simd simd)
{
	emu_core *core = simd == MACHINE_SIMD_PORTABLE ? run :
							 emu_core_avx512();

	return core || simd != MACHINE_SIMD_BEST ? core : run;
}
