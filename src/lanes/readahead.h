/* SPDX-License-Identifier: MIT */
/*
 * readahead: threads that read one input while a worker hashes it.
 *
 * The writer of a stream would otherwise wait while we hash; one thread reads
 * it.  A file in the page cache costs a copy into our memory, and where a
 * processor is idle that time is saved.  Where a read of a file takes long, as
 * from a server far away, there are soon several threads, each with another
 * piece of the file; a fast disk is read ahead by the kernel.
 */
#ifndef SRC_LANES_READAHEAD_H
#define SRC_LANES_READAHEAD_H

#include "src/lanes/fetch.h"
#include "src/lanes/reader.h"

struct readahead;

enum { READAHEAD_THREADS = 16 };

/*
 * Take over an open reader between two hand-outs.  Of a stream it belongs to the
 * thread until readahead_stop.  After the data of a buffer there are
 * space_bytes for the padding and the engine.  A file is read by at most
 * `threads`.  NULL when a thread or memory is not available: go on with
 * reader_next.
 */
struct readahead *
readahead_start(struct reader *, size_t space_bytes, unsigned threads);

/* As reader_next with may_wait.  READER_LATER: the rest is to be read with
 * reader_next. */
enum reader_answer
readahead_next(struct readahead *, struct handout *handout);

/* End the threads.  Only after an answer other than READER_BLOCKS.  *waits: their
 * reads of a file that took longer than from the cache. */
void
readahead_stop(struct readahead *, struct storage_waits *waits);

#endif
