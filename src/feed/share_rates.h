/* SPDX-License-Identifier: MIT */
/*
 * share_rates: how fast lanes of a device and workers of the CPU get on, as
 * expected for the files that wait, and as measured from then on.
 *
 * One thread feeds the device: it looks up sizes, and opens files and copies
 * them, with the help of others where one core is too slow for that.  Feeding
 * costs time of a core for each file and each byte; workers have what it leaves
 * of the cores.
 *
 * Amounts are SHA-256 blocks, rates blocks per second.  Not thread-safe.
 */
#ifndef SRC_FEED_SHARE_RATES_H
#define SRC_FEED_SHARE_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/feed/backlog.h"

struct share_rates {
	double lane;   /* one lane, while all of them are busy */
	double device; /* all of them, as fast as they are fed */
	double worker; /* one CPU worker, beside the feeding */
	unsigned workers;
	double core;	  /* a worker with a core of its own */
	unsigned fillers; /* threads that fill lanes at the same time */
	bool feeding;	  /* it is the feeding that limits the device */
};

/* The rate of all workers and lanes. */
static inline double
share_rates_of_all(const struct share_rates *rates)
{
	return rates->device + rates->worker * rates->workers;
}

/* The rates of a device beside `cores` cores, of which `workers` may hash. */
void
share_rates_expect(const struct engine_speed *, unsigned cores,
		   unsigned workers, struct amount, struct share_rates *);

/* The rates of the CPU alone; those of the lanes are 0. */
void
share_rates_expect_cpu(const struct engine_speed *, unsigned cores,
		       struct amount, struct share_rates *);

/*
 * Seconds until messages are hashed at these rates: not less than the longest
 * takes on its own, and a message has one lane at a time.
 */
double
share_rates_estimate(const struct share_rates *, struct amount);

/* What was measured lately: that many blocks in that time. */
struct share_speed {
	uint64_t blocks, ns;
};

struct share_speeds {
	struct engine_speed expected;
	unsigned cores, workers;
	struct share_speed lane, worker;
	/* The time of launches, and the time of filling that is part of it. */
	uint64_t launches_ns, filling_ns;
	bool idle; /* no worker has hashed since the last launch */
};

/* `lanes` of the device's lanes are used; workers: 0 if they take no files of
 * the device. */
void
share_speeds_init(struct share_speeds *, const struct engine_speed *expected,
		  unsigned lanes, unsigned cores, unsigned workers);

/* A launch with `longest` blocks in its longest lane, or the filling for the
 * next one if that took longer, took `ns`; the filling alone `filling_ns`. */
void
share_speeds_note_launch(struct share_speeds *, uint64_t longest, uint64_t ns,
			 uint64_t filling_ns);

/* A worker has hashed that many blocks in that time. */
void
share_speeds_note_worker(struct share_speeds *, uint64_t blocks, uint64_t ns);

/* All cores are workers now, and there are no lanes any more. */
void
share_speeds_lose_device(struct share_speeds *);

/* The rates for such messages. */
void
share_speeds_get(const struct share_speeds *, struct amount,
		 struct share_rates *);

#endif
