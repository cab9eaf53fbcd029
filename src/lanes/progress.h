/* SPDX-License-Identifier: MIT */
/*
 * progress: how much of the work is done.
 *
 * Each worker counts for itself, in a cache line of its own, so that counting
 * is cheap; progress_sum adds up.
 */
#ifndef SRC_LANES_PROGRESS_H
#define SRC_LANES_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* All that a worker has done so far; called by this worker only. */
void
progress_note(unsigned worker, uint64_t bytes, uint64_t files);

/* What all workers have done, in KiB and files.  Async-signal-safe. */
void
progress_sum(uint64_t *kib, uint64_t *files);

#endif
