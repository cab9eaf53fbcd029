/* SPDX-License-Identifier: MIT */
/*
 * soc: the chips of the Raspberry Pis, and where things are in them.
 *
 * A table of facts (hardware reference, sections 13 and 13.1).
 */
#ifndef QPU_ABI_SOC_H
#define QPU_ABI_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The configuration of the firmware, in messages. */
#define PI_CONFIG "/boot/firmware/config.txt (older systems: /boot/config.txt)"

enum {
	SOC_V3D_OFFSET = 0x00c00000, /* from the peripherals' base */
	SOC_V3D_BYTES = 0x1000,
	SOC_PAGE = 4096,
	/* The top 2 bits of a bus address choose an alias of memory. */
	SOC_PHYSICAL_MASK = 0x3fffffff
};

struct engine_speed;

struct soc {
	const char *name;	/* "BCM2835" */
	const char *compatible; /* "brcm,bcm2835" in the device tree */
	bool videocore4;	/* has QPUs of a VideoCore IV */
	uint32_t peripherals;	/* physical base, as the ARM sees it */
	uint32_t bus_alias;	/* usual one of memory shared with the ARM */
	unsigned processor;	/* bits 15:12 of a board revision */
	unsigned qpu_mhz;	/* at rest */
	/* One core of the ARM: */
	unsigned hash_mb;  /* MB/s that it hashes */
	unsigned copy_mb;  /* MB/s, page cache to shared memory */
	unsigned file_us;  /* to open, read and close a file */
	unsigned look_us;  /* to find the size of a file by its name */
	unsigned start_ms; /* to get shared memory, and a first launch */
};

/* Ends with a row without a name. */
extern const struct soc soc_rows[];

/* Return the chip of a name in "compatible", or NULL. */
const struct soc *
soc_of_compatible(const char *compatible);

/* Return the chip of a board revision, old style or new, or NULL. */
const struct soc *
soc_of_revision(uint32_t revision);

/* Set the rates and times of the CPU. */
void
soc_speed(const struct soc *, struct engine_speed *);

/*
 * Return true if these bytes at a bus address can be memory that the ARM and the
 * QPUs share through this alias: whole pages after the first one, below the
 * peripherals, which hide from the ARM what is at their addresses and above
 * (section 13).
 */
bool
soc_shares(const struct soc *, uint32_t bus_alias, uint32_t bus, size_t bytes);

/* Return the physical address, as the ARM sees it, of a bus address of memory. */
static inline uint32_t
soc_physical(uint32_t bus)
{
	return bus & SOC_PHYSICAL_MASK;
}

/* Return the bus address of memory that the QPUs share with the ARM. */
static inline uint32_t
soc_bus(uint32_t bus_alias, uint32_t physical)
{
	return (physical & SOC_PHYSICAL_MASK) | bus_alias;
}

#endif
