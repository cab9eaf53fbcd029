/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/dispatch.h"

#include <assert.h>

#include "src/base/clock.h"
#include "src/base/thread.h"

enum {
	/* Jobs taken from the sequencer at a time. */
	CHUNK = 64,
	/* The same where files are opened, which takes longer. */
	OPEN_CHUNK = 32,
	/* The first chunks, whose sizes decide how many threads look up the
	 * rest. */
	CHUNKS_ALONE = 4,
	/* Blocks of a lane in one launch. */
	LAUNCH_BLOCKS = 512,
	/* Files that wait and are open, at most. */
	MAX_OPEN = 512
};

/* The most time for looking up sizes in a launch of 14 ms, in which lanes have
 * to be filled.  Enough files must wait to fill them evenly. */
static const uint64_t look_ns = 6 * CLOCK_NS_PER_MS;

static uint64_t
less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/* Get the rates for messages such as those seen so far. */
static void
get_rates(const struct dispatch *dispatch, struct schedule_rates *rates)
{
	assert(dispatch->lock.is_held);
	schedule_speeds_get(&dispatch->speeds, dispatch->seen, rates);
}

/* Looking ahead -------------------------------------------------------------- */

/* Sizes that a thread and its team look up. */
struct look {
	struct dispatch *dispatch;
	unsigned most;
	uint64_t begun_ns;
	unsigned all;	/* jobs taken */
	bool is_closed; /* the source had no more, as *view says */
	struct sequencer_view *view;
};

/*
 * Return true if files are opened when they are looked at.  On the only core
 * all work for a file keeps the device waiting, and looking up a name twice is
 * much of that work if most files are short.  A FIFO may be named twice and
 * must not be opened twice at a time: once an input is not a file, they are
 * looked up by name.
 */
static bool
opens(const struct dispatch *dispatch)
{
	const struct amount *seen = &dispatch->seen;

	return dispatch->may_open &&
	       seen->blocks <= LAUNCH_BLOCKS * seen->messages;
}

/* Return the number of files that may be opened now. */
static unsigned
count_openable(const struct dispatch *dispatch)
{
	const unsigned nopen = dispatch->work.waiting.nopen;

	return opens(dispatch) && nopen < MAX_OPEN ? MAX_OPEN - nopen : 0;
}

/*
 * Return true if more sizes are to be looked up: while less than one message for
 * each lane is waiting; where files are opened, while less is waiting than lanes
 * could hash in a launch; where names are looked up, while less is waiting than
 * two launches need, and while there is time.
 */
static bool
goes_on(const struct look *look)
{
	const struct dispatch *dispatch = look->dispatch;
	const struct backlog *waiting = &dispatch->work.waiting;
	const uint64_t launch = (uint64_t)dispatch->nlanes * LAUNCH_BLOCKS;

	assert(dispatch->lock.is_held);
	if (look->is_closed || look->all >= look->most)
		return false;
	if (waiting->messages < dispatch->nlanes)
		return true;
	if (opens(dispatch))
		return waiting->blocks < launch && count_openable(dispatch) > 0;
	return waiting->blocks < 2 * launch || dispatch->has_no_clock ||
	       clock_ns() - look->begun_ns < look_ns;
}

/* Look up the sizes of some jobs, without the lock, which is held before and
 * after. */
static void
look_up_chunk(struct look *look)
{
	struct dispatch *dispatch = look->dispatch;
	struct sequencer *sequencer = &dispatch->run->sequencer;
	const unsigned openable = count_openable(dispatch);
	const unsigned most = opens(dispatch) ? OPEN_CHUNK : CHUNK;
	struct sequencer_view view;
	struct job *jobs[CHUNK];
	bool any_special = false;
	unsigned n;

	dispatch->looking++;
	lock_release(&dispatch->lock);
	n = sequencer_take(sequencer, jobs, most, false, &view);
	for (unsigned i = 0; i < n; i++) {
		const bool opens = i < openable && !any_special &&
				   handover_begin(sequencer, jobs[i]);

		any_special |= backlog_look_up(jobs[i], opens);
		if (opens && !jobs[i]->is_open)
			handover_give_up(sequencer, jobs[i]);
	}
	/* Workers look up names before they open them from now on. */
	if (any_special)
		__atomic_store_n(&dispatch->run->is_strict, true,
				 __ATOMIC_RELAXED);
	lock_take(&dispatch->lock);
	dispatch->looking--;
	dispatch->may_open &= !any_special;
	for (unsigned i = 0; i < n; i++) {
		backlog_add(&dispatch->work.waiting, jobs[i]);
		if (jobs[i]->blocks > 0)
			amount_add(&dispatch->seen, jobs[i]->blocks);
	}
	look->all += n;
	if (!look->is_closed)
		*look->view = view;
	look->is_closed |= n < most;
	dispatch->source_ended |= n < most && view.ended;
	dispatch->work.ended = dispatch->source_ended && dispatch->looking == 0;
	if (dispatch->work.ended)
		sequencer_wake(sequencer);
}

