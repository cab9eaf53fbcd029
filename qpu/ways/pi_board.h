/* SPDX-License-Identifier: MIT */
/*
 * pi_board: which Raspberry Pi this is, and whether its QPUs can be used; if
 * not, what its owner has to change.
 *
 * Reads the device tree, sysfs and the permissions of the nodes.  It opens no
 * device, and none of these reads can block.
 */
#ifndef QPU_DRIVER_PI_BOARD_H
#define QPU_DRIVER_PI_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/soc.h"
#include "src/base/diag.h"

/* What may be in the way, in the order in which it is looked for. */
enum pi_obstacle {
	PI_USABLE,	     /* nothing is */
	PI_NO_PI,	     /* not a Raspberry Pi */
	PI_OTHER_GPU,	     /* Pi 4 and later */
	PI_OTHER_KERNEL,     /* one that always gives the V3D to its driver */
	PI_KMS,		     /* the kernel's driver owns the V3D */
	PI_FKMS,	     /* the same, by way of the firmware */
	PI_NO_MAILBOX,	     /* no /dev/vcio */
	PI_FOR_GROUP,	     /* a node that a group may open, not this user */
	PI_FOR_ROOT,	     /* a node that only root may open */
	PI_LITTLE_MEMORY,    /* gpu_mem is too small, and so is the firmware */
	PI_NO_ANSWER,	     /* of the firmware */
	PI_MODULE_FORBIDDEN, /* vc_sm_cma is on a blacklist */
	PI_NO_MODULE,	     /* no vc_sm_cma, and /dev/mem is for root */
	PI_NO_MODULE_64	     /* the same where /dev/mem is of no use */
};

/* The source of memory that the ARM and the QPUs share. */
enum memory_kind {
	MEMORY_NONE,
	MEMORY_CACHED, /* a node of /dev/dma_heap, with /dev/vcsm-cma */
	MEMORY_VCSM,   /* /dev/vcsm-cma */
	MEMORY_DEV_MEM /* the mailbox, mapped through /dev/mem */
};

struct pi_board {
	char model[64];		   /* as in the device tree; "" = none */
	const struct soc *soc;	   /* NULL when unknown */
	uint32_t bus_alias;	   /* of memory shared with the ARM */
	uint32_t memory_flags;	   /* of allocate memory, for that alias */
	enum pi_obstacle obstacle; /* the first one */
	enum memory_kind memory;
	enum dma_heap_node heap; /* of cached memory */
};

/*
 * Look at the files below `root`: "" is this machine, tests have directories
 * of their own.  True if nothing is in the way of the QPUs; else *why_not is
 * one line with the remedy.
 */
bool
pi_board_look(const char *root, struct pi_board *board, struct diag *why_not);

/* The path of a heap. */
const char *pi_board_heap(enum dma_heap_node);

/* As pi_board_look, of a board whose GPU the kernel's driver may have; its
 * mailbox is not looked at. */
bool
pi_board_look_beside(const char *root, struct pi_board *board,
		     struct diag *why_not);

/*
 * Does this kernel map memory of the GPU as device memory?  That memory does
 * not belong to Linux, so a 64-bit kernel does, where an unaligned access or a
 * memset is a bus error, and a read(2) into it may fail.  A 32-bit one mends
 * what is not aligned; armv8l is what a 64-bit one may call itself to programs
 * of 32 bits.
 */
bool
pi_board_maps_device_memory(void);

/* One thing that is in the way, and the file, node or board that it is about. */
struct pi_finding {
	enum pi_obstacle obstacle;
	char detail[256];
};

enum {
	PI_FINDINGS = 4, /* at most */
	/* With no more memory for the GPU the firmware is a reduced one,
	 * without QPUs. */
	PI_CUT_DOWN_MIB = 16
};

/* A finding and its remedy in one line. */
void
pi_board_explain(const struct pi_finding *, struct diag *);

/*
 * All that is in the way at once.  What nobody can remove, and another kernel,
 * are the last finding: what is in the way after it is not known.  Returns the
 * number of findings, 0 if the QPUs can be used.
 */
unsigned
pi_board_find(const char *root, struct pi_finding findings[PI_FINDINGS]);

/* Does the GPU have too little memory?  mib is what the firmware says; 0: it
 * cannot be asked, and config.txt is read instead.  True: *finding is set. */
bool
pi_board_lacks_memory(const char *root, unsigned mib, struct pi_finding *);

#endif
