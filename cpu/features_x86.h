/* SPDX-License-Identifier: MIT */
/*
 * features_x86: what CPUID and XGETBV say of an x86, as enum cpu_feature.
 * Only reading it needs an x86; the rest is the same everywhere.
 */
#ifndef CPU_FEATURES_X86_H
#define CPU_FEATURES_X86_H

#include <stdint.h>

struct cpuid {
	/* Leaf 1: eax holds family, model and stepping. */
	uint32_t leaf1_eax, leaf1_ecx, leaf1_edx;
	/* Leaf 7, subleaf 0. */
	uint32_t leaf7_ebx;
	/* Extended control register 0, low half; 0 where XSAVE is off. */
	uint32_t xcr0;
};

/* Read what the CPU that runs this says. */
void
cpuid_read(struct cpuid *);

/* Bits of enum cpu_feature. */
uint32_t
cpu_features_of_x86(const struct cpuid *);

#endif
