/* SPDX-License-Identifier: MIT */
/*
 * host: which Raspberry Pi this is, files of its system that both ways to the
 * QPUs look at, the obstacles to using the QPUs, and their remedies.
 *
 * Nothing here opens a device, and no read can block.
 */
#ifndef QPU_WAYS_HOST_H
#define QPU_WAYS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/abi/soc.h"
#include "src/base/diag.h"
#include "src/base/facts.h"

struct engine_speed;

enum obstacle {
	USABLE,	   /* usable as it is */
	NO_PI,	   /* not a Raspberry Pi */
	OTHER_GPU, /* Pi 4 and later */
	/* The firmware's way: */
	OTHER_KERNEL,	/* one that always gives the V3D to its driver */
	KMS,		/* the kernel's driver owns the V3D */
	NO_MAILBOX,	/* no /dev/vcio */
	VCIO_FOR_GROUP, /* a node that a group may open, not this user */
	VCIO_FOR_ROOT,	/* a node that only root may open */
	LITTLE_MEMORY,	/* gpu_mem is too small, and so is the firmware */
	NO_ANSWER,	/* of the firmware */
	NO_MODULE,	/* no vc_sm_cma */
	/* The kernel's way: */
	NO_NODE,	 /* no render node: vc4 does not have the GPU */
	SMALL_BOARD,	 /* no render node: vc4 cannot have the GPU */
	NO_NODE_OF_VC4,	 /* vc4 has the GPU, but has made no render node */
	DRM_NO_DEVICE,	 /* the file is not a device of its kind */
	DRM_CANNOT_OPEN, /* for another reason */
	DRM_FOR_GROUP,	 /* a group may open it, and this user is not in it */
	DRM_FOR_ROOT,	 /* only root may open it */
	DRM_NO_V3D	 /* a vc4 that drives displays only */
};

/* An obstacle to using the QPUs. */
struct finding {
	enum obstacle obstacle;
	char detail[256]; /* the file, node or board that it is about */
	char more[64];	  /* the group of a node, or an error */
};

struct host {
	char model[64];	       /* as in the device tree; "" = none */
	const struct soc *soc; /* NULL when unknown */
	uint32_t bus_alias;    /* of memory shared with the ARM */
};

/* Identify the board. Return false with *finding if it has no VideoCore IV. */
bool
host_identify(struct host *, struct finding *finding);

/* Read a small regular file, and end it with NUL.  Return its length, or -1. */
int
host_read(const char *path, char *text, size_t size);

bool
host_has(const char *path);

/* Return true if this user may read and write it. */
bool
host_may_open(const char *path);

/* Return true if the board has 256 MiB by its revision: the firmware gives the
 * V3D to the kernel's driver with 512 MiB or more. */
bool
host_is_small(void);

/* The owner of the V3D by the device tree. */
enum v3d_owner { V3D_FREE, V3D_OF_OVERLAY, V3D_OF_KERNEL };
enum v3d_owner
host_v3d_owner(void);

/* Return the path of the firmware's configuration, "/boot/firmware/config.txt". */
const char *
host_config(void);

/* Return true if a group other than root's may read and write a node of this
 * mode. Then finding->more is its name, or the usual one if it has none. */
bool
host_group_may_open(unsigned mode, unsigned gid, const char *usual,
		    struct finding *finding);

/* Return a figure of this machine's /proc/meminfo about the kernel's contiguous
 * memory (CMA), "CmaFree:", in KiB, or -1. */
long
host_contiguous_kib(const char *name);

/* Explain how much contiguous memory is left and how to get more. */
void
host_explain_contiguous(struct diag *);

/* Set the expected speed of this board but for its device's rate.  Return the clock
 * of its QPUs at rest in MHz, or 0 if it has none. */
unsigned
host_speed(struct engine_speed *);

/* What an obstacle shows of the kernel's driver: there is none for a VideoCore IV,
 * it does not drive the GPU yet, or it does. */
enum driver_gpu { DRIVER_NONE, DRIVER_WITHOUT_GPU, DRIVER_HAS_GPU };

enum driver_gpu obstacle_gpu(enum obstacle);

/* Return true if one render node's obstacle is more specific than another's. */
bool
obstacle_is_more_specific(enum obstacle one, enum obstacle other);

/* Set the remedy, in one line. */
void
obstacle_explain(const struct finding *, struct diag *);

enum { OBSTACLE_COMMANDS_BYTES = 512 };

/* Set the commands of the remedy, each with a newline, or "" if it has none.
 * Return false if there is no remedy. */
bool
obstacle_commands(const struct finding *,
		  char commands[OBSTACLE_COMMANDS_BYTES]);

/* Add the board's own facts for --list-devices=details. */
void
host_add_facts(struct facts *, const struct host *);

/* Add facts of the system: memory for devices, kernel, these nodes, and the next
 * step before this user can use the QPUs. */
void
host_add_system(struct facts *, const char *const *nodes, unsigned nnodes,
		const struct finding *);

#endif
