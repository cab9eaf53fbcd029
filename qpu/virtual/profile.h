/* SPDX-License-Identifier: MIT */
/*
 * profile: the boards that the virtual device can play, as a table.
 */
#ifndef QPU_VIRTUAL_PROFILE_H
#define QPU_VIRTUAL_PROFILE_H

#include <stdint.h>

#include "qpu/soc.h"

enum {
	/* What the kernel has for /dev/vcsm-cma, right below GPU memory. */
	PROFILE_KERNEL_BYTES = 64 << 20,
	/* What is left for programs of the ARM, at the least. */
	PROFILE_ARM_MIB = 16
};

struct profile {
	const char *name;	/* what --board is given */
	const char *model;	/* of the device tree; "" = no Raspberry Pi */
	const char *compatible;	/* its first entry */
	uint32_t revision;
	unsigned memory_mib;
	unsigned arm_mhz, core_mhz, v3d_mhz;
};

/* Ends with a row without a name; the first one is the usual board. */
extern const struct profile profile_rows[];

/* NULL when unknown. */
const struct profile *
profile_of_name(const char *name);

/* NULL when the board is none of ours. */
const struct soc *
profile_soc(const struct profile *);

/* Physical address of the first byte of `mib` of GPU memory, at the end. */
uint32_t
profile_memory_base(const struct profile *, unsigned mib);

/* How much of its memory may be GPU memory. */
unsigned
profile_most_mib(const struct profile *);

#endif
