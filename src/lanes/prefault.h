/* SPDX-License-Identifier: MIT */
/*
 * prefault: a thread that has the kernel enter mapped pages into the page table
 * before another thread needs them, which saves that one the page faults
 * (MADV_POPULATE_READ, from Linux 5.14 on; before, nothing is saved).  What is
 * asked of it may be unmapped at any time.
 */
#ifndef SRC_LANES_PREFAULT_H
#define SRC_LANES_PREFAULT_H

#include <stddef.h>
#include <stdint.h>

struct prefault;

/* NULL: a thread or memory is not available. */
struct prefault *
prefault_start(void);

/* These pages are needed soon, and no more those that were asked for before. */
void
prefault_ask(struct prefault *, const uint8_t *pages, size_t bytes);

/* End the thread.  NULL is allowed. */
void
prefault_stop(struct prefault *);

#endif
