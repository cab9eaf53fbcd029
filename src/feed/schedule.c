/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/schedule.h"

#include "src/base/clock.h"
#include "src/base/fips180.h"
#include "src/base/thread.h"
#include "src/lanes/message.h"

/* Speeds -------------------------------------------------------------------- */

/* A measurement counts from min_ns on; when it is as long as max_ns its
 * weight is halved, so that recent files count more. */
static const uint64_t min_ns = 50 * CLOCK_NS_PER_MS;
static const uint64_t max_ns = 1000 * CLOCK_NS_PER_MS;

/* The least part of a core that a worker is expected to have, so that divisions
 * by its rate stay finite. */
static const double min_part = 0.01;

/* Filling that takes this part of the time may limit the device. */
static const double max_filling = 0.75;

/* Return the seconds of a core for each block, with what files take, where bytes are
 * handled at this rate. */
static double
seconds_per_block(const struct engine_speed *speed, double rate,
		  struct amount amount)
{
	const double blocks = amount.blocks > 0 ? (double)amount.blocks : 1;

	return SHA256_BLOCK_BYTES / rate +
	       (speed->look_seconds + speed->file_seconds) *
		       (double)amount.messages / blocks;
}

void
schedule_rates_expect(const struct engine_speed *speed, unsigned cores,
		      unsigned workers, struct amount amount, double busy,
		      struct schedule_rates *rates)
{
	const double feeding =
		seconds_per_block(speed, speed->copy_rate, amount);
	const unsigned max = cores < THREAD_TEAM ? cores : THREAD_TEAM;
	const double lane =
		speed->device_rate / SHA256_BLOCK_BYTES / speed->lanes;
	double part = 1;

	if (busy > speed->lanes)
		busy = speed->lanes;
	*rates = (struct schedule_rates){ .lane = lane,
					  .device = lane * busy,
					  .workers = workers,
					  .fillers = 1 };
	/* As many threads fill lanes as cores are kept busy.  A model is fed by
	 * one, so that every run is the same. */
	while (rates->fillers < max && !speed->modelled &&
	       rates->fillers * max_filling < rates->device * feeding)
		rates->fillers++;
	if (rates->device * feeding > rates->fillers) {
		rates->device = rates->fillers / feeding;
		rates->lane = rates->device / speed->lanes;
	}
	/* Workers share the other cores. */
	if (cores - rates->device * feeding < workers)
		part = (cores - rates->device * feeding) / workers;
	if (part < min_part)
		part = min_part;
	rates->core = 1 / seconds_per_block(speed, speed->core_rate, amount);
	rates->worker = part * rates->core;
}

/* Return the rate of all workers and lanes. */
static double
rate_of_all(const struct schedule_rates *rates)
{
	return rates->device + rates->worker * rates->workers;
}

double
schedule_rates_estimate(const struct schedule_rates *rates,
			struct amount amount)
{
	const double lanes = rates->lane * (double)amount.messages;
	const double fastest = rates->lane > rates->core ? rates->lane :
							   rates->core;
	const double alone = (double)amount.longest / fastest;
	struct schedule_rates used = *rates;
	double all;

	if (lanes < used.device)
		used.device = lanes;
	all = (double)amount.blocks / rate_of_all(&used);
	return all > alone ? all : alone;
}

/* Measuring ----------------------------------------------------------------- */

void
schedule_speeds_init(struct schedule_speeds *speeds,
		     const struct engine_speed *expected, unsigned lanes,
		     unsigned cores, unsigned workers)
{
	*speeds = (struct schedule_speeds){ .expected = *expected,
					    .cores = cores,
					    .workers = workers };
	speeds->expected.device_rate *= (double)lanes / expected->lanes;
	speeds->expected.lanes = lanes;
}

void
schedule_speeds_detach_device(struct schedule_speeds *speeds)
{
	speeds->expected.device_rate = 0;
	speeds->workers = speeds->cores;
	speeds->lane = (struct schedule_speed){ 0 };
}

