/* SPDX-License-Identifier: MIT */
/*
 * barrier: the order of this CPU's accesses to memory, as the QPUs see it.
 */
#ifndef QPU_DRIVER_BARRIER_H
#define QPU_DRIVER_BARRIER_H

/* What this CPU has written, also to uncached memory, is visible to the QPUs
 * when this returns. */
void
memory_barrier(void);

#endif