static void
look_up_part(void *task, unsigned part, unsigned parts)
{
	struct look *look = task;

	(void)part, (void)parts;
	lock_take(&look->dispatch->lock);
	while (goes_on(look))
		look_up_chunk(look);
	lock_release(&look->dispatch->lock);
}

void
dispatch_look_ahead(struct dispatch *dispatch, unsigned most,
		    struct sequencer_view *view)
{
	struct sequencer *sequencer = &dispatch->run->sequencer;
	struct look look = { .dispatch = dispatch,
			     .most = most,
			     .begun_ns = clock_ns(),
			     .view = view };
	struct schedule_rates rates;
	bool wanted;

	/* Note the version before anything is found. */
	sequencer_take(sequencer, NULL, 0, false, view);
	lock_take(&dispatch->lock);
	/* Files that only the device takes are looked up by its feeder. */
	wanted = !dispatch->work.ended &&
		 dispatch->work.waiting.messages < most &&
		 (dispatch->with_cpu || most > CHUNK);
	/* The first ones decide how many threads look up the rest. */
	for (unsigned i = 0; wanted && i < CHUNKS_ALONE && goes_on(&look); i++)
		look_up_chunk(&look);
	wanted = wanted && goes_on(&look);
	get_rates(dispatch, &rates);
	lock_release(&dispatch->lock);
	if (wanted)
		thread_team(rates.fillers, look_up_part, &look);
	if (look.all > 0)
		sequencer_wake(sequencer);
}

/* The supply of the workers ------------------------------------------------- */

/* Set the worker's blocks that are not hashed yet. */
static void
set_blocks(struct dispatch *dispatch, unsigned worker, uint64_t blocks)
{
	uint64_t *own = &dispatch->workers[worker];

	assert(dispatch->lock.is_held && worker > 0);
	assert(dispatch->work.in_workers >= *own);
	dispatch->work.in_workers += blocks - *own;
	*own = blocks;
	if (dispatch->nworkers <= worker)
		dispatch->nworkers = worker + 1;
}

/*
 * Return true if enough is known to give work to a worker.  On the only core
 * it begins nothing before it is known whether that core will have time for
 * it.
 */
static bool
knows_enough(const struct dispatch *dispatch,
	     const struct schedule_rates *rates)
{
	return rates->workers > 1 || dispatch->work.ended || rates->lane == 0 ||
	       dispatch->seen.messages >= dispatch->nlanes;
}

/* Take a job out of those that wait, with a token, or return NULL.  NULL is
 * allowed. */
static struct job *
take(struct dispatch *dispatch, struct job *job)
{
	assert(dispatch->lock.is_held);
	if (!job || !handover_begin(&dispatch->run->sequencer, job))
		return NULL;
	backlog_take(&dispatch->work.waiting, job);
	return job;
}

/* Do the same; where a file gets no token, take the oldest one, which always does. */
static struct job *
take_file(struct dispatch *dispatch, struct job *file)
{
	struct job *job = take(dispatch, file);

	return job || !file ?
		       job :
		       take(dispatch, backlog_oldest(&dispatch->work.waiting));
}

/* Return the next job for a worker, or NULL. */
static struct job *
next_for_worker(struct dispatch *dispatch, unsigned worker,
		const struct schedule_rates *rates)
{
	const uint64_t blocks = dispatch->workers[worker];
	struct job *job =
		take(dispatch, dispatch->work.waiting.buckets[0].first);

	if (!job && dispatch->with_cpu && blocks < schedule_enough(rates) &&
	    knows_enough(dispatch, rates))
		job = take_file(dispatch, schedule_for_worker(&dispatch->work,
							      rates, blocks));
	if (job)
		set_blocks(dispatch, worker, blocks + job->blocks);
	return job;
}

static unsigned
take_for_worker(struct dispatch *dispatch, const struct job_load *load,
		struct job **jobs, unsigned most, struct sequencer_view *view)
{
	struct schedule_rates rates;
	unsigned n = 0;

	/* Look up only what it takes to find something: the feeder does the
	 * rest while its device is busy. */
	dispatch_look_ahead(dispatch, most > 0 ? 1 : 0, view);
	lock_take(&dispatch->lock);
	if (load->hashed_blocks > 0)
		schedule_speeds_note_worker(&dispatch->speeds,
					    load->hashed_blocks,
					    load->hashed_ns);
	set_blocks(dispatch, load->worker, load->blocks);
	get_rates(dispatch, &rates);
	while (n < most &&
	       (jobs[n] = next_for_worker(dispatch, load->worker, &rates)))
		n++;
	view->wants_workers = dispatch->with_cpu;
	view->shares_below = schedule_enough(&rates) / 3 + 1;
	view->lane_wants = dispatch->with_cpu && dispatch->idle_lanes > 0 ?
				   dispatch->lane_blocks :
				   0;
	lock_release(&dispatch->lock);
	return n;
}

