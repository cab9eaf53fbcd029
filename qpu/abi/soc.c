/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/abi/soc.h"

#include <string.h>

#include "src/base/engine.h"

/*
 * On a BCM2835 the ARM accesses memory through the L2 cache of the VideoCore,
 * which is therefore coherent.  On the others it does not, and shared memory
 * must bypass that cache.
 *
 * Speeds are modelled or estimated, none is measured.  Hashing: our own code
 * as llvm-mca models the cores (17.6 cycles a byte with NEON on a Cortex-A53);
 * published 14 to 33 MB/s for an ARM1176.  All else is estimated: copying at
 * half the speed of memory; 12 MiB of shared memory, which the kernel clears,
 * for the start.
 */
/* clang-format off */
const struct soc soc_rows[] = {
	{
		.name = "BCM2835",
		.compatible = "brcm,bcm2835",
		.videocore4 = true,
		.peripherals = 0x20000000,
		.bus_alias = 0x40000000,
		.processor = 0,
		.qpu_mhz = 250,
		.hash_mb = 20,
		.copy_mb = 300,
		.file_us = 50,
		.look_us = 12,
		.start_ms = 60
	},
	{
		.name = "BCM2836",
		.compatible = "brcm,bcm2836",
		.videocore4 = true,
		.peripherals = 0x3f000000,
		.bus_alias = 0xc0000000,
		.processor = 1,
		.qpu_mhz = 250,
		.hash_mb = 45,
		.copy_mb = 700,
		.file_us = 24,
		.look_us = 6,
		.start_ms = 30
	},
	{
		.name = "BCM2837",
		.compatible = "brcm,bcm2837",
		.videocore4 = true,
		.peripherals = 0x3f000000,
		.bus_alias = 0xc0000000,
		.processor = 2,
		.qpu_mhz = 300,
		.hash_mb = 70,
		.copy_mb = 1100,
		.file_us = 14,
		.look_us = 4,
		.start_ms = 20
	},
	{
		.name = "BCM2711",
		.compatible = "brcm,bcm2711",
		.peripherals = 0xfe000000,
		.processor = 3
	},
	{
		.name = "BCM2712",
		.compatible = "brcm,bcm2712",
		.processor = 4
	},
	{ .name = NULL }
};
/* clang-format on */

void
soc_speed(const struct soc *soc, struct engine_speed *speed)
{
	speed->core_rate = soc->hash_mb * 1e6;
	speed->copy_rate = soc->copy_mb * 1e6;
	speed->file_seconds = soc->file_us * 1e-6;
	speed->look_seconds = soc->look_us * 1e-6;
	speed->start_seconds = soc->start_ms * 1e-3;
}

const struct soc *
soc_of_compatible(const char *compatible)
{
	for (const struct soc *row = soc_rows; row->name; row++)
		if (strcmp(row->compatible, compatible) == 0)
			return row;
	return NULL;
}

const struct soc *
soc_of_revision(uint32_t revision)
{
	const bool new_style = revision >> 23 & 1;
	const unsigned processor = new_style ? revision >> 12 & 15 : 0;

	for (const struct soc *row = soc_rows; row->name; row++)
		if (row->processor == processor)
			return row;
	return NULL;
}

bool
soc_shares(const struct soc *soc, uint32_t bus_alias, uint32_t bus,
	   size_t bytes)
{
	const uint32_t physical = soc_physical(bus);

	return bus == soc_bus(bus_alias, physical) && physical > 0 &&
	       physical % SOC_PAGE == 0 && bytes > 0 && bytes % SOC_PAGE == 0 &&
	       bytes <= soc->peripherals &&
	       physical <= soc->peripherals - bytes;
}
