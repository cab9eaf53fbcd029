/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/profile.h"

#include <string.h>

/* Revisions: hardware reference, section 13; clocks: the firmware's defaults. */
/* clang-format off */
const struct profile profile_rows[] = {
	{ "pi1", "Raspberry Pi Model B Rev 2",
	  "raspberrypi,model-b-rev2", 0x00000e, 512, 700, 250, 250 },
	{ "pi1b+", "Raspberry Pi Model B Plus Rev 1.2",
	  "raspberrypi,model-b-plus", 0x900032, 512, 700, 250, 250 },
	{ "pi1a", "Raspberry Pi Model A Rev 2",
	  "raspberrypi,model-a", 0x000008, 256, 700, 250, 250 },
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

/* --- Systems ------------------------------------------------------------------- */

/*
 * Images as their users get them, with a kernel of their last update, and
 * distributions with a kernel of their own.  Since
 * raspberrypi-sys-mods 20260612 /dev/vcio is for root only.  The kernel's
 * timeout is 3 s since May 2025.
 */
/* clang-format off */
#define VIDEO  { 0660, SYSTEM_GROUP_VIDEO }
#define ROOT   { 0600, SYSTEM_GROUP_ROOT }
#define RENDER { 0660, SYSTEM_GROUP_RENDER }
#define ALL    { 0666, SYSTEM_GROUP_RENDER }
#define NONE   { 0, 0 }
/* An image of Raspberry Pi, with the overlay vc4-kms-v3d. */
#define DESKTOP(version) .kms = true, .kernel = version, .cma_mib = 256, \
	.render = RENDER, .first_renders = true
/* An image without that overlay, in case its owner adds it. */
#define NO_DESKTOP(version) .kernel = version, .cma_mib = 256, \
	.render = RENDER, .first_renders = true
/* A distribution with its own kernel. */
#define MAINLINE(version, mib) .bits = SYSTEM_BITS_BEST, .mainline = true, \
	.vcio = NONE, .vcsm = NONE, .kernel_ms = 3000, .kms = true, \
	.kernel = version, .cma_mib = mib
const struct system system_rows[] = {
	{ .name = "plain", .vcio = VIDEO, .vcsm = VIDEO, .kernel_ms = 1000,
	  NO_DESKTOP(601) },
	{ .name = "buster", .bits = SYSTEM_BITS_32,
	  .vcio = VIDEO, .vcsm = VIDEO, .kernel_ms = 1000, NO_DESKTOP(510) },
	{ .name = "bullseye", .bits = SYSTEM_BITS_32, .misc = true,
	  .vcio = VIDEO, .vcsm = VIDEO, .heap = VIDEO,
	  .kernel_ms = 1000, DESKTOP(601) },
	{ .name = "bookworm32", .bits = SYSTEM_BITS_32, .misc = true,
	  .vcio = VIDEO, .vcsm = VIDEO, .heap = VIDEO,
	  .kernel_ms = 3000, DESKTOP(612) },
	{ .name = "bookworm64", .bits = SYSTEM_BITS_64, .misc = true,
	  .vcio = VIDEO, .vcsm = VIDEO, .heap = VIDEO,
	  .kernel_ms = 3000, DESKTOP(612) },
	{ .name = "trixie", .bits = SYSTEM_BITS_BEST, .misc = true,
	  .vcio = ROOT, .vcsm = VIDEO, .heap = VIDEO,
	  .kernel_ms = 3000, DESKTOP(618) },
	{ .name = "dietpi", .bits = SYSTEM_BITS_BEST, .misc = true,
	  .vcio = ROOT, .vcsm = NONE, .heap = ROOT,
	  .blacklist = true, .kernel_ms = 3000, NO_DESKTOP(612) },
	{ .name = "mainline", MAINLINE(612, 64), .render = RENDER },
	{ .name = "debian", MAINLINE(612, 64), .render = RENDER },
	{ .name = "fedora", MAINLINE(617, 64), .render = ALL },
	{ .name = "ubuntu", MAINLINE(608, 256), .render = RENDER },
	{ .name = NULL }
};
/* clang-format on */

/* Chips with a Cortex-A53 or later. */
static bool
has_64_bits(const struct soc *soc)
{
	return soc && strcmp(soc->name, "BCM2835") != 0 &&
	       strcmp(soc->name, "BCM2836") != 0;
}

bool
system_runs_on(const struct system *system, const struct soc *soc)
{
	return system->bits != SYSTEM_BITS_64 || has_64_bits(soc);
}

bool
system_has_64_bits(const struct system *system, const struct soc *soc)
{
	return has_64_bits(soc) && (system->bits == SYSTEM_BITS_HERE ?
					    sizeof(void *) == 8 :
					    system->bits != SYSTEM_BITS_32);
}

const char *
system_machine(const struct system *system, const struct soc *soc)
{
	if (system->bits == SYSTEM_BITS_HERE || !soc)
		return NULL;
	if (system->bits != SYSTEM_BITS_32 && has_64_bits(soc))
		return "aarch64";
	return strcmp(soc->name, "BCM2835") == 0 ? "armv6l" : "armv7l";
}

/* Return true if the user is a member of the group. */
static bool
is_member(const struct system *system, enum system_user user, unsigned group)
{
	switch (group) {
	case SYSTEM_GROUP_VIDEO:
		return user == SYSTEM_VIDEO || user == SYSTEM_FIRST;
	case SYSTEM_GROUP_RENDER:
		return user == SYSTEM_FIRST && system->first_renders;
	default: return false;
	}
}

bool
system_may_open(const struct system *system, const struct system_node *node,
		enum system_user user)
{
	return user == SYSTEM_ROOT || (node->mode & 06) == 06 ||
	       ((node->mode & 060) == 060 &&
		is_member(system, user, node->group));
}
