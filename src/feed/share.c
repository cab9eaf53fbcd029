/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/share.h"

#include <math.h>

#include "src/lanes/message.h"

static uint64_t
longest_waiting(const struct share_work *work)
{
	const struct job *job = backlog_longest(&work->waiting);

	return job ? job->blocks : 0;
}

/* Seconds until all is done, waiting or begun, if it can be cut. */
static double
seconds_left(const struct share_work *work, const struct share_rates *rates)
{
	return (double)(work->waiting.blocks + work->in_lanes +
			work->in_workers + work->on_offer) /
	       share_rates_of_all(rates);
}

struct job *
share_for_lane(const struct share_work *work, const struct share_rates *rates)
{
	const double all = rates->lane * seconds_left(work, rates);

	if (work->ended || (double)longest_waiting(work) > all)
		return backlog_longest(&work->waiting);
	return backlog_first(&work->waiting);
}

struct job *
share_for_worker(const struct share_work *work, const struct share_rates *rates,
		 uint64_t assigned)
{
	const double before = rates->worker * seconds_left(work, rates);
	struct job *job = backlog_longest(&work->waiting);
	double after;

	/* Any message would end earlier in a lane. */
	if (!job || (!work->ended && rates->worker <= rates->lane))
		return NULL;
	/* Lanes that are fed slowly get the long ones, but not one that outlasts
	 * all. */
	if (rates->feeding &&
	    (double)job->blocks * rates->worker < before * rates->lane) {
		/* The only core has nothing to spare. */
		if (rates->workers == 1)
			return NULL;
		job = backlog_shortest(&work->waiting);
	}
	/* At the end the worker has to be done with it when all else is, or at
	 * least before a lane would be. */
	after = (double)(assigned + job->blocks);
	if (work->ended && after > before &&
	    after > (double)job->blocks * rates->worker / rates->lane)
		return NULL;
	return job;
}

/*
 * In how many seconds are all done, if lanes take what waits?  Where there are
 * workers, they go on with what takes a lane too long; where there are none, a
 * lane that has more than the others share keeps it, and they share the rest.
 */
static double
seconds_together(const struct share_work *work, const struct share_rates *rates,
		 const uint64_t *left, unsigned n)
{
	double seconds = INFINITY;

	for (;;) {
		double blocks = (double)work->waiting.blocks, rate = 0;
		const double before = seconds;
		uint64_t idle = 0;

		if (rates->workers > 0) {
			blocks += (double)(work->in_workers + work->on_offer);
			rate = rates->worker * rates->workers;
		}
		for (unsigned i = 0; i < n; i++) {
			/* A message is in one lane at a time. */
			if (left[i] == 0 &&
			    idle++ >= work->waiting.messages + work->begun)
				continue;
			if (rates->workers == 0 &&
			    (double)left[i] > rates->lane * before)
				continue;
			blocks += (double)left[i];
			rate += rates->lane;
		}
		if (rate == 0)
			return 0;
		seconds = blocks / rate;
		if (rates->workers > 0 || seconds >= before)
			return seconds;
	}
}

void
share_plan(const struct share_work *work, const struct share_rates *rates,
	   const uint64_t *left, unsigned n, struct share_plan *plan)
{
	const double seconds = seconds_together(work, rates, left, n);
	const uint64_t level = (uint64_t)(rates->lane * seconds);
	const uint64_t longest = longest_waiting(work);
	const uint64_t enough = share_enough(rates);
	const uint64_t in_time = (uint64_t)(rates->core * seconds);

	*plan = (struct share_plan){ .seconds = seconds,
				     .most_in_lane = UINT64_MAX,
				     .fill_target = level + 1,
				     .worker_target = enough,
				     .fillers = rates->fillers };
	if (level > MIGRATION_MIN_BLOCKS)
		plan->lane_capacity = level - MIGRATION_MIN_BLOCKS;
	if (rates->worker > rates->lane) {
		plan->most_in_lane = level > longest ? level : longest;
		if (plan->most_in_lane < MIGRATION_MIN_BLOCKS)
			plan->most_in_lane = MIGRATION_MIN_BLOCKS;
	}
	/* At the end a worker has to be done when all else is. */
	if (work->ended && in_time < enough)
		plan->worker_target = in_time;
}
