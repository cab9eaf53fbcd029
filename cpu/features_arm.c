/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/features_arm.h"

#include "cpu/features.h"

#if defined __arm__ || defined __aarch64__
#include <sys/auxv.h>
#endif

/* Linux, Documentation/arch/arm64/elf_hwcaps.rst, and uapi/asm/hwcap.h. */
enum {
	HWCAP64_ASIMD = 1 << 1,
	HWCAP64_SHA2 = 1 << 6,
	HWCAP64_CPUID = 1 << 11,
	HWCAP32_NEON = 1 << 12,
	HWCAP32_2_SHA2 = 1 << 3
};

/*
 * The Architecture Reference Manual, MIDR_EL1: implementer and part.  These
 * cores run the 128 bits of NEON in two passes of 64 (their Software
 * Optimization Guides; LLVM's model of the Cortex-A53 has it too).
 */
static bool
has_narrow_neon(uint32_t midr)
{
	enum { ARM = 0x41, A53 = 0xd03, A35 = 0xd04, A55 = 0xd05 };
	const uint32_t part = midr >> 4 & 0xfff;

	return midr >> 24 == ARM && (part == A53 || part == A35 || part == A55);
}

uint32_t
cpu_features_of_arm(const struct arm_id *id)
{
	uint32_t found = 0;

	if (id->aarch64) {
		found |= id->hwcap & HWCAP64_ASIMD ? CPU_NEON : 0;
		found |= id->hwcap & HWCAP64_SHA2 ? CPU_SHA2 : 0;
	} else {
		found |= id->hwcap & HWCAP32_NEON ? CPU_NEON : 0;
		found |= id->hwcap2 & HWCAP32_2_SHA2 ? CPU_SHA2 : 0;
	}
	if (found & CPU_NEON && !has_narrow_neon(id->midr))
		found |= CPU_NEON128;
	return found;
}

#if defined __arm__ || defined __aarch64__

/* The kernel plays the register for us, by a trap; without SHA-2 instructions
 * it decides something. */
static uint32_t
read_midr(unsigned long hwcap)
{
	uint64_t midr = 0;

#ifdef __aarch64__
	if (hwcap & HWCAP64_CPUID && !(hwcap & HWCAP64_SHA2))
		__asm__("mrs %0, midr_el1" : "=r"(midr));
#else
	(void)hwcap;
#endif
	return (uint32_t)midr;
}

void
arm_id_read(struct arm_id *id)
{
	*id = (struct arm_id){ .aarch64 = sizeof(void *) == 8,
			       .hwcap = getauxval(AT_HWCAP),
			       .hwcap2 = getauxval(AT_HWCAP2) };
	id->midr = read_midr(id->hwcap);
}

#endif
