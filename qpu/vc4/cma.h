/* SPDX-License-Identifier: MIT */
/*
 * cma: the kernel's contiguous memory, as memory of the process.
 */
#ifndef QPU_VC4_CMA_H
#define QPU_VC4_CMA_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/vc4/vc4.h"
#include "src/base/diag.h"

struct cma {
	uint8_t *host; /* of the first page */
	uint32_t pages;
	bool *is_used; /* by page */
};

bool
cma_open(struct cma *, uint32_t bytes, struct diag *why);
void
cma_close(struct cma *);

/* struct vc4_memory's functions, with a struct cma.  Pages are zero. */
int
cma_take(void *cma, uint32_t bytes, struct vc4_pages *);
void
cma_give(void *cma, const struct vc4_pages *);

#endif
