/* SPDX-License-Identifier: MIT */
/*
 * buffer: memory that the CPU and the QPUs of a Raspberry Pi share.
 *
 * Each buffer is mapped once.  That mapping bypasses the caches of the CPU;
 * only that of MEMORY_CACHED uses them, and has to be flushed before a launch
 * and refreshed after it.  The QPUs address the buffer through the one bus
 * alias that bypasses the CPU's caches, too (soc.h).  A cached mapping beside
 * an uncached one, or a second alias, would show old data at random.
 */
#ifndef QPU_WAYS_BUFFER_H
#define QPU_WAYS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/ways/vcio_nodes.h"
#include "qpu/ways/way.h"
#include "src/base/diag.h"

/* Where buffers come from. */
struct buffer_source {
	enum memory_kind kind;
	const struct soc *soc; /* these two as in struct board */
	uint32_t bus_alias;
	int vcsm; /* /dev/vcsm-cma; -1 = none */
	int heap; /* its node, if cached; else -1 */
	enum dma_heap_node heap_node;
	uint64_t given_back; /* clock_ns() when a buffer was; 0 = never */
};

struct buffer {
	struct device_memory shared; /* bytes 0 = no buffer */
	/* Descriptors of cached memory, else -1: the dma-buf, and what keeps
	 * it imported. */
	int dma_buf, import;
};

bool
buffer_source_open(struct buffer_source *, const struct vcio_nodes *,
		   struct diag *why_not);

void
buffer_source_close(struct buffer_source *);

/* Nothing was taken yet, and cached memory cannot be had: from now on take
 * uncached memory.  False if it was not cached. */
bool
buffer_source_give_up_cache(struct buffer_source *);

/* A node, and whether its memory is cached; for people.  The heap is that of
 * cached memory. */
const char *buffer_source_name(enum memory_kind, enum dma_heap_node);

/* At least `bytes`, in whole pages.  Where the kernel has none, it may wait up to
 * 60 ms for what was given back a moment before. */
bool
buffer_take(const struct buffer_source *, size_t bytes, struct buffer *,
	    struct diag *why_not);

/* Overwrite it with zeros, also the memory that the CPU's caches hide. */
void
buffer_wipe(const struct buffer *);

void
buffer_give_back(struct buffer_source *, struct buffer *);

/* Before a launch: what any CPU has written to the buffer is in memory.  False
 * and errno. */
bool
buffer_flush(const struct buffer *);

/* After a launch that has written to the buffer, and before the CPU reads there
 * or writes again: what the CPU has written there since buffer_flush is lost.
 * False and errno. */
bool
buffer_refresh(const struct buffer *);

#endif
