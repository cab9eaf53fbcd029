/* SPDX-License-Identifier: MIT */
/*
 * memory: what the CPU and the QPUs of a Raspberry Pi both see.
 *
 * Each piece is mapped once, by this process, and that mapping bypasses the
 * caches of the CPU; the QPUs use the one alias of the chip that goes with it
 * (soc.h).  No piece is seen in any other way: a cached view beside an
 * uncached one, or another alias, would show old data at random.
 */
#ifndef QPU_DEVICE_VCIO_MEMORY_H
#define QPU_DEVICE_VCIO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/board.h"
#include "qpu/device.h"
#include "src/diag.h"

/* Where it comes from. */
struct memory_source {
	enum board_memory kind;
	const struct soc *soc;
	int node;		/* /dev/vcsm-cma or /dev/mem; -1 = none */
};

struct memory_piece {
	struct device_memory shared;	/* bytes 0 = none */
	uint32_t handle;		/* the firmware's */
};

bool
memory_open(struct memory_source *, const struct board *,
	    struct diag *why_not);

void
memory_close(struct memory_source *);

bool
memory_take(const struct memory_source *, size_t bytes, struct memory_piece *,
	    struct diag *why_not);

void
memory_give_back(const struct memory_source *, struct memory_piece *);

#endif
