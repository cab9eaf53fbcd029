/* SPDX-License-Identifier: MIT */
/*
 * readahead: a thread that reads one input while a worker hashes it.
 *
 * One message occupies one lane, whose speed is bounded by the latency of
 * SHA-256; the least we can do for a lone big file or a pipe is to take the
 * cost of reading off the hashing thread.
 */
#ifndef SRC_READAHEAD_H
#define SRC_READAHEAD_H

#include "src/reader.h"

struct readahead;

/*
 * Take over an open reader between two hand-outs.  The reader must not be
 * used or moved until readahead_stop.  NULL when a thread or memory is not
 * to be had: go on with reader_next.
 */
struct readahead *
readahead_start(struct reader *);

/* As reader_next, which may wait. */
enum reader_answer
readahead_next(struct readahead *, struct handout *handout);

/* Ends the thread.  All but READER_BLOCKS must have been seen before. */
void
readahead_stop(struct readahead *);

#endif
