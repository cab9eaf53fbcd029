/* SPDX-License-Identifier: MIT */
/*
 * job_ring: the jobs under way, by sequence number.
 *
 * Numbers [head, next) are in use.  Jobs are allocated in chunks as numbers
 * reach them and stay where they are; the first chunk is part of the ring, so
 * that there is always room for some.
 *
 * Lock: none of its own.  The sequencer's lock is held in each call, except
 * that the emitting worker may call job_ring_at for numbers in use: their
 * chunks neither move nor go away.
 */
#ifndef SRC_LANES_JOB_RING_H
#define SRC_LANES_JOB_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/job.h"

enum {
	JOB_RING_CHUNK = 64, /* jobs allocated at a time */
	JOB_RING_CHUNKS = 1024,
	JOB_RING_SIZE = JOB_RING_CHUNK * JOB_RING_CHUNKS
};

struct job_ring {
	uint64_t next; /* number of the next job to be taken */
	uint64_t head; /* number of the oldest job not emitted yet */
	struct job *chunks[JOB_RING_CHUNKS];
	struct job first_chunk[JOB_RING_CHUNK];
};

void
job_ring_init(struct job_ring *);

void
job_ring_destroy(struct job_ring *);

bool
job_ring_is_empty(const struct job_ring *);

bool
job_ring_is_full(const struct job_ring *);

/* The job of a number; NULL when there is no memory for its chunk. */
struct job *
job_ring_at(struct job_ring *, uint64_t seq);

/*
 * The job of number `next`, which it may raise: where there is no memory for
 * more chunks, an empty ring goes on with its first one.  NULL: no room yet.
 */
struct job *
job_ring_reserve(struct job_ring *);

#endif
