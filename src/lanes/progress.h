/* SPDX-License-Identifier: MIT */
/*
 * progress: how much of the work is done, and the text of the status line.
 *
 * Each worker counts for itself, in a cache line of its own, so that counting
 * is cheap; progress_words adds up.
 */
#ifndef SRC_LANES_PROGRESS_H
#define SRC_LANES_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Any text of the status line fits. */
enum { PROGRESS_BYTES = 160 };

/* Time is counted from now on; `files` inputs are expected, 0 = unknown. */
void
progress_begin(size_t files);

/* A worker has done that much so far; called by this worker only. */
void
progress_note(unsigned worker, uint64_t bytes, uint64_t files);

/* The number of inputs, and of their bytes in all; 0 = unknown. */
void
progress_expect(size_t files, uint64_t bytes);

/*
 * "1 of 4 files, 5.2 MB of 20.9 MB, 1043.1 MB/s, 0:05 left", as far as it is
 * known, and a zero.  Returns the length.  Async-signal-safe.
 */
size_t
progress_words(char words[PROGRESS_BYTES]);

#endif
