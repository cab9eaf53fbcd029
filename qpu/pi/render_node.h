/* SPDX-License-Identifier: MIT */
/*
 * render_node: the nodes of the kernel's driver vc4, /dev/dri/card0 and
 * renderD128.
 *
 * Each open of a node is a file of its own in the private directory, so that it
 * is known by its inode number, also after dup, fork or exec.  A process that
 * asks an open node for something gets a model of the driver for it (qpu/pi),
 * whose memory is buffers of the board: CMA is what all processes have
 * together.  Handles and jobs are of one process.
 */
#ifndef QPU_PI_RENDER_NODE_H
#define QPU_PI_RENDER_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/virtual_board.h"

/* Open a node with the flags of open(2). Return its descriptor, or -1 with
 * errno. The caller need not hold the board's lock, here and below. */
int
render_node_open(const struct board *, enum board_node, int flags);

/* The node that a file is, or BOARD_NO_NODE. */
enum board_node
render_node_of_file(const struct board *, const struct board_stand_in *);

/* Send a request to an open node, named by its file.  Return 0 or an errno: EINTR
 * after a signal that the program does not block, even if its handler has
 * SA_RESTART; users of these nodes retry. */
int
render_node_request(const struct board *, const struct board_stand_in *,
		    unsigned long request, void *argument);

/* The file of what is at an offset of an open node, to be mapped from its
 * beginning: a descriptor, or -1 and errno. */
int
render_node_file_at(const struct board *, const struct board_stand_in *,
		    uint64_t offset, uint64_t bytes, bool writing);

/* A descriptor was closed: drop files without open descriptors. */
void
render_node_closed(const struct board *);

#endif
