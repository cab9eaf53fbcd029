/* SPDX-License-Identifier: MIT */
/*
 * buffers: memory that the CPU and the QPUs of a Raspberry Pi share, from the
 * kernel, and when caches are flushed.
 *
 * Each buffer is mapped once.  The mapping bypasses the CPU's caches, except
 * for memory from a heap, which is cached.  The QPUs address the buffer through
 * the bus alias that bypasses the CPU's caches (soc.h).  A cached mapping
 * beside an uncached one, or a second alias, would show old data at random.
 *
 * A cached buffer that the CPU has written to is flushed before the next
 * launch, and one with results is refreshed after it.  Refreshing loses what is
 * written during a launch, so results get buffers the CPU leaves alone during a
 * launch.
 *
 * Buffers are wiped before they go back.  A wipe is a critical section
 * (held.h): a signal waits for its end, and after held_release nothing is
 * written any more.
 */
#ifndef QPU_WAYS_BUFFERS_H
#define QPU_WAYS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/way.h"

enum { BUFFERS_MOST = 216 };

struct buffer {
	struct way_memory shared; /* bytes 0 = no buffer */
	/* Descriptors of cached memory, else -1: the dma-buf, and what keeps
	 * it imported. */
	int dma_buf, import;
	bool written; /* since it was flushed */
};

struct buffers {
	struct host host;
	int vcsm;	       /* /dev/vcsm-cma; -1 = none */
	int heap;	       /* its node, if memory is cached; else -1 */
	const char *heap_path; /* NULL: memory is not cached */
	bool any;	       /* a buffer was allocated */
	struct buffer rows[BUFFERS_MOST];
};

/* On failure return false with the reason; close still works. */
bool
buffers_open(struct buffers *, const struct vcio_nodes *, struct diag *why_not);

/* Give back everything, or keep it until the process ends. */
void
buffers_close(struct buffers *, bool keep);

/* At least `bytes`, in whole pages; NULL and the reason.  If the first one cannot
 * be had from the heap, memory is not cached. */
const struct way_memory *
buffers_take(struct buffers *, size_t bytes, struct diag *why_not);

void
buffers_give_back(struct buffers *, const struct way_memory *);

/* Wipe everything before the memory is returned. */
void
buffers_wipe(struct buffers *);

/* The CPU has written to this memory. */
void
buffers_note_written(struct buffers *, const struct way_memory *);

/* Before a launch: flush the CPU's writes.  Return false with errno on error. */
bool
buffers_flush(struct buffers *);

/* After a launch: refresh those with results of programs[0..n).  False and
 * errno. */
bool
buffers_refresh(struct buffers *, const struct device_program *programs,
		unsigned n);

#endif
