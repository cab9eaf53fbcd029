/* SPDX-License-Identifier: MIT */
/*
 * memory_holder: a process that keeps memory of this one mapped.
 *
 * The kernel reuses such memory when the last process that maps it has ended.
 * QPUs that have not come back, and were not seen to stop, would then write to
 * another program's memory, or execute it; on a board whose memory was freed in
 * this state the kernel had to be rebooted. So a process stays until the next
 * boot. It has only the mappings: no open file, no terminal, no parent that
 * would have to wait for it.
 */
#ifndef QPU_WAYS_MEMORY_HOLDER_H
#define QPU_WAYS_MEMORY_HOLDER_H

#include <stdbool.h>

/* Fork a process named "qpu-memory" that keeps this one's mappings alive until
 * a signal ends it, as at a shutdown. Return false if it cannot be started.
 * Async-signal-safe. */
bool
memory_holder_start(void);

#endif
