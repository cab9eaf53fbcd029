/* SPDX-License-Identifier: MIT */
/*
 * features: what this CPU and its operating system can do, as bits.
 *
 * The environment variable QPU_SHA256SUM_CPU hides features, so that every
 * variant of the engine can be tested on one machine.  It is a list of
 * "-WORD", separated by commas; each hides every feature whose name begins
 * with WORD, and "-all" hides all:
 *
 *	QPU_SHA256SUM_CPU=-sha,-avx512
 */
#ifndef CPU_FEATURES_H
#define CPU_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/diag.h"

enum cpu_feature {
	/* x86 */
	CPU_SSE2 = 1u << 0,
	CPU_SSSE3 = 1u << 1,
	CPU_AVX2 = 1u << 2,
	CPU_AVX512F = 1u << 3,
	CPU_AVX512VL = 1u << 4,
	CPU_AVX512BW = 1u << 5,
	CPU_SHA = 1u << 6,
	/* On this family of CPUs sixteen lanes of AVX-512 were measured to be
	 * faster, or slower, than the SHA extensions.  A CPU with AVX-512 and
	 * SHA but neither of these bits is measured at run time. */
	CPU_FAST512 = 1u << 7,
	CPU_SLOW512 = 1u << 8, /* Zen 4 */
	/* The result of cpu_kernels_measure on such a CPU: sixteen lanes are
	 * faster, from twelve messages on. */
	CPU_WIDE512 = 1u << 9,
	/* ARM */
	CPU_NEON = 1u << 16,
	CPU_SHA2 = 1u << 17,
	/* The CPU is not known to run NEON in two passes of 64 bits. */
	CPU_NEON128 = 1u << 18
};

struct cpu_feature_name {
	uint32_t bit;
	const char *name;
};

/* The features that can be hidden, in the order of the bits; ends with bit 0. */
extern const struct cpu_feature_name cpu_feature_names[];

/* Return the features of this machine, nothing hidden. */
uint32_t
cpu_features_detect(void);

/* Hide features by words of the form above.  Return false and the reason if a word is
 * wrong. */
bool
cpu_features_hide(uint32_t *features, const char *words, struct diag *why_not);

/* Detect the features, and hide those named by the environment.  Return false and the
 * reason if a word there is wrong. */
bool
cpu_features_get(uint32_t *features, struct diag *why_not);

/* The answers of an x86 to CPUID and XGETBV. */
struct cpuid {
	/* Leaf 1: eax holds family, model and stepping. */
	uint32_t leaf1_eax, leaf1_ecx, leaf1_edx;
	/* Leaf 7, subleaf 0. */
	uint32_t leaf7_ebx;
	/* Extended control register 0, low half; 0 where XSAVE is off. */
	uint32_t xcr0;
};

/* Read the answers of this CPU. */
void
cpuid_read(struct cpuid *);

/* Return the features that follow from the answers.  Works on any machine. */
uint32_t
cpu_features_of_x86(const struct cpuid *);

/* The identification of an ARM, by the kernel and a register. */
struct arm_id {
	bool aarch64;
	/* AT_HWCAP and AT_HWCAP2 of getauxval(3). */
	unsigned long hwcap, hwcap2;
	/* The register MIDR_EL1, or 0 if it cannot be read. */
	uint32_t midr;
};

uint32_t
cpu_features_of_arm(const struct arm_id *);

#endif
