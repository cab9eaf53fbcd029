/* SPDX-License-Identifier: MIT */
/*
 * features_arm: what the kernel and the registers say of an ARM, as enum
 * cpu_feature.  Only reading it needs an ARM.
 */
#ifndef CPU_FEATURES_ARM_H
#define CPU_FEATURES_ARM_H

#include <stdbool.h>
#include <stdint.h>

struct arm_id {
	bool aarch64;
	/* AT_HWCAP and AT_HWCAP2 of getauxval(3). */
	unsigned long hwcap, hwcap2;
	/* The register MIDR_EL1; 0 where it cannot be read. */
	uint32_t midr;
};

/* Read what the CPU that runs this says. */
void
arm_id_read(struct arm_id *);

/* Bits of enum cpu_feature. */
uint32_t
cpu_features_of_arm(const struct arm_id *);

#endif
