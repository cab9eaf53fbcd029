/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stddef.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

#include "qpu/emulator/base/float.h"

#define EMU_NAME(name) name##_portable
#define EMU_TARGET
#define EMU_BYTES 16
#include "qpu/emulator/alu_template.h"
#include "qpu/emulator/core_template.h"
#undef EMU_NAME
#undef EMU_TARGET
#undef EMU_BYTES

#if defined __x86_64__ || defined __i386__

#define EMU_NAME(name) name##_avx512
#define EMU_TARGET                                                             \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd")))
#define EMU_BYTES 64
#include "qpu/emulator/alu_template.h"
#include "qpu/emulator/core_template.h"
#undef EMU_NAME
#undef EMU_TARGET
#undef EMU_BYTES

/* Bits of CPUID's leaves 1 and 7 (Intel's manual, volume 2). */
enum {
	LEAF1_ECX_OSXSAVE = 1 << 27,
	/* F, DQ, CD, BW; VL, bit 31, does not fit an enum. */
	LEAF7_EBX_AVX512 = 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30,
	/* Volume 1, 13.3: state components that the system switches. */
	XCR0_AVX512 = 0xe6,
};
static const uint32_t LEAF7_EBX_AVX512VL = UINT32_C(1) << 31;

/*
 * Return the core if the processor has all these features and the system saves
 * their registers.  CPUID traps in a virtual machine, so it is asked when a machine
 * is created, and not by a constructor at each start of the program, which
 * the compiler's own way (__builtin_cpu_supports) would link in.
 */
static emu_core *
select_avx512(void)
{
	const uint32_t needed = LEAF7_EBX_AVX512 | LEAF7_EBX_AVX512VL;
	uint32_t eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) ||
	    !(ecx & LEAF1_ECX_OSXSAVE))
		return NULL;
	__asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	if ((eax & XCR0_AVX512) != XCR0_AVX512 ||
	    !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) ||
	    (ebx & needed) != needed)
		return NULL;
	return run_avx512;
}

#else

static emu_core *
select_avx512(void)
{
	return NULL;
}

#endif

/* AVX2 is not worth a core of its own: our kernel takes 5 % less time with it than
 * with portable vectors, and lookups take more; with AVX-512 it takes 35 % less. */
emu_core *
emu_core_select(enum machine_simd simd)
{
	emu_core *core = simd == MACHINE_SIMD_PORTABLE ? run_portable :
							 select_avx512();

	return core || simd != MACHINE_SIMD_BEST ? core : run_portable;
}
