/* SPDX-License-Identifier: MIT */
/*
 * vcio_nodes: can the QPUs of this Raspberry Pi be used by way of the firmware,
 * and with which memory?  If not, what is in the way?
 *
 * Reads the device tree, sysfs and the permissions of the nodes.  It opens no
 * device, and none of these reads can block.
 */
#ifndef QPU_WAYS_VCIO_NODES_H
#define QPU_WAYS_VCIO_NODES_H

#include <stdbool.h>

#include "qpu/ways/board.h"
#include "qpu/ways/obstacle.h"
#include "src/base/diag.h"

struct vcio_nodes {
	struct board board;
	struct finding finding; /* the first thing that is in the way */
	/* A heap whose memory is cached, "/dev/dma_heap/linux,cma"; NULL: memory
	 * comes from /dev/vcsm-cma. */
	const char *heap;
};

/* Look at the files below `root` (board.h).  True if nothing is in the way of
 * the QPUs; else *why_not is one line with the remedy. */
bool
vcio_nodes_look(const char *root, struct vcio_nodes *, struct diag *why_not);

#endif
