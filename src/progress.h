/* SPDX-License-Identifier: MIT */
/*
 * progress: how far the work has come, and the words for it.
 *
 * Each worker counts for itself, in a cache line of its own, so that counting
 * costs nothing; whoever wants to know adds up.  Asking is allowed at any
 * time, even in a signal handler.
 */
#ifndef SRC_PROGRESS_H
#define SRC_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Enough for any words. */
enum { PROGRESS_BYTES = 160 };

/* Time runs from now on; files is how many there are, 0 = unknown. */
void
progress_begin(size_t files);

/* All that a worker has done so far; called by this worker only. */
void
progress_note(unsigned worker, uint64_t bytes, uint64_t files);

/* There are so many bytes in all inputs. */
void
progress_expect(uint64_t bytes);

/*
 * "1 of 4 files, 5.2 MB of 20.9 MB, 1043.1 MB/s, 0:05 left", as far as it is
 * known, and a zero.  Returns the length.  Async-signal-safe.
 */
size_t
progress_words(char words[PROGRESS_BYTES]);

#endif