static void
note(struct schedule_speed *speed, uint64_t blocks, uint64_t ns)
{
	speed->blocks += blocks;
	speed->ns += ns;
	if (speed->ns > max_ns) {
		speed->blocks /= 2;
		speed->ns /= 2;
	}
}

/* Get the measured rate.  Return false if the time was too short. */
static bool
get(const struct schedule_speed *speed, double *rate)
{
	if (speed->ns < min_ns || speed->blocks == 0)
		return false;
	*rate = (double)speed->blocks * 1e9 / (double)speed->ns;
	return true;
}

static void
add_recent(uint64_t *sum, uint64_t n)
{
	*sum += n - *sum / 4;
}

void
schedule_speeds_note_launch(struct schedule_speeds *speeds,
			    const struct schedule_launch *launch)
{
	struct schedule_launch *recent = &speeds->recent;

	note(&speeds->lane, launch->longest, launch->ns);
	note(&speeds->feeding, launch->blocks,
	     launch->filling_ns * launch->fillers);
	add_recent(&recent->blocks, launch->blocks);
	add_recent(&recent->longest, launch->longest);
}

void
schedule_speeds_note_worker(struct schedule_speeds *speeds, uint64_t blocks,
			    uint64_t ns)
{
	note(&speeds->worker, blocks, ns);
}

void
schedule_speeds_get(const struct schedule_speeds *speeds, struct amount amount,
		    struct schedule_rates *rates)
{
	const struct schedule_launch *recent = &speeds->recent;
	struct engine_speed speed = speeds->expected;
	double rate, busy = (double)amount.messages;

	/* No more lanes than these have work. */
	if (recent->longest > 0)
		busy = (double)recent->blocks / (double)recent->longest;
	if (get(&speeds->lane, &rate))
		speed.device_rate = rate * speed.lanes * SHA256_BLOCK_BYTES;
	/* All that is done for a file takes longer by the same factor. */
	if (get(&speeds->feeding, &rate)) {
		const double expected =
			seconds_per_block(&speed, speed.copy_rate, amount);

		speed.copy_rate *= rate * expected;
		speed.file_seconds /= rate * expected;
		speed.look_seconds /= rate * expected;
	}
	schedule_rates_expect(&speed, speeds->cores, speeds->workers, amount,
			      busy, rates);
	get(&speeds->worker, &rates->worker);
	if (rates->core < rates->worker)
		rates->core = rates->worker;
}

/* The decision -------------------------------------------------------------- */

/* Return the seconds until all waiting and started work is done, if it can be
 * cut. */
static double
seconds_left(const struct schedule_work *work,
	     const struct schedule_rates *rates)
{
	return (double)(work->waiting.blocks + work->in_lanes +
			work->in_workers + work->on_offer) /
	       rate_of_all(rates);
}

struct job *
schedule_for_lane(const struct schedule_work *work,
		  const struct schedule_rates *rates)
{
	const double all = rates->lane * seconds_left(work, rates);
	struct job *longest = backlog_longest(&work->waiting);

	if (!longest || work->ended || (double)longest->blocks > all)
		return longest;
	return backlog_oldest(&work->waiting);
}

struct job *
schedule_for_worker(const struct schedule_work *work,
		    const struct schedule_rates *rates, uint64_t assigned)
{
	const double before = rates->worker * seconds_left(work, rates);
	struct job *job = backlog_longest(&work->waiting);
	double after;

	/* Any message would end earlier in a lane. */
	if (!job || (!work->ended && rates->worker <= rates->lane))
		return NULL;
	/* At the end the worker has to be done with it when all else is, or at
	 * least before a lane would be. */
	after = (double)(assigned + job->blocks);
	if (work->ended && after > before &&
	    after > (double)job->blocks * rates->worker / rates->lane)
		return NULL;
	return job;
}

uint64_t
schedule_quota(const struct schedule_work *work,
	       const struct schedule_rates *rates, unsigned busy)
{
	struct schedule_rates used = *rates;

	used.device = busy * rates->lane;
	if (rate_of_all(&used) == 0)
		return 0;
	return (uint64_t)(rates->lane * seconds_left(work, &used));
}
