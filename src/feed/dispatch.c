/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/dispatch.h"

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
	MOST_OPEN = 512
};

/* The most time for looking up sizes in a launch of 14 ms, in which lanes have
 * to be filled.  Enough files must wait to fill them evenly. */
static const uint64_t look_ns = 6 * CLOCK_NS_PER_MS;

static uint64_t
less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/* What is known; lock held --------------------------------------------------- */

/* Get the rates for messages such as those seen so far. */
static void
get_rates(const struct dispatch *dispatch, struct share_rates *rates)
{
	share_speeds_get(&dispatch->speeds, dispatch->seen, rates);
}

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

	return opens(dispatch) && nopen < MOST_OPEN ? MOST_OPEN - nopen : 0;
}

/* Looking ahead -------------------------------------------------------------- */

/* A caller's threads that look up sizes. */
struct look {
	struct dispatch *dispatch;
	unsigned most;
	uint64_t begun_ns;
	unsigned all;	/* jobs taken */
	bool is_closed; /* the source had no more, as *view says */
	struct sequencer_view *view;
};

/*
 * Return true if its threads may look up more sizes.  They may while less than
 * one message for each lane is waiting.  If files are opened, they may while
 * less is waiting than lanes could hash in a launch.  If names are looked up,
 * they may while less is waiting than two launches need, and while there is
 * time.  Lock held.
 */
static bool
goes_on(const struct look *look)
{
	const struct dispatch *dispatch = look->dispatch;
	const struct backlog *waiting = &dispatch->work.waiting;
	const uint64_t launch = (uint64_t)dispatch->nlanes * LAUNCH_BLOCKS;

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
	const unsigned most = opens(dispatch) ? OPEN_CHUNK : CHUNK;
	unsigned openable = count_openable(dispatch), n;
	struct job *jobs[CHUNK];
	enum job_class classes[CHUNK];
	struct sequencer_view view;

	pthread_mutex_unlock(&dispatch->lock);
	n = sequencer_take(dispatch->sequencer, jobs, most, &view);
	for (unsigned i = 0; i < n; i++) {
		const bool begins =
			i < openable &&
			handover_begin(dispatch->sequencer, jobs[i]);

		classes[i] = classify_job(jobs[i], begins);
		if (begins && !jobs[i]->is_open)
			handover_give_up(dispatch->sequencer, jobs[i], false);
		if (classes[i] == JOB_CLASS_MUST_BE_OLDEST)
			openable = 0;
	}
	pthread_mutex_lock(&dispatch->lock);
	for (unsigned i = 0; i < n; i++) {
		backlog_add(&dispatch->work.waiting, jobs[i], classes[i]);
		if (classes[i] == JOB_CLASS_SIZED)
			amount_add(&dispatch->seen, jobs[i]->blocks);
		if (classes[i] == JOB_CLASS_MUST_BE_OLDEST)
			dispatch->may_open = false;
	}
	look->all += n;
	if (!look->is_closed)
		*look->view = view;
	look->is_closed |= n < most;
}

static void
look_up_part(void *task, unsigned part, unsigned parts)
{
	struct look *look = task;

	(void)part, (void)parts;
	pthread_mutex_lock(&look->dispatch->lock);
	while (goes_on(look))
		look_up_chunk(look);
	pthread_mutex_unlock(&look->dispatch->lock);
}

/* Lock held. */
static void
look_up(struct look *look)
{
	struct dispatch *dispatch = look->dispatch;
	struct share_rates rates;

	/* The first sizes decide how many threads look up the rest. */
	for (unsigned i = 0; i < CHUNKS_ALONE && goes_on(look); i++)
		look_up_chunk(look);
	if (!goes_on(look))
		return;
	get_rates(dispatch, &rates);
	pthread_mutex_unlock(&dispatch->lock);
	thread_team(rates.fillers, look_up_part, look);
	pthread_mutex_lock(&dispatch->lock);
}

void
dispatch_look_ahead(struct dispatch *dispatch, unsigned most,
		    struct sequencer_view *view)
{
	struct look look = { .dispatch = dispatch,
			     .most = most,
			     .begun_ns = clock_ns(),
			     .view = view };
	bool ended;

