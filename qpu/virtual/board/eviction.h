/* SPDX-License-Identifier: MIT */
/*
 * eviction: lines that leave the CPU's caches by themselves, at any time.
 *
 * A cached buffer (heap.h) is as if its caches kept every line until a SYNC.
 * With qpuemu's --evictions they do not: before a launch every second line that
 * the CPU has written goes to memory, chosen by the seed; and lines of what a
 * launch has stored are in no cache afterwards.  So a program that forgets a SYNC
 * computes with a mixture of old data and new.  Called with the board's lock held.
 */
#ifndef QPU_VIRTUAL_BOARD_EVICTION_H
#define QPU_VIRTUAL_BOARD_EVICTION_H

#include <stdint.h>

#include "qpu/virtual/board/board.h"

/* What memory was before a launch, by buffer; NULL: not cached. */
struct eviction {
	uint8_t *before[BOARD_BUFFERS];
};

/* Before a launch, and after it.  Without --evictions nothing is done. */
void
eviction_begin(struct eviction *, const struct board *);
void
eviction_end(struct eviction *, const struct board *);

#endif
