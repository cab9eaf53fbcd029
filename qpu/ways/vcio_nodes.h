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

#include "qpu/abi/dma_heap.h"
#include "qpu/ways/board.h"
#include "qpu/ways/obstacle.h"
#include "src/base/diag.h"

/* The source of memory that the ARM and the QPUs share. */
enum memory_kind {
	MEMORY_NONE,
	MEMORY_CACHED, /* a node of /dev/dma_heap, with /dev/vcsm-cma */
	MEMORY_VCSM    /* /dev/vcsm-cma */
};

struct vcio_nodes {
	struct board board;
	enum obstacle obstacle; /* the first one */
	enum memory_kind memory;
	enum dma_heap_node heap; /* of cached memory */
};

/*
 * Look at the files below `root` (board.h).  True if nothing is in the way of
 * the QPUs; else *why_not is one line with the remedy.
 */
bool
vcio_nodes_look(const char *root, struct vcio_nodes *, struct diag *why_not);

/*
 * All that is in the way at once.  What nobody can remove, and another kernel,
 * are the last finding: what is in the way after it is not known.  Returns the
 * number of findings, 0 if the QPUs can be used.
 */
unsigned
vcio_nodes_find(const char *root, struct finding findings[MOST_FINDINGS]);

/* The path of a heap. */
const char *vcio_nodes_heap(enum dma_heap_node);

/* With no more memory for the GPU the firmware is a reduced one, without
 * QPUs. */
enum { CUT_DOWN_MIB = 16 };

/* Does the GPU have too little memory?  mib is what the firmware says; 0: it
 * cannot be asked, and config.txt is read instead.  True: *finding is set. */
bool
vcio_nodes_lack_memory(const char *root, unsigned mib, struct finding *);

#endif
