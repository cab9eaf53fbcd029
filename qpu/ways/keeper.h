/* SPDX-License-Identifier: MIT */
/*
 * keeper: a process that keeps memory of the kernel to which QPUs may still
 * write.
 *
 * The kernel gives such memory to others when the last process that maps it has
 * ended.  QPUs that have not come back, and were not seen to stop, would then
 * write to somebody else's memory, or execute it; on a board whose memory was
 * freed in this state the kernel had to be rebooted.  So a process stays until
 * the next boot that has nothing but the mappings: no open file, no terminal,
 * no parent that would have to wait for it.
 */
#ifndef QPU_WAYS_KEEPER_H
#define QPU_WAYS_KEEPER_H

#include <stdbool.h>

/*
 * Leave a process behind that has all mappings of this one, shows up as
 * "qpu-memory", and ends by any signal that ends a process, as at a shutdown.
 * False when there can be none.  Async-signal-safe.
 */
bool
keeper_start(void);

#endif
