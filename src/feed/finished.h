/* SPDX-License-Identifier: MIT */
/*
 * finished: jobs that have their digests, and go to the sequencer together.
 *
 * Several threads fill streams at the same time, and each may end a job (one
 * that cannot be read, for instance).
 */
#ifndef SRC_FEED_FINISHED_H
#define SRC_FEED_FINISHED_H

#include <pthread.h>
#include <stdint.h>

struct job;
struct sequencer;

enum { FINISHED_JOBS = 256 }; /* that wait at most */

struct finished {
	struct sequencer *sequencer;
	pthread_mutex_t lock;
	struct job *jobs[FINISHED_JOBS];
	unsigned n;
	uint64_t ended; /* jobs so far */
};

void
finished_init(struct finished *, struct sequencer *);
void
finished_destroy(struct finished *);

/* A job has ended.  Any thread may say so. */
void
finished_add(struct finished *, struct job *);

/* Give to the sequencer what waits.  No stream is being filled. */
void
finished_publish(struct finished *);

#endif
