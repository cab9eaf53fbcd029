/* SPDX-License-Identifier: MIT */
/*
 * vcsm: memory that the kernel gives to programs, /dev/vcsm-cma and
 * /dev/dma_heap/linux,cma.
 *
 * A buffer is a file of its own in the private directory, and its handle a
 * descriptor of that file, which the program maps.  It is free when its last
 * descriptor and mapping are gone; only then does the kernel grant a write
 * lease on the file.
 *
 * A cached buffer, of /dev/dma_heap/linux,cma, has a second file: the program
 * maps that one, as it would see memory through caches, and the QPUs the first.
 * What one side writes is on the other only after DMA_BUF_IOCTL_SYNC, and is lost
 * if that comes too late: a cache that never writes a line back by itself.  So a
 * program that forgets a SYNC computes with old data each time.
 *
 * Called with the board's lock held.
 */
#ifndef QPU_PI_VCSM_H
#define QPU_PI_VCSM_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/vcsm.h"
#include "qpu/pi/virtual_board.h"

/* Answer VCSM_ALLOCATE: 0, or the errno of the kernel. */
int
vcsm_allocate(const struct board *, struct vcsm_allocate *);

/* Return true if no process has the buffer. */
bool
vcsm_is_gone(const struct board *, unsigned number);

/* Forget the buffers that are free; true if any are left. */
bool
vcsm_collect(const struct board *);

/* The number of the buffer that a file belongs to, or BOARD_BUFFERS. */
unsigned
vcsm_of_file(const struct board *, const struct board_stand_in *);

/* Reserve memory for a new buffer of at least this size: 0 or an errno. */
int
vcsm_reserve(const struct board *, uint64_t bytes, unsigned *number);

/*
 * The files of a buffer; kind is BOARD_BUFFER or BOARD_CACHE.  Make a new one,
 * or open it: a descriptor, or -1 and errno, which is ENOMEM after a message.
 * A file is gone when no process has opened or mapped it.
 */
int
vcsm_create_file(const struct board *, const char *kind, unsigned number,
		 struct board_stand_in *file);
int
vcsm_open_file(const struct board *, const char *kind, unsigned number);
bool
vcsm_file_is_gone(const struct board *, const char *kind, unsigned number);

/* Map such a file for the duration of a call; NULL when that fails. */
void *
vcsm_map(const struct board *, const char *kind, unsigned number);

/* Answer DMA_HEAP_ALLOCATE: 0, or the errno of the kernel. */
int
vcsm_allocate_cached(const struct board *, struct dma_heap_allocate *);

/* Answer VCSM_IMPORT for buffer `number`: 0, or the errno of the kernel. */
int
vcsm_import(const struct board *, unsigned number, struct vcsm_import *);

/* DMA_BUF_IOCTL_SYNC of buffer `number`; without an import it does nothing. */
int
vcsm_sync(const struct board *, unsigned number, uint64_t flags);

#endif
