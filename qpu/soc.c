/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/soc.h"

#include <string.h>

#include "qpu/mailbox.h"

/*
 * On a BCM2835 the ARM reads and writes through the L2 cache of the
 * VideoCore, so what is cached there is coherent.  The others do not, and
 * there shared memory must bypass it.
 *
 * How many messages: a lane of the QPUs hashes 2.1 MB/s at 250 MHz (modelled)
 * and 3.4 at 400.  One ARM1176 does 14 with plain C; four Cortex-A7 and A53
 * are estimated at 120 and 260, which nobody has measured.  At least two QPUs
 * are to be full.
 */
const struct soc soc_rows[] = {
	{
		.name = "BCM2835",
		.compatible = "brcm,bcm2835",
		.videocore4 = true,
		.peripherals = 0x20000000,
		.bus_alias = 0x40000000,
		.memory_flags = MAILBOX_MEMORY_L1_NONALLOCATING,
		.processor = 0,
		.messages = 32
	},
	{
		.name = "BCM2836",
		.compatible = "brcm,bcm2836",
		.videocore4 = true,
		.peripherals = 0x3f000000,
		.bus_alias = 0xc0000000,
		.memory_flags = MAILBOX_MEMORY_DIRECT,
		.processor = 1,
		.messages = 64
	},
	{
		.name = "BCM2837",
		.compatible = "brcm,bcm2837",
		.videocore4 = true,
		.peripherals = 0x3f000000,
		.bus_alias = 0xc0000000,
		.memory_flags = MAILBOX_MEMORY_DIRECT,
		.processor = 2,
		.messages = 96
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
