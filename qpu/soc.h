/* SPDX-License-Identifier: MIT */
/*
 * soc: the chips of the Raspberry Pis, and where things are in them.
 *
 * Facts only (videocore-iv.md, sections 13 and 13.1); nothing is looked at.
 */
#ifndef QPU_SOC_H
#define QPU_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SOC_V3D_OFFSET = 0x00c00000,	/* from the peripherals' base */
	SOC_V3D_BYTES = 0x1000,
	/* The top 2 bits of a bus address choose an alias of memory. */
	SOC_PHYSICAL_MASK = 0x3fffffff
};

struct soc {
	const char *name;		/* "BCM2835" */
	const char *compatible;		/* "brcm,bcm2835" in the device tree */
	bool videocore4;		/* has the QPUs this project is for */
	uint32_t peripherals;		/* physical base, as the ARM sees it */
	uint32_t bus_alias;		/* of memory that ARM and QPUs share */
	uint32_t memory_flags;		/* of allocate memory, for that alias */
	unsigned processor;		/* bits 15:12 of a board revision */
	unsigned messages;		/* fewer are faster on the ARM */
};

/* Ends with a row without a name. */
extern const struct soc soc_rows[];

/* NULL when unknown. */
const struct soc *
soc_of_compatible(const char *compatible);

/* Of a board revision, old style or new; NULL when unknown. */
const struct soc *
soc_of_revision(uint32_t revision);

/* Physical address, as the ARM sees it, of a bus address of memory. */
static inline uint32_t
soc_physical(uint32_t bus)
{
	return bus & SOC_PHYSICAL_MASK;
}

/* And back: as the QPUs see memory that they share with the ARM. */
static inline uint32_t
soc_bus(const struct soc *soc, uint32_t physical)
{
	return (physical & SOC_PHYSICAL_MASK) | soc->bus_alias;
}

#endif
