/* SPDX-License-Identifier: MIT */
/*
 * schedule: what the lanes of a device take, and what they give up, so that they end
 * together with the CPU's workers.
 *
 * A lane is slow and there are many; a worker is fast.  Each can go on with the
 * rest of a message that the other has begun.  So a worker takes the message
 * with the most blocks left, waiting or begun, until a lane could be done with
 * the rest when all else is done (the wrap-around of McNaughton, "Scheduling
 * with deadlines and loss functions", Management Science 6, 1959, for machines
 * of two speeds).  Lanes take all others: in the order of arrival while more
 * messages come, but the longest first if it would outlast all others, or when
 * all are known (the level algorithm for machines
 * of different speeds: Horvath, Lam, Sethi, "A level algorithm for preemptive
 * scheduling", Journal of the ACM 24, 1977).
 *
 * All answers follow from what waits, from what was begun and from the speeds;
 * nothing is kept here but what was measured.  Not thread-safe.  Amounts are SHA-256
 * blocks, rates blocks per second.
 */
#ifndef SRC_FEED_SCHEDULE_H
#define SRC_FEED_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/feed/backlog.h"

/*
 * How fast lanes of a device and workers of the CPU get on, as expected for the
 * files that wait, and as measured from then on.  One thread feeds the device: it
 * looks up sizes, and opens files and copies them, with the help of others where
 * one core is too slow for that.  Feeding costs time of a core for each file and
 * each byte; workers have what it leaves of the cores.
 */
struct schedule_rates {
	double lane;   /* one lane, while all of them are busy */
	double device; /* all of them, as fast as they are fed */
	double worker; /* one CPU worker, beside the feeding */
	unsigned workers;
	double core;	  /* a worker with a core of its own */
	unsigned fillers; /* threads that fill lanes at the same time */
};

/* Set the expected rates with `busy` device lanes and `workers` of `cores`
 * cores hashing. */
void
schedule_rates_expect(const struct engine_speed *, unsigned cores,
		      unsigned workers, struct amount, double busy,
		      struct schedule_rates *);

/*
 * Return the seconds until messages are hashed at these rates.  That is at
 * least what the longest takes alone, since a message has one lane at a time.
 */
double
schedule_rates_estimate(const struct schedule_rates *, struct amount);

/* A recent measurement: blocks, and the time that they took. */
struct schedule_speed {
	uint64_t blocks, ns;
};

/* A launch that has ended. */
struct schedule_launch {
	uint64_t blocks, longest; /* of all lanes, and of the longest one */
	uint64_t ns;		  /* until the feeder came back */
	/* How long the lanes were filled for the launch after it, and by how
	 * many threads. */
	uint64_t filling_ns;
	unsigned fillers;
};

struct schedule_speeds {
	struct engine_speed expected;
	unsigned cores, workers;
	/* Of the longest lane in a launch, of a worker, and of a core that
	 * feeds. */
	struct schedule_speed lane, worker, feeding;
	struct schedule_launch recent; /* blocks of about four launches */
};

/* `lanes` of the device's lanes are used; workers: 0 if they take no files of
 * the device. */
void
schedule_speeds_init(struct schedule_speeds *,
		     const struct engine_speed *expected, unsigned lanes,
		     unsigned cores, unsigned workers);

void
schedule_speeds_note_launch(struct schedule_speeds *,
			    const struct schedule_launch *);

/* Note that a worker has hashed `blocks` blocks in `ns` nanoseconds. */
void
schedule_speeds_note_worker(struct schedule_speeds *, uint64_t blocks,
			    uint64_t ns);

/* Make all cores workers; no lanes are left. */
void
schedule_speeds_detach_device(struct schedule_speeds *);

/* Get the rates for such messages. */
void
schedule_speeds_get(const struct schedule_speeds *, struct amount,
		    struct schedule_rates *);

/* All that is to be hashed. */
struct schedule_work {
	struct backlog waiting;
	bool ended; /* no more will come */
	/* Blocks of started messages, not hashed yet: in lanes, in
	 * workers, and on offer. */
	uint64_t in_lanes, in_workers, on_offer;
};

/*
 * Return the blocks that a lane can hash until all is done.  It takes messages
 * while it has less.  A message with more would outlast all else there, so a
 * worker should continue it.  `busy` lanes have work or will get some.
 */
uint64_t
schedule_quota(const struct schedule_work *, const struct schedule_rates *,
	       unsigned busy);

/* Return work for three launches: before a worker has hashed as much, a lane
 * has handed over more. */
static inline uint64_t
schedule_enough(const struct schedule_rates *rates)
{
	return (uint64_t)(rates->worker * 3 * 0.014) + 1;
}

/* Return the next job for a free lane, or NULL if none waits. */
struct job *
schedule_for_lane(const struct schedule_work *, const struct schedule_rates *);

/*
 * Return the longest waiting job for a CPU worker with `assigned` blocks, or
 * NULL if a lane would finish it earlier.
 */
struct job *
schedule_for_worker(const struct schedule_work *, const struct schedule_rates *,
		    uint64_t assigned);

#endif
