/* SPDX-License-Identifier: MIT */
/*
 * profile: the boards that the virtual device can play, and the operating systems
 * that can run on it, as tables: the nodes these have, who may open them, and how
 * their kernel waits.
 */
#ifndef QPU_PI_PROFILE_H
#define QPU_PI_PROFILE_H

#include <stdbool.h>
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

/* --- Systems -------------------------------------------------------------------- */

enum {
	SYSTEM_GROUP_ROOT = 0,
	SYSTEM_GROUP_KMEM = 15,
	SYSTEM_GROUP_VIDEO = 44,
	SYSTEM_GROUP_RENDER = 106
};

/*
 * A user is root; a member of the group video; neither; or the first user of a
 * system, whom its installer or image has put into video, and into render where
 * the row of the system says so.
 */
enum system_user { SYSTEM_ROOT, SYSTEM_VIDEO, SYSTEM_NOBODY, SYSTEM_FIRST };

/* Permissions of a node and its group; mode 0 = no such node. */
struct system_node {
	unsigned mode, group;
};

enum system_bits {
	SYSTEM_BITS_HERE, /* as the machine that runs qpuemu */
	SYSTEM_BITS_32,
	SYSTEM_BITS_64,	 /* runs on boards with a 64-bit CPU only */
	SYSTEM_BITS_BEST /* 64 where the CPU can, else 32 */
};

struct system {
	const char *name; /* value of --system */
	enum system_bits bits;
	struct system_node vcio, vcsm;
	struct system_node heap; /* /dev/dma_heap/linux,cma */
	bool misc;		 /* /dev/vcio is a misc device */
	bool mainline;		 /* the device tree always enables the V3D */
	bool blacklist;		 /* the module of /dev/vcsm-cma is not loaded */
	unsigned kernel_ms; /* how long the kernel waits for the firmware */
	bool kms;	    /* the kernel's driver has the V3D */
	unsigned kernel;    /* 601 is Linux 6.1 */
	unsigned cma_mib;   /* for buffers, with the kernel's driver */
	struct system_node render; /* /dev/dri/renderD128 */
	bool first_renders;	   /* the first user is in the group render */
};

/* Ends with a row without a name; the first one is the default. */
extern const struct system system_rows[];

/* Return true if the system runs on this chip. */
bool
system_runs_on(const struct system *, const struct soc *);

/* Return true if its kernel has 64 bits there. */
bool
system_has_64_bits(const struct system *, const struct soc *);

/* Return the CPU's name for uname(2), or NULL for this machine's. */
const char *
system_machine(const struct system *, const struct soc *);

/* Return true if a user of the system may open a node for reading and writing. */
bool
system_may_open(const struct system *, const struct system_node *,
		enum system_user);

#endif
