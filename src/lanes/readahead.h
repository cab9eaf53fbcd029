/* SPDX-License-Identifier: MIT */
/*
 * readahead: a thread that reads one input while a worker hashes it.
 *
 * The writer of a stream would otherwise wait while we hash.  A file in the
 * page cache costs a copy into our memory, and where a processor is idle that
 * time is saved; from a slow disk the kernel reads ahead by itself.
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
