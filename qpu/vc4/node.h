/* SPDX-License-Identifier: MIT */
/*
 * node: struct vc4, an open node, and what its requests share; private to this
 * room.
 */
#ifndef QPU_VC4_NODE_H
#define QPU_VC4_NODE_H

#include "qpu/vc4/cma.h"
#include "qpu/vc4/vc4.h"

enum {
	VC4_PAGE = 4096,
	VC4_BIN_BYTES = 16 << 20, /* of the binner */
};

struct vc4_buffer;

struct vc4 {
	struct vc4_options options;
	struct vc4_memory memory;
	struct cma cma; /* where memory is of the process */
	struct machine *machine;

	struct vc4_buffer *buffers;  /* all */
	struct vc4_buffer **handles; /* by handle - 1; NULL: free */
	uint32_t nhandles;
	uint64_t allocations; /* buffers that were asked for, for faults */

	struct vc4_pages bin; /* the binner's memory; bytes 0: none yet */
};

#endif
