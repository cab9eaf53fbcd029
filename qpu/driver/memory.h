/* SPDX-License-Identifier: MIT */
/*
 * memory: pieces of memory that the CPU and the QPUs of a Raspberry Pi share.
 *
 * Each piece is mapped once.  That mapping bypasses the caches of the CPU; only
 * that of MEMORY_CACHED uses them, and has to be flushed before a launch and
 * refreshed after it.  The QPUs address it through the one bus alias that
 * bypasses the CPU's caches, too (soc.h).  A cached mapping beside an uncached
 * one, or a second alias, would show old data at random.
 */
#ifndef QPU_DRIVER_MEMORY_H
#define QPU_DRIVER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/device/device.h"
#include "qpu/driver/pi_board.h"
#include "src/base/diag.h"

/* Where pieces come from. */
struct memory_source {
	enum memory_kind kind;
	const struct soc *soc; /* these three as in pi_board */
	uint32_t bus_alias, memory_flags;
	int node; /* /dev/vcsm-cma or /dev/mem; -1 = none */
	int heap; /* DMA_HEAP_NODE, if cached; else -1 */
};

struct memory_piece {
	struct device_memory shared; /* bytes 0 = no piece */
	uint32_t handle;	     /* the firmware's */
	/* Descriptors of cached memory, else -1: the buffer, and what keeps it
	 * imported. */
	int buffer, import;
};

bool
memory_open(struct memory_source *, const struct pi_board *,
	    struct diag *why_not);

void
memory_close(struct memory_source *);

/* Nothing was taken yet, and cached memory cannot be had: from now on take
 * uncached memory.  False if it was not cached. */
bool
memory_give_up_cache(struct memory_source *);

/* What to call it: a node, and whether it is cached. */
const char *memory_name(enum memory_kind);

/* A number of /proc/meminfo about the kernel's contiguous memory, "CmaFree:",
 * in KiB; -1 = not there. */
long
memory_cma_kib(const char *name);

bool
memory_take(const struct memory_source *, size_t bytes, struct memory_piece *,
	    struct diag *why_not);

/* Overwrite it with zeros, also in memory behind the CPU's caches. */
void
memory_wipe(const struct memory_piece *);

void
memory_give_back(const struct memory_source *, struct memory_piece *);

/* Before a launch: what any CPU has written to a piece is in memory.  False
 * and errno. */
bool
memory_flush(const struct memory_piece *);

/* After a launch that has written to a piece, and before the CPU reads there or
 * writes again.  False and errno. */
bool
memory_refresh(const struct memory_piece *);

/* What this CPU has written, also to uncached memory, is visible to the QPUs
 * when this returns. */
void
memory_publish(void);

#endif
