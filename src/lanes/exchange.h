/* SPDX-License-Identifier: MIT */
/*
 * exchange: which workers have jobs, and what one worker waits for from the
 * others: lanes to take over when it is idle, or a descriptor.
 *
 * A busy worker offers lanes as soon as others are idle.  A worker that finds
 * no descriptor for the oldest job starves: it waits as long as some other
 * worker has jobs, since these end and close theirs.
 *
 * Lock: none of its own.  The sequencer's lock is held in each call.  Where a
 * function says "wake", the caller wakes all that wait for the sequencer.
 */
#ifndef SRC_LANES_EXCHANGE_H
#define SRC_LANES_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	EXCHANGE_WORKERS = 256, /* at most */
	EXCHANGE_OFFERS = 64
};

struct exchange {
	unsigned workers; /* counted */
	unsigned max_workers;
	unsigned busy[EXCHANGE_WORKERS]; /* lanes with a job, by worker */
	unsigned idle;	   /* workers waiting for lanes to take over */
	bool starving;	   /* a worker lacks descriptors */
	uint64_t closings; /* how often descriptors may have been closed */
	unsigned noffers;
	void *offers[EXCHANGE_OFFERS]; /* lanes not accepted yet */
};

void
exchange_init(struct exchange *, unsigned max_workers);

/* Count a new worker, unless there are enough: its index, or -1. */
int
exchange_add_worker(struct exchange *);

/* The worker has so many lanes with a job.  True: none any more. */
bool
exchange_set_busy(struct exchange *, unsigned worker, unsigned busy);

/* Has some other worker a job? */
bool
exchange_others_are_busy(const struct exchange *, unsigned worker);

/* Are more workers idle than lanes on offer? */
bool
exchange_wants_lanes(const struct exchange *);

/* Lanes for idle workers.  False: no worker wants them any more; else wake. */
bool
exchange_offer(struct exchange *, unsigned worker, void **lanes, unsigned n);

/* A lane on offer becomes the worker's; NULL: there is none. */
void *
exchange_accept(struct exchange *, unsigned worker);

/*
 * The worker lacks a descriptor, and before it tried there had been so many
 * closings.  False: no other worker had any descriptor meanwhile.
 */
bool
exchange_starve(struct exchange *, unsigned worker, uint64_t closings);

/* A job has ended and closed its descriptor.  True: wake. */
bool
exchange_end_starving(struct exchange *);

#endif
