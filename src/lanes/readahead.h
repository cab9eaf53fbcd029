/* SPDX-License-Identifier: MIT */
/*
 * readahead: a thread that reads one input while a worker hashes it.
 *
 * It is meant for streams, whose writer would otherwise wait while we hash.
 * A file in the page cache gains next to nothing, since its data then have to
 * come from the other core's cache (measured on Golden Cove: 1 GiB in 0.75 s
 * with a thread and 0.78 s without, for 0.93 and 0.78 CPU seconds).  From a
 * disk the kernel reads ahead by itself.
 */
#ifndef SRC_LANES_READAHEAD_H
#define SRC_LANES_READAHEAD_H

#include "src/lanes/reader.h"

struct readahead;

/*
 * Take over an open reader between two hand-outs.  Until readahead_stop the
 * reader belongs to the thread.  After the data of a buffer there are
 * space_bytes for the padding and the engine.  NULL when a thread or memory is
 * not available: go on with reader_next.
 */
struct readahead *
readahead_start(struct reader *, size_t space_bytes);

/* As reader_next with may_wait. */
enum reader_answer
readahead_next(struct readahead *, struct handout *handout);

/* End the thread.  Only after an answer other than READER_BLOCKS. */
void
readahead_stop(struct readahead *);

#endif
