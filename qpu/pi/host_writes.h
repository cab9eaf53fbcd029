/* SPDX-License-Identifier: MIT */
/*
 * host_writes: memory that the CPU has written since programs ran last, for faults
 * in which some writes do not reach them.
 */
#ifndef QPU_PI_HOST_WRITES_H
#define QPU_PI_HOST_WRITES_H

#include <stddef.h>
#include <stdint.h>

#include "qpu/pi/fault.h"

enum { HOST_LINE = 64, HOST_PAGE = 4096 };

/* Memory in whole pages that programs may read. */
struct pi_memory {
	uint8_t *host;
	size_t bytes;
};

/* Start from {0}. */
struct host_writes {
	struct host_copy {
		struct pi_memory of;
		uint8_t *bytes; /* as they were when programs ran last */
	} * copies;
	size_t n, room;
	uint8_t *line; /* that is as it was before, or NULL */
	uint8_t written[HOST_LINE];
	uint8_t *page; /* that never changes again, or NULL */
	uint8_t frozen[HOST_PAGE];
};

/* Return whether a fault is one of these. */
static inline bool
host_writes_matter(const struct pi_fault *fault)
{
	return fault->kind == PI_LINE_OLD || fault->kind == PI_PAGE_FROZEN;
}

/* Before launch or job `number` reads n memories. */
void
host_writes_hide(struct host_writes *, const struct pi_fault *, uint64_t seed,
		 uint64_t number, const struct pi_memory *, size_t n);

/* After it. */
void
host_writes_show(struct host_writes *, const struct pi_memory *, size_t n);

void
host_writes_free(struct host_writes *);

#endif
