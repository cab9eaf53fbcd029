/* SPDX-License-Identifier: MIT */
/*
 * qpuemu_tree: the private directory of a virtual board: nodes, memory, and
 * what a Raspberry Pi tells of itself below /proc and /sys.
 */
#ifndef SRC_QPUEMU_TREE_H
#define SRC_QPUEMU_TREE_H

#include <stdbool.h>

#include "qpu/virtual/state.h"
#include "src/diag.h"

enum tree_driver { TREE_NO_DRIVER, TREE_KMS, TREE_FKMS };

struct tree_request {
	enum tree_driver driver;	/* who owns the V3D */
	bool vcio, vcsm, mem;		/* the nodes there are */
	const char *library;		/* absolute path of the object */
};

/* Make a directory; its name is short enough for `dir`. */
bool
tree_make_directory(char dir[STATE_PATH], struct diag *);

/* Fill it. */
bool
tree_fill(const char *dir, const struct tree_request *, struct state *,
	  struct diag *);

/* Remove it with all that is in it. */
void
tree_remove(const char *dir);

#endif
