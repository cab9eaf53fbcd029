/* SPDX-License-Identifier: MIT */
/*
 * vcio_memory: memory of the firmware's way, which the CPU and the QPUs share:
 * from /dev/vcsm-cma or a dma-buf heap, and when caches are flushed.
 *
 * Each buffer is mapped once.  The mapping bypasses the CPU's caches, except
 * for memory from a heap, which is cached.  The QPUs address the buffer through
 * the bus alias that bypasses the CPU's caches (soc.h).  A cached mapping
 * beside an uncached one, or a second alias, would show old data at random.
 *
 * A cached buffer that the CPU has written to is flushed before the next
 * launch, and one with results is invalidated after it.  That loses what is
 * written during a launch, so results get buffers the CPU leaves alone during a
 * launch.
 *
 * Buffers are wiped before they go back.  A wipe is a critical section
 * (cleanup.h): a signal waits for its end, and after cleanup_run nothing is
 * written any more.
 */
#ifndef QPU_WAYS_VCIO_MEMORY_H
#define QPU_WAYS_VCIO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/way.h"

enum { VCIO_BUFFERS = 216 };

struct vcio_buffer {
	struct way_memory shared; /* bytes 0 = no buffer */
	/* Descriptors of cached memory, else -1: the dma-buf, and what keeps
	 * it imported. */
	int dma_buf, import;
	bool written; /* since it was flushed */
};

struct vcio_memory {
	struct host host;
	int vcsm;	       /* /dev/vcsm-cma; -1 = none */
	int heap;	       /* its node, if memory is cached; else -1 */
	const char *heap_path; /* NULL if memory is not cached */
	bool any;	       /* a buffer was allocated */
	struct vcio_buffer rows[VCIO_BUFFERS];
};

/* On failure return false with the reason; close still works. */
bool
vcio_memory_open(struct vcio_memory *, const struct vcio_nodes *,
		 struct diag *why_not);

/* Give back everything, or keep it until the process ends. */
void
vcio_memory_close(struct vcio_memory *, bool keep);

/* Allocate at least `bytes`, in whole pages.  Return NULL with the reason on
 * failure.  If the heap cannot give the first buffer, memory is not cached. */
const struct way_memory *
vcio_memory_alloc(struct vcio_memory *, size_t bytes, struct diag *why_not);

void
vcio_memory_free(struct vcio_memory *, const struct way_memory *);

/* Wipe everything before the memory is returned. */
void
vcio_memory_wipe(struct vcio_memory *);

/* Note that the CPU has written to this memory. */
void
vcio_memory_note_written(struct vcio_memory *, const struct way_memory *);

/* Before a launch: flush the CPU's writes.  Return false with errno on error. */
bool
vcio_memory_flush(struct vcio_memory *);

/* After a launch: invalidate the caches of buffers with results of
 * programs[0..n).  Return false with errno on error. */
bool
vcio_memory_invalidate(struct vcio_memory *,
		       const struct device_program *programs, unsigned n);

#endif
