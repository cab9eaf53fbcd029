/* SPDX-License-Identifier: MIT */
/*
 * board: which Raspberry Pi this is, and why its QPUs can or cannot be used.
 *
 * Only looks: reads the device tree, sysfs and the permissions of nodes, and
 * opens no device.  Reading one of these files never waits.
 */
#ifndef QPU_BOARD_H
#define QPU_BOARD_H

#include <stdbool.h>

#include "qpu/soc.h"
#include "src/diag.h"

/* Where remedies are to be written. */
#define BOARD_CONFIG "/boot/firmware/config.txt (once /boot/config.txt)"

/* What stands in the way, the first of these. */
enum board_obstacle {
	BOARD_USABLE,
	BOARD_NO_PI,		/* not a Raspberry Pi */
	BOARD_OTHER_GPU,	/* Pi 4 and later */
	BOARD_KMS,		/* the kernel's driver owns the V3D */
	BOARD_NO_MAILBOX,	/* no /dev/vcio */
	BOARD_NO_PERMISSION,	/* /dev/vcio is not for this user */
	BOARD_NO_MEMORY_NODE	/* no way to map GPU memory */
};

/* How memory that both see can be had. */
enum board_memory {
	BOARD_NO_MEMORY,
	BOARD_VCSM,		/* /dev/vcsm-cma */
	BOARD_DEV_MEM		/* the mailbox, mapped through /dev/mem */
};

struct board {
	char model[64];			/* of the device tree; "" if none */
	const struct soc *soc;		/* NULL when unknown */
	enum board_obstacle obstacle;
	enum board_memory memory;
};

/*
 * Look below `root` ("" for this machine; tests have trees of their own).
 * True if the QPUs seem usable; else *why_not is one line with the remedy.
 */
bool
board_look(const char *root, struct board *board, struct diag *why_not);

#endif