	pthread_mutex_lock(&dispatch->lock);
	/* Who wants many jobs waits for the current look-up to end: it may find
	 * that nothing more will come. */
	while (dispatch->looking && most > CHUNK)
		pthread_cond_wait(&dispatch->looked, &dispatch->lock);
	if (!dispatch->looking && !dispatch->work.ended &&
	    dispatch->work.waiting.messages < most) {
		dispatch->looking = true;
		look_up(&look);
		dispatch->looking = false;
		pthread_cond_signal(&dispatch->looked);
	}
	ended = look.is_closed && view->ended;
	dispatch->work.ended |= ended;
	pthread_mutex_unlock(&dispatch->lock);
	if (look.all == 0 && !look.is_closed)
		sequencer_take(dispatch->sequencer, NULL, 0, view);
	if (look.all > 0 || ended)
		sequencer_wake(dispatch->sequencer);
}

/* The supply of the workers ------------------------------------------------- */

/* Set the worker's blocks that are not hashed yet.  Lock held. */
static void
set_assigned(struct dispatch *dispatch, unsigned worker, uint64_t blocks)
{
	struct dispatch_worker *self = &dispatch->workers[worker];

	dispatch->work.in_workers += blocks - self->assigned;
	self->assigned = blocks;
}

/* Subtract blocks that the worker has hashed or given away.  Lock held. */
static void
reduce_assigned(struct dispatch *dispatch, unsigned worker, uint64_t blocks)
{
	set_assigned(dispatch, worker,
		     less(dispatch->workers[worker].assigned, blocks));
}

/*
 * Return true if enough is known to give work to a worker.  On the only core
 * it begins nothing before it is known whether that core will have time for
 * it.  Lock held.
 */
static bool
knows_enough(const struct dispatch *dispatch, const struct share_rates *rates)
{
	return rates->workers > 1 || dispatch->work.ended || rates->lane == 0 ||
	       dispatch->seen.messages >= dispatch->nlanes;
}

/*
 * Take a job out of those that wait, with a token; if there is none, the oldest one,
 * which always gets one.  NULL is allowed.  Lock held.
 */
static struct job *
take_job(struct dispatch *dispatch, struct job *job)
{
	struct backlog *waiting = &dispatch->work.waiting;

	if (job && !handover_begin(dispatch->sequencer, job)) {
		job = backlog_first(waiting);
		if (!handover_begin(dispatch->sequencer, job))
			return NULL;
	}
	return backlog_take(waiting, job);
}

/* Return the next job that only a worker may take, or NULL.  Lock held. */
static struct job *
take_for_worker(struct dispatch *dispatch, uint64_t head)
{
	struct backlog *waiting = &dispatch->work.waiting;
	struct job *job = backlog_for_worker(waiting, head);

	if (!job || !handover_begin(dispatch->sequencer, job))
		return NULL;
	return backlog_take_for_worker(waiting, head);
}

/* Return the next job for a worker, or NULL.  Lock held. */
static struct job *
next_for_worker(struct dispatch *dispatch, unsigned worker, uint64_t head,
		const struct share_rates *rates)
{
	const uint64_t assigned = dispatch->workers[worker].assigned;
	struct job *job = take_for_worker(dispatch, head);

	if (!job && dispatch->shared && assigned < share_enough(rates) &&
	    knows_enough(dispatch, rates))
		job = take_job(dispatch, share_for_worker(&dispatch->work,
							  rates, assigned));
	if (job)
		set_assigned(dispatch, worker, assigned + job->blocks);
	return job;
}

static unsigned
supply_take(struct job_supply *supply, unsigned worker, unsigned busy,
	    struct job **jobs, unsigned most, struct sequencer_view *view)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	struct dispatch_worker *self = &dispatch->workers[worker];
	struct share_rates rates;
	unsigned n = 0;

	/* Look up only what it takes to find something: the feeder does the
	 * rest while its device is busy. */
	dispatch_look_ahead(dispatch, most > 0 ? 1 : 0, view);
	pthread_mutex_lock(&dispatch->lock);
	get_rates(dispatch, &rates);
	/* An idle worker owns nothing. */
	if (busy == 0)
		set_assigned(dispatch, worker, 0);
	while (n < most && (jobs[n] = next_for_worker(dispatch, worker,
						      view->head, &rates)))
		n++;
	self->is_there = true;
	if (dispatch->nworkers <= worker)
		dispatch->nworkers = worker + 1;
	self->begun_ns = clock_ns();
	pthread_mutex_unlock(&dispatch->lock);
	return n;
}

