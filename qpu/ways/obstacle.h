/* SPDX-License-Identifier: MIT */
/*
 * obstacle: what may be in the way of the QPUs, and what an owner is told: a
 * remedy in one line, and the commands that do what it says.
 */
#ifndef QPU_WAYS_OBSTACLE_H
#define QPU_WAYS_OBSTACLE_H

#include <stdbool.h>

#include "src/base/diag.h"

enum obstacle {
	USABLE,	   /* nothing is in the way */
	NO_PI,	   /* not a Raspberry Pi */
	OTHER_GPU, /* Pi 4 and later */
	/* The firmware's way, in the order in which they are looked for: */
	OTHER_KERNEL,	/* one that always gives the V3D to its driver */
	KMS,		/* the kernel's driver owns the V3D */
	NO_MAILBOX,	/* no /dev/vcio */
	VCIO_FOR_GROUP, /* a node that a group may open, not this user */
	VCIO_FOR_ROOT,	/* a node that only root may open */
	LITTLE_MEMORY,	/* gpu_mem is too small, and so is the firmware */
	NO_ANSWER,	/* of the firmware */
	NO_MODULE,	/* no vc_sm_cma */
	/* The kernel's way; where nodes differ, the last one counts: */
	NO_NODE,	 /* vc4 has no render node, and not the GPU */
	NO_NODE_OF_VC4,	 /* vc4 has the GPU, and no render node */
	DRM_NO_DEVICE,	 /* a file of that name is no device of its kind */
	DRM_CANNOT_OPEN, /* for another reason */
	DRM_FOR_GROUP,	 /* a group may open it, and this user is not in it */
	DRM_FOR_ROOT,	 /* only root may open it */
	DRM_NO_V3D	 /* a vc4 that drives displays only */
};

/* One thing that is in the way. */
struct finding {
	enum obstacle obstacle;
	char detail[256]; /* the file, node or board that it is about */
	char more[64];	  /* the group of a node, or an error */
};

/* The remedy in one line. */
void
obstacle_explain(const struct finding *, struct diag *);

enum { OBSTACLE_COMMANDS_BYTES = 512 };

/* The commands of the remedy, each with a newline.  False: there are none. */
bool
obstacle_commands(const struct finding *,
		  char commands[OBSTACLE_COMMANDS_BYTES]);

#endif
