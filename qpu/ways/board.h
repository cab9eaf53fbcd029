/* SPDX-License-Identifier: MIT */
/*
 * board: which Raspberry Pi this is, and files of its system that both ways to
 * the QPUs look at.
 *
 * All paths are below a root: "" is this machine, tests have directories of
 * their own.  Nothing here opens a device, and no read can block.
 */
#ifndef QPU_WAYS_BOARD_H
#define QPU_WAYS_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/abi/soc.h"
#include "qpu/ways/obstacle.h"

struct board {
	char model[64];	       /* as in the device tree; "" = none */
	const struct soc *soc; /* NULL when unknown */
	uint32_t bus_alias;    /* of memory shared with the ARM */
};

/* Has it a VideoCore IV?  False: *finding is set, and why not. */
bool
board_look(const char *root, struct board *, struct finding *finding);

/* A small regular file, NUL-terminated; its length, or -1. */
int
board_read(const char *root, const char *name, char *text, size_t size);

bool
board_has(const char *root, const char *name);

/* May this user read and write it? */
bool
board_may_open(const char *root, const char *name);

/* To whom does the device tree give the V3D? */
enum v3d_owner { V3D_FREE, V3D_OF_OVERLAY, V3D_OF_KERNEL };
enum v3d_owner
board_v3d_owner(const char *root);

/* The configuration of the firmware, "/boot/firmware/config.txt". */
const char *
board_config(const char *root);

/* May a group that is not root's read and write a node of this mode?  Then
 * finding->more is its name, or the usual one if it has none. */
bool
board_group_may_open(unsigned mode, unsigned gid, const char *usual,
		     struct finding *finding);

/* A number of this machine's /proc/meminfo about the kernel's contiguous memory
 * (CMA), "CmaFree:", in KiB; -1 = not there. */
long
board_contiguous_kib(const char *name);

/* Of which there is too little: how much there is, and what gives more. */
void
board_explain_contiguous(struct diag *);

#endif
