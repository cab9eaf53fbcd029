/* SPDX-License-Identifier: MIT */
/*
 * cma: the kernel's contiguous memory on the board of qpuemu, from which buffers of
 * /dev/vcsm-cma, of /dev/dma_heap/linux,cma and of the driver vc4 come.
 *
 * A buffer is a file of its own in the private directory, CMA_FILE, and a number.
 * It is free when its last descriptor and mapping are gone; only then does the
 * kernel grant a write lease on the file.  One that is cached has a second file
 * (vcsm.h).
 *
 * Called with the board's lock held.
 */
#ifndef QPU_PI_CMA_H
#define QPU_PI_CMA_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/virtual_board.h"

/* Reserve memory for a new buffer of at least this size: 0 or an errno. */
int
cma_reserve(const struct board *, uint64_t bytes, unsigned *number);

/* Make a file of a buffer; kind is CMA_FILE or CMA_CACHE_FILE.  Return a
 * descriptor, or -1 and errno, which is ENOMEM after a message. */
int
cma_create_file(const struct board *, const char *kind, unsigned number,
		struct board_stand_in *file);

/* Map such a file for the duration of a call; NULL when that fails. */
void *
cma_map(const struct board *, const char *kind, unsigned number);

/* Return the number of the buffer that a file belongs to, or CMA_BUFFERS. */
unsigned
cma_of_file(const struct board *, const struct board_stand_in *);

/* Return true if no process has the buffer. */
bool
cma_is_gone(const struct board *, unsigned number);

/* Forget the buffers that are free.  Return true if any are left. */
bool
cma_collect(const struct board *);

#endif
