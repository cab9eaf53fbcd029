/* SPDX-License-Identifier: MIT */
/*
 * cma: the kernel's contiguous memory, as memory of the process.  A machine
 * that has run for a while has pages in it that cannot be moved: one at the end
 * of each hole.
 */
#ifndef QPU_VC4_CMA_H
#define QPU_VC4_CMA_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/vc4/vc4.h"
#include "src/base/diag.h"

/* A piece that is in use, by rising address. */
struct cma_piece {
	uint32_t at, bytes;
};

struct cma {
	uint8_t *host; /* of the first page */
	uint32_t bytes, hole;
	struct cma_piece *pieces;
	unsigned npieces, room;
};

/* Address of the first page on the bus, without alias. */
enum { CMA_BASE = 0x10000000 };

bool
cma_open(struct cma *, uint32_t bytes, uint32_t hole, struct diag *why);
void
cma_close(struct cma *);

/* struct vc4_memory's functions, with a struct cma.  Pages are zero. */
int
cma_take(void *cma, uint32_t bytes, struct vc4_pages *);
void
cma_give(void *cma, const struct vc4_pages *);

#endif
