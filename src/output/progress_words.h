/* SPDX-License-Identifier: MIT */
/*
 * progress_words: the progress of the work in words, such as
 *
 *	1 of 4 files, 5.2 MB of 20.9 MB (24 %), 0:05 left, 3.1 MB/s
 *	4637 of 50000 files, 64.2 MB of ~705.2 MB, ~0:03 left, 183.0 MB/s
 *
 * Each part says more than the one after it, so that a line without its last
 * parts is still useful.  A "~" stands before what is extrapolated from some of
 * the files.  Units are powers of 1000.
 *
 * All functions are async-signal-safe.
 */
#ifndef SRC_OUTPUT_PROGRESS_WORDS_H
#define SRC_OUTPUT_PROGRESS_WORDS_H

#include <stdint.h>

#include "src/output/forecast.h"

enum { PROGRESS_WORDS_BYTES = 160 }; /* enough for any progress */

/* Text that grows from `at` on; what would be beyond `end` is left out. */
struct words {
	char *at;
	char *end;
};

void
words_add(struct words *, const char *string);

/* What all workers have done (src/lanes/progress.h) in this time, and of what
 * total, as far as the forecast knows it. */
void
words_add_progress(struct words *, const struct forecast *, uint64_t ms);

#endif
