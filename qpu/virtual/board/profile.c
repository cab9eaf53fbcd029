/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/profile.h"

/* Revisions: hardware reference, section 13; clocks: the firmware's defaults. */
/* clang-format off */
const struct profile profile_rows[] = {
	{ "pi1", "Raspberry Pi Model B Rev 2",
	  "raspberrypi,model-b-rev2", 0x00000e, 512, 700, 250, 250 },
	{ "pi1b+", "Raspberry Pi Model B Plus Rev 1.2",
	  "raspberrypi,model-b-plus", 0x900032, 512, 700, 250, 250 },
	{ "zero", "Raspberry Pi Zero Rev 1.3",
	  "raspberrypi,model-zero", 0x900093, 512, 1000, 400, 300 },
	{ "zerow", "Raspberry Pi Zero W Rev 1.1",
	  "raspberrypi,model-zero-w", 0x9000c1, 512, 1000, 400, 300 },
	{ "pi2", "Raspberry Pi 2 Model B Rev 1.1",
	  "raspberrypi,2-model-b", 0xa01041, 1024, 900, 250, 250 },
	{ "pi2v1.2", "Raspberry Pi 2 Model B Rev 1.2",
	  "raspberrypi,2-model-b-rev2", 0xa02042, 1024, 900, 400, 400 },
	{ "pi3", "Raspberry Pi 3 Model B Rev 1.2",
	  "raspberrypi,3-model-b", 0xa02082, 1024, 1200, 400, 400 },
	{ "pi3b+", "Raspberry Pi 3 Model B Plus Rev 1.3",
	  "raspberrypi,3-model-b-plus", 0xa020d3, 1024, 1400, 400, 400 },
	{ "pi3a+", "Raspberry Pi 3 Model A Plus Rev 1.0",
	  "raspberrypi,3-model-a-plus", 0x9020e0, 512, 1400, 400, 400 },
	{ "zero2", "Raspberry Pi Zero 2 W Rev 1.0",
	  "raspberrypi,model-zero-2-w", 0x902120, 512, 1000, 400, 300 },
	{ "pi4", "Raspberry Pi 4 Model B Rev 1.1",
	  "raspberrypi,4-model-b", 0xa03111, 1024, 1500, 500, 500 },
	{ "pi5", "Raspberry Pi 5 Model B Rev 1.0",
	  "raspberrypi,5-model-b", 0xc04170, 1024, 2400, 910, 960 },
	{ "pc", "", "", 0, 1024, 0, 0, 0 },
	{ .name = NULL }
};
/* clang-format on */

const struct soc *
profile_soc(const struct profile *profile)
{
	return *profile->model ? soc_of_revision(profile->revision) : NULL;
}

/* The address at which memory ends or the peripherals begin. */
static uint32_t
memory_end(const struct profile *profile)
{
	const struct soc *soc = profile_soc(profile);
	const uint32_t end = (uint32_t)profile->memory_mib << 20;

	return soc && soc->peripherals && soc->peripherals < end ?
		       soc->peripherals :
		       end;
}

uint32_t
profile_memory_base(const struct profile *profile, unsigned mib)
{
	return memory_end(profile) - ((uint32_t)mib << 20);
}

unsigned
profile_most_mib(const struct profile *profile)
{
	return (memory_end(profile) >> 20) - PROFILE_ARM_MIB;
}
