/* SPDX-License-Identifier: MIT */
/*
 * profile: the boards that the virtual device can play, as a table.
 */
#ifndef QPU_VIRTUAL_BOARD_PROFILE_H
#define QPU_VIRTUAL_BOARD_PROFILE_H

#include <stdint.h>

#include "qpu/abi/soc.h"

enum {
	/* At least this much memory is left to programs of the ARM. */
	PROFILE_ARM_MIB = 16,
	/* With this much GPU memory or less the firmware is a reduced one,
	 * without 3D and without a service for /dev/vcsm-cma. */
	PROFILE_CUT_DOWN_MIB = 16
};

/* The serial number of every board, in firmware, device tree and cpuinfo. */
#define PROFILE_SERIAL UINT64_C(0x0000000012345678)

struct profile {
	const char *name;	/* value of --board */
	const char *model;	/* of the device tree; "" = no Raspberry Pi */
	const char *compatible; /* its first entry */
	uint32_t revision;
	unsigned memory_mib;
	unsigned arm_mhz, core_mhz, v3d_mhz;
};

/* Ends with a row without a name; the first one is the usual board. */
extern const struct profile profile_rows[];

/* NULL when the board is not a Raspberry Pi. */
const struct soc *
profile_soc(const struct profile *);

/* Physical address of GPU memory of `mib` MiB, which is at the end of the
 * board's memory. */
uint32_t
profile_memory_base(const struct profile *, unsigned mib);

/* The most that GPU memory and the CMA below it can have together. */
unsigned
profile_most_mib(const struct profile *);

#endif