static struct message *
supply_accept(struct job_supply *supply, unsigned worker)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	struct dispatch_worker *self = &dispatch->workers[worker];
	struct message *message = NULL;
	struct share_rates rates;

	pthread_mutex_lock(&dispatch->lock);
	get_rates(dispatch, &rates);
	if (self->assigned <= share_enough(&rates) / 3)
		message = offers_take_for_worker(&dispatch->offers);
	if (message)
		set_assigned(dispatch, worker,
			     self->assigned + message_blocks_left(message));
	pthread_mutex_unlock(&dispatch->lock);
	return message;
}

static uint64_t
supply_note_hashed(struct job_supply *supply, unsigned worker, uint64_t nblocks)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	const uint64_t now_ns = clock_ns();
	uint64_t wanted = 0;

	pthread_mutex_lock(&dispatch->lock);
	share_speeds_note_worker(&dispatch->speeds, nblocks,
				 now_ns - dispatch->workers[worker].begun_ns);
	reduce_assigned(dispatch, worker, nblocks);
	/* Others wait for this worker, while lanes are idle. */
	if (dispatch->shared && dispatch->idle_lanes > 0 &&
	    offers_want(&dispatch->offers, false))
		wanted = dispatch->offers.lane_capacity;
	pthread_mutex_unlock(&dispatch->lock);
	return wanted;
}

/*
 * Let the worker ask again as if it held nothing, unless it did that just now.
 */
static bool
supply_note_idle(struct job_supply *supply, unsigned worker)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	bool had_work;

	pthread_mutex_lock(&dispatch->lock);
	had_work = dispatch->workers[worker].assigned > 0;
	set_assigned(dispatch, worker, 0);
	pthread_mutex_unlock(&dispatch->lock);
	return had_work;
}

/* Return true if all workers should start, which share the work: a device
 * takes longer to open. */
static bool
supply_wants_workers(struct job_supply *supply, uint64_t jobs_seen,
		     const struct sequencer_view *view)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	bool shared;

	(void)jobs_seen, (void)view;
	pthread_mutex_lock(&dispatch->lock);
	shared = dispatch->shared;
	pthread_mutex_unlock(&dispatch->lock);
	return shared;
}

static void
supply_offer(struct job_supply *supply, unsigned worker,
	     struct message *message)
{
	struct dispatch *dispatch = (struct dispatch *)supply;

	pthread_mutex_lock(&dispatch->lock);
	reduce_assigned(dispatch, worker, message_blocks_left(message));
	dispatch->idle_lanes -= dispatch->idle_lanes > 0;
	pthread_mutex_unlock(&dispatch->lock);
	dispatch_offer(dispatch, message, true);
}

void
dispatch_init(struct dispatch *dispatch, struct sequencer *sequencer,
	      unsigned nlanes, unsigned workers, bool shared,
	      const struct engine_speed *speed)
{
	*dispatch = (struct dispatch){
		.supply = { .take = supply_take,
			    .accept = supply_accept,
			    .note_hashed = supply_note_hashed,
			    .note_idle = supply_note_idle,
			    .wants_workers = supply_wants_workers,
			    .offer = supply_offer },
		.sequencer = sequencer,
		.shared = shared,
		.nlanes = nlanes,
	};
	/* Workers that share the work are no model. */
	dispatch->has_no_clock = speed->modelled && !shared;
	dispatch->may_open = workers == 1 && !speed->modelled;
	share_speeds_init(&dispatch->speeds, speed, nlanes, workers,
			  shared ? workers : 0);
	pthread_mutex_init(&dispatch->lock, NULL);
	pthread_cond_init(&dispatch->looked, NULL);
}

void
dispatch_destroy(struct dispatch *dispatch)
{
	pthread_cond_destroy(&dispatch->looked);
	pthread_mutex_destroy(&dispatch->lock);
}

/* For the feeder ------------------------------------------------------------ */

struct dispatch_plan
dispatch_plan(struct dispatch *dispatch, const uint64_t *left,
	      struct amount leaving)
{
	struct share_work *work = &dispatch->work;
	struct dispatch_plan plan = { .level = 0 };
	struct share_rates rates;
	uint64_t enough, in_time, for_lane, idle_lanes = 0;