void
dispatch_init(struct dispatch *dispatch, struct run *run, unsigned nlanes,
	      const struct engine_speed *speed)
{
	const struct pipeline_config *config = run->config;

	*dispatch = (struct dispatch){
		.run = run,
		.nlanes = nlanes,
		.with_cpu = config->with_cpu,
		/* Workers that share the work are no model. */
		.has_no_clock = speed->modelled && !config->with_cpu,
		.may_open = config->threads == 1 && !speed->modelled,
	};
	schedule_speeds_init(&dispatch->speeds, speed, nlanes, config->threads,
			     config->with_cpu ? config->threads : 0);
	lock_init(&dispatch->lock);
	run->dispatch = dispatch;
	run->supply = take_for_worker;
}

void
dispatch_destroy(struct dispatch *dispatch)
{
	lock_destroy(&dispatch->lock);
}

/* For the feeder ------------------------------------------------------------ */

/* Set what workers want of lanes, beside what is leaving them already, with
 * `for_lanes` blocks that each could leave to an idle lane. */
static void
set_wanted(const struct dispatch *dispatch, const struct schedule_rates *rates,
	   struct amount leaving, uint64_t for_lanes,
	   struct dispatch_plan *plan)
{
	const uint64_t in_time =
		(uint64_t)(rates->core / rates->lane * (double)plan->quota);
	uint64_t enough = schedule_enough(rates);

	if (!dispatch->with_cpu || rates->worker <= rates->lane)
		return;
	/* At the end a worker has to be done when all else is. */
	if (dispatch->work.ended && in_time < enough)
		enough = in_time;
	for (unsigned i = 1; i < dispatch->nworkers; i++) {
		const uint64_t own = less(dispatch->workers[i], for_lanes);

		if (own < enough)
			amount_add(&plan->wanted, enough - own);
	}
	plan->wanted.messages = less(plan->wanted.messages, leaving.messages);
	plan->wanted.blocks = less(plan->wanted.blocks, leaving.blocks);
}

struct dispatch_plan
dispatch_plan(struct dispatch *dispatch, uint64_t blocks, unsigned idle,
	      struct amount leaving)
{
	struct sequencer *sequencer = &dispatch->run->sequencer;
	struct schedule_work *work = &dispatch->work;
	struct dispatch_plan plan = { .quota = 0 };
	struct schedule_rates rates;
	uint64_t for_lanes;

	leaving.messages += handover_count_shared(sequencer, &leaving.blocks);
	lock_take(&dispatch->lock);
	work->in_lanes = blocks;
	work->on_offer = leaving.blocks;
	dispatch->idle_lanes = (unsigned)less(idle, work->waiting.messages);
	get_rates(dispatch, &rates);
	plan.quota = schedule_quota(work, &rates,
				    dispatch->nlanes - dispatch->idle_lanes);
	plan.fillers = rates.fillers;
	for_lanes = dispatch->idle_lanes > 0 ? dispatch->lane_blocks : 0;
	dispatch->lane_blocks = less(plan.quota, MIGRATION_MIN_BLOCKS);
	set_wanted(dispatch, &rates, leaving, for_lanes, &plan);
	handover_set_lanes(sequencer, dispatch->lane_blocks);
	lock_release(&dispatch->lock);
	return plan;
}

struct job *
dispatch_next_for_lane(struct dispatch *dispatch)
{
	struct schedule_work *work = &dispatch->work;
	struct schedule_rates rates;
	struct job *job;

	lock_take(&dispatch->lock);
	get_rates(dispatch, &rates);
	job = schedule_for_lane(work, &rates);
	/* A worker may decline a file, a lane never does. */
	assert(job || work->waiting.messages == 0);
	job = take_file(dispatch, job);
	if (job)
		work->in_lanes += job->blocks;
	lock_release(&dispatch->lock);
	return job;
}

bool
dispatch_end_lanes(struct dispatch *dispatch)
{
	bool ends;

	lock_take(&dispatch->lock);
	ends = dispatch->work.ended && dispatch->work.waiting.messages == 0;
	if (ends) {
		dispatch->idle_lanes = 0;
		handover_set_lanes(&dispatch->run->sequencer, 0);
	}
	lock_release(&dispatch->lock);
	return ends;
}

void
dispatch_note_launch(struct dispatch *dispatch,
		     const struct schedule_launch *launch)
{
	struct schedule_work *work = &dispatch->work;

	lock_take(&dispatch->lock);
	if (!dispatch->has_no_clock)
		schedule_speeds_note_launch(&dispatch->speeds, launch);
	work->in_lanes = less(work->in_lanes, launch->blocks);
	lock_release(&dispatch->lock);
}

void
dispatch_put(struct dispatch *dispatch, struct job *job)
{
	handover_give_up(&dispatch->run->sequencer, job);
	lock_take(&dispatch->lock);
	backlog_add(&dispatch->work.waiting, job);
	lock_release(&dispatch->lock);
	/* The feeder may end now, and the workers sleep. */
	sequencer_wake(&dispatch->run->sequencer);
}

void
dispatch_detach_device(struct dispatch *dispatch)
{
	struct sequencer *sequencer = &dispatch->run->sequencer;

	lock_take(&dispatch->lock);
	dispatch->with_cpu = true;
	schedule_speeds_detach_device(&dispatch->speeds);
	dispatch->idle_lanes = 0;
	handover_set_lanes(sequencer, 0);
	lock_release(&dispatch->lock);
	sequencer_wake(sequencer);
}
