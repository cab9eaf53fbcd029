/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/emu_core.h"

#include "qpu/emu_float.h"
#include "qpu/emu_pack.h"
#include "qpu/emu_port.h"

#define EMU_NAME(name) name##_portable
#define EMU_TARGET
#define EMU_BYTES 16
#include "qpu/emu_alu_template.h"
#include "qpu/emu_core_template.h"
#undef EMU_NAME
#undef EMU_TARGET
#undef EMU_BYTES

#if defined __x86_64__ || defined __i386__

#define EMU_NAME(name) name##_avx2
#define EMU_TARGET __attribute__((target("avx2")))
#define EMU_BYTES 32
#include "qpu/emu_alu_template.h"
#include "qpu/emu_core_template.h"
#undef EMU_NAME
#undef EMU_TARGET
#undef EMU_BYTES

#define EMU_NAME(name) name##_avx512
#define EMU_TARGET \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd")))
#define EMU_BYTES 64
#include "qpu/emu_alu_template.h"
#include "qpu/emu_core_template.h"
#undef EMU_NAME
#undef EMU_TARGET
#undef EMU_BYTES

static emu_core *
select_avx2(void)
{
	return __builtin_cpu_supports("avx2") ? run_avx2 : NULL;
}

static emu_core *
select_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512cd") ? run_avx512 : NULL;
}

#else

static emu_core *
select_avx2(void)
{
	return NULL;
}

static emu_core *
select_avx512(void)
{
	return NULL;
}

#endif

emu_core *
emu_core_select(enum machine_simd simd)
{
	emu_core *core = NULL;

	if (simd == MACHINE_SIMD_PORTABLE)
		return run_portable;
	if (simd != MACHINE_SIMD_AVX2)
		core = select_avx512();
	if (!core && simd != MACHINE_SIMD_AVX512)
		core = select_avx2();
	return core || simd != MACHINE_SIMD_BEST ? core : run_portable;
}