	pthread_mutex_lock(&dispatch->lock);
	work->in_lanes = 0;
	for (unsigned i = 0; i < dispatch->nlanes; i++) {
		work->in_lanes += left[i];
		idle_lanes += left[i] == 0;
	}
	dispatch->idle_lanes =
		(unsigned)less(idle_lanes, work->waiting.messages);
	offers_sum(&dispatch->offers, &leaving);
	work->on_offer = leaving.blocks;
	get_rates(dispatch, &rates);
	plan.level = share_level(work, &rates, left, dispatch->nlanes);
	plan.fillers = rates.fillers;
	/* A worker can leave this much of its blocks to an idle lane. */
	for_lane = dispatch->idle_lanes > 0 ? dispatch->offers.lane_capacity :
					      0;
	dispatch->offers.lane_capacity = less(plan.level, MIGRATION_MIN_BLOCKS);
	enough = share_enough(&rates);
	in_time = (uint64_t)(rates.core / rates.lane * (double)plan.level);
	/* At the end a worker has to be done when all else is. */
	if (work->ended && in_time < enough)
		enough = in_time;
	for (unsigned i = 0; i < dispatch->nworkers; i++) {
		const struct dispatch_worker *worker = &dispatch->workers[i];
		const uint64_t own = less(worker->assigned, for_lane);

		if (!worker->is_there || own >= enough)
			continue;
		plan.wanted.messages++;
		plan.wanted.blocks += enough - own;
	}
	if (!dispatch->shared || rates.worker <= rates.lane)
		plan.wanted = (struct amount){ .messages = 0 };
	pthread_mutex_unlock(&dispatch->lock);
	plan.wanted.messages = less(plan.wanted.messages, leaving.messages);
	plan.wanted.blocks = less(plan.wanted.blocks, leaving.blocks);
	return plan;
}

struct job *
dispatch_next_for_lane(struct dispatch *dispatch)
{
	struct share_work *work = &dispatch->work;
	struct share_rates rates;
	struct job *job;

	pthread_mutex_lock(&dispatch->lock);
	get_rates(dispatch, &rates);
	job = take_job(dispatch, share_for_lane(work, &rates));
	if (job)
		work->in_lanes += job->blocks;
	pthread_mutex_unlock(&dispatch->lock);
	return job;
}

struct message *
dispatch_accept(struct dispatch *dispatch)
{
	struct message *message;

	pthread_mutex_lock(&dispatch->lock);
	message = offers_take_for_lane(&dispatch->offers);
	pthread_mutex_unlock(&dispatch->lock);
	return message;
}

void
dispatch_put_back(struct dispatch *dispatch, struct job *job, bool lacks)
{
	handover_give_up(dispatch->sequencer, job, lacks);
	pthread_mutex_lock(&dispatch->lock);
	backlog_add(&dispatch->work.waiting, job, JOB_CLASS_MUST_BE_OLDEST);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

void
dispatch_offer(struct dispatch *dispatch, struct message *message,
	       bool for_lane)
{
	pthread_mutex_lock(&dispatch->lock);
	offers_add(&dispatch->offers, message, for_lane);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

/* Let lanes take nothing more.  Lock held. */
static void
end_lanes(struct dispatch *dispatch)
{
	dispatch->idle_lanes = 0;
	dispatch->offers.lane_capacity = 0;
}

bool
dispatch_end_lanes(struct dispatch *dispatch)
{
	bool ends;

	pthread_mutex_lock(&dispatch->lock);
	ends = dispatch->work.ended && dispatch->work.waiting.messages == 0 &&
	       !offers_want(&dispatch->offers, true);
	if (ends)
		end_lanes(dispatch);
	pthread_mutex_unlock(&dispatch->lock);
	return ends;
}

void
dispatch_note_launch(struct dispatch *dispatch,
		     const struct share_launch *launch)
{
	struct share_work *work = &dispatch->work;

	pthread_mutex_lock(&dispatch->lock);
	if (!dispatch->has_no_clock)
		share_speeds_note_launch(&dispatch->speeds, launch);
	work->in_lanes = less(work->in_lanes, launch->blocks);
	pthread_mutex_unlock(&dispatch->lock);
}

void
dispatch_begin_again(struct dispatch *dispatch, struct job *job)
{
	job->begins_again = true;
	job->begun_by_device = false;
	handover_give_up(dispatch->sequencer, job, false);
	pthread_mutex_lock(&dispatch->lock);
	backlog_add(&dispatch->work.waiting, job, JOB_CLASS_SIZED);
	pthread_mutex_unlock(&dispatch->lock);
}

void
dispatch_lose_device(struct dispatch *dispatch)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch->shared = true;
	share_speeds_lose_device(&dispatch->speeds);
	end_lanes(dispatch);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}
