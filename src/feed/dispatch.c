/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/dispatch.h"

#include <assert.h>

#include "src/base/clock.h"
#include "src/feed/look_ahead.h"

/* With this many small files waiting, one more worker pays. */
enum { PLAIN_BEFORE_HELP = 32 };

/* Messages that change hands; lock held ------------------------------------- */

static void
offer_to_workers(struct migration *migration, struct message *message)
{
	message->next = migration->for_workers;
	migration->for_workers = message;
	migration->nfor_workers++;
	migration->blocks += message_blocks_left(message);
}

/* Offer a message to the lanes; to the workers if the lanes are gone. */
static void
offer_to_lanes(struct migration *migration, struct message *message)
{
	if (migration->lanes_are_gone) {
		offer_to_workers(migration, message);
		return;
	}
	message->next = migration->for_lanes;
	migration->for_lanes = message;
	migration->nfor_lanes++;
}

/* Can a worker go on with this message now?  One that has enough to do accepts
 * only a message that must be the oldest and is. */
static bool
is_acceptable(const struct message *message, uint64_t head, bool has_enough)
{
	if (message->reader->must_be_oldest)
		return message->job->seq == head;
	return !has_enough;
}

/* The longest message that a worker can go on with, or NULL. */
static struct message *
accept_by_worker(struct migration *migration, uint64_t head, bool has_enough)
{
	struct message **at = &migration->for_workers, **best = NULL, *message;

	for (; *at; at = &(*at)->next)
		if (is_acceptable(*at, head, has_enough) &&
		    (!best ||
		     message_blocks_left(*at) > message_blocks_left(*best)))
			best = at;
	if (!best)
		return NULL;
	message = *best;
	*best = message->next;
	migration->nfor_workers--;
	migration->blocks -= message_blocks_left(message);
	return message;
}

static struct message *
accept_by_lane(struct migration *migration)
{
	struct message *message = migration->for_lanes;

	if (!message)
		return NULL;
	migration->for_lanes = message->next;
	migration->nfor_lanes--;
	return message;
}

/* From now on all that is on offer is for workers. */
static void
lose_lanes(struct migration *migration)
{
	struct message *message;

	migration->lanes_are_gone = true;
	while ((message = accept_by_lane(migration)) != NULL)
		offer_to_workers(migration, message);
}

/* The supply of the workers ------------------------------------------------- */

static struct job *
pop(struct job_queue *queue)
{
	struct job *job = queue->first;

	if (!job)
		return NULL;
	queue->first = job->next;
	if (!queue->first)
		queue->end = &queue->first;
	queue->n--;
	return job;
}

void
dispatch_keep_until_oldest(struct dispatch *dispatch, struct job *job)
{
	struct job **at = &dispatch->must_be_oldest;

	while (*at && (*at)->seq < job->seq)
		at = &(*at)->next;
	job->next = *at;
	*at = job;
}

void
dispatch_rates(const struct dispatch *dispatch, struct work_rates *rates)
{
	work_speeds_get(&dispatch->speeds, dispatch->seen, rates);
}

/* The worker has that many blocks to hash now.  Lock held. */
static void
set_assigned(struct dispatch *dispatch, unsigned worker, uint64_t blocks)
{
	struct dispatch_worker *self = &dispatch->workers[worker];

	dispatch->split.in_workers += blocks - self->assigned;
	self->assigned = blocks;
}

/* The worker has hashed that many blocks, or given them away.  Lock held. */
static void
reduce_assigned(struct dispatch *dispatch, unsigned worker, uint64_t blocks)
{
	const uint64_t assigned = dispatch->workers[worker].assigned;

	set_assigned(dispatch, worker,
		     assigned - (blocks < assigned ? blocks : assigned));
}

/* A worker on the only core begins nothing before it is known whether that core
 * will have time for it.  Lock held. */
static bool
knows_enough(const struct dispatch *dispatch, const struct work_rates *rates)
{
	return rates->workers > 1 || dispatch->ended ||
	       dispatch->migration.lanes_are_gone ||
	       dispatch->seen.messages >= dispatch->nlanes;
}

/* The next job for a worker, or NULL.  Lock held. */
static struct job *
next_for_worker(struct dispatch *dispatch, unsigned worker, uint64_t head,
		const struct work_rates *rates)
{
	const uint64_t assigned = dispatch->workers[worker].assigned;
	struct job *job = dispatch->must_be_oldest;

	if (job && job->seq == head) {
		dispatch->must_be_oldest = job->next;
		return job;
	}
	job = pop(&dispatch->plain);
	if (!job && dispatch->shared && assigned < work_enough(rates) &&
	    knows_enough(dispatch, rates))
		job = work_split_for_worker(&dispatch->split, rates, assigned);
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
	struct work_rates rates;
	bool wants_work;
	unsigned n = 0;

	/* Look up only what it takes to find something: the feeder does the
	 * rest while its device is busy. */
	dispatch_look_ahead(dispatch, worker, busy, most > 0 ? 1 : 0, view);
	pthread_mutex_lock(&dispatch->lock);
	dispatch_rates(dispatch, &rates);
	/* What the worker has given to others, or could not read, is gone by
	 * now. */
	if (busy == 0)
		set_assigned(dispatch, worker, 0);
	while (n < most && (jobs[n] = next_for_worker(dispatch, worker,
						      view->head, &rates)))
		n++;
	wants_work = n < most && self->assigned < work_enough(&rates);
	dispatch->nwanting += wants_work;
	dispatch->nwanting -= self->wants_work;
	self->wants_work = wants_work;
	self->is_there = true;
	if (dispatch->nworkers <= worker)
		dispatch->nworkers = worker + 1;
	self->begun_ns = clock_ns();
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_set_busy(dispatch->sequencer, worker, busy + n);
	return n;
}

static struct message *
supply_accept(struct job_supply *supply, unsigned worker,
	      enum job_supply_need need, uint64_t head)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	struct migration *migration = &dispatch->migration;
	struct dispatch_worker *self = &dispatch->workers[worker];
	struct message *message = NULL;
	bool has_enough = false;
	struct work_rates rates;

	/* It has asked for what is on offer here just before. */
	if (need == SUPPLY_WORKER_IDLE)
		return sequencer_accept(dispatch->sequencer, worker);
	pthread_mutex_lock(&dispatch->lock);
	if (migration->nfor_workers > 0) {
		dispatch_rates(dispatch, &rates);
		has_enough = need == SUPPLY_LANE_FREE &&
			     self->assigned > work_enough(&rates) / 3;
		message = accept_by_worker(migration, head, has_enough);
	}
	if (!message && need == SUPPLY_NO_DESCRIPTOR)
		message = accept_by_lane(migration);
	if (message) {
		set_assigned(dispatch, worker,
			     self->assigned + message_blocks_left(message));
		/* A worker that lacks a descriptor finds the message here, or
		 * learns that it has to wait for this worker. */
		sequencer_note_accepted(dispatch->sequencer, worker);
	}
	pthread_mutex_unlock(&dispatch->lock);
	return message;
}

static uint64_t
supply_note_hashed(struct job_supply *supply, unsigned worker, uint64_t nblocks)
{
	struct dispatch *dispatch = (struct dispatch *)supply;
	const struct migration *migration = &dispatch->migration;
	const uint64_t now_ns = clock_ns();
	uint64_t wanted = 0;

	pthread_mutex_lock(&dispatch->lock);
	work_speeds_note_worker(&dispatch->speeds, nblocks,
				now_ns - dispatch->workers[worker].begun_ns);
	reduce_assigned(dispatch, worker, nblocks);
	/* Others wait for this worker, while lanes are idle. */
	if (dispatch->shared && dispatch->idle_lanes > 0 &&
	    migration->nfor_workers > 0 && !migration->lanes_are_gone)
		wanted = dispatch->lane_capacity;
	pthread_mutex_unlock(&dispatch->lock);
	return wanted;
}

/* The worker asks again as if it held nothing, unless it did that just now. */
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

static bool
supply_wants_workers(struct job_supply *supply, uint64_t jobs_seen,
		     const struct sequencer_view *view)
{
	(void)jobs_seen, (void)view;
	return dispatch_wants_workers((struct dispatch *)supply);
}

static void
supply_put_back(struct job_supply *supply, struct job *job)
{
	dispatch_put_back((struct dispatch *)supply, job);
}

static void
supply_offer(struct job_supply *supply, unsigned worker,
	     struct message *message)
{
	struct dispatch *dispatch = (struct dispatch *)supply;

	pthread_mutex_lock(&dispatch->lock);
	if (message->reader->must_be_oldest) {
		offer_to_workers(&dispatch->migration, message);
	} else {
		reduce_assigned(dispatch, worker, message_blocks_left(message));
		offer_to_lanes(&dispatch->migration, message);
		dispatch->idle_lanes -= dispatch->idle_lanes > 0;
	}
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
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
			    .takes_back = true,
			    .put_back = supply_put_back,
			    .offer = supply_offer },
		.sequencer = sequencer,
		.shared = shared,
		.nlanes = nlanes,
		.plain = { .end = &dispatch->plain.first },
	};
	/* Workers that share the work are no model. */
	if (speed->modelled && !shared)
		dispatch->look_seconds = speed->look_seconds;
	work_speeds_init(&dispatch->speeds, speed, nlanes, workers,
			 shared ? workers : 0);
	pthread_mutex_init(&dispatch->lock, NULL);
	pthread_cond_init(&dispatch->looked, NULL);
	work_split_init(&dispatch->split);
}

void
dispatch_destroy(struct dispatch *dispatch)
{
	work_split_free(&dispatch->split);
	pthread_cond_destroy(&dispatch->looked);
	pthread_mutex_destroy(&dispatch->lock);
}

bool
dispatch_wants_workers(struct dispatch *dispatch)
{
	bool wants;

	pthread_mutex_lock(&dispatch->lock);
	wants = dispatch->nwanting == 0 &&
		(dispatch->plain.n >= PLAIN_BEFORE_HELP ||
		 (dispatch->shared && dispatch->split.waiting > 0));
	pthread_mutex_unlock(&dispatch->lock);
	return wants;
}

/* For the feeder ------------------------------------------------------------ */

/* How many workers will soon be free, and what would keep them busy.  Lock
 * held. */
static void
plan_migration(const struct dispatch *dispatch, const struct work_rates *rates,
	       struct dispatch_plan *plan)
{
	const struct migration *migration = &dispatch->migration;
	/* A worker can leave this much of its blocks to an idle lane. */
	const uint64_t for_lane =
		dispatch->idle_lanes > 0 ? dispatch->lane_capacity : 0;
	const unsigned nmoving =
		migration->nfor_workers + migration->nannounced;
	const uint64_t moving = migration->blocks + migration->announced;
	uint64_t most = work_enough(rates);

	/* At the end a worker has to be done when all else is. */
	if (dispatch->split.ended &&
	    rates->core * plan->work.seconds < (double)most)
		most = (uint64_t)(rates->core * plan->work.seconds);
	plan->wanted_messages = 0;
	plan->wanted_blocks = 0;
	for (unsigned i = 0; i < dispatch->nworkers; i++) {
		const struct dispatch_worker *worker = &dispatch->workers[i];
		const uint64_t own = worker->assigned > for_lane ?
					     worker->assigned - for_lane :
					     0;

		if (!worker->is_there || own >= most)
			continue;
		plan->wanted_messages++;
		plan->wanted_blocks += most - own;
	}
	plan->wanted_messages -= nmoving < plan->wanted_messages ?
					 nmoving :
					 plan->wanted_messages;
	plan->wanted_blocks -=
		moving < plan->wanted_blocks ? moving : plan->wanted_blocks;
}

/* Messages that have no lane but could have one.  Lock held. */
static unsigned
count_begun(const struct dispatch *dispatch)
{
	unsigned begun = dispatch->migration.nfor_workers +
			 dispatch->migration.nfor_lanes;

	for (unsigned i = 0; i < dispatch->nworkers; i++)
		begun += dispatch->workers[i].assigned >= MIGRATION_MIN_BLOCKS;
	return begun;
}

void
dispatch_plan(struct dispatch *dispatch, const uint64_t *left,
	      struct dispatch_plan *plan)
{
	struct work_split *split = &dispatch->split;
	struct work_rates rates;

	pthread_mutex_lock(&dispatch->lock);
	split->in_lanes = 0;
	for (unsigned i = 0; i < dispatch->nlanes; i++)
		split->in_lanes += left[i];
	split->migrating = dispatch->migration.blocks;
	split->begun = count_begun(dispatch);
	dispatch_rates(dispatch, &rates);
	work_split_plan(split, &rates, left, dispatch->nlanes, &plan->work);
	plan_migration(dispatch, &rates, plan);
	dispatch->lane_capacity = plan->work.lane_capacity;
	if (!dispatch->shared)
		plan->work.min_migration = UINT64_MAX;
	plan->may_spawn = dispatch->nwanting == 0;
	pthread_mutex_unlock(&dispatch->lock);
}

struct job *
dispatch_next_for_lane(struct dispatch *dispatch)
{
	struct work_rates rates;
	struct job *job;

	pthread_mutex_lock(&dispatch->lock);
	dispatch_rates(dispatch, &rates);
	job = work_split_for_lane(&dispatch->split, &rates);
	if (job)
		dispatch->split.in_lanes += job->blocks;
	pthread_mutex_unlock(&dispatch->lock);
	return job;
}

bool
dispatch_has_offer(struct dispatch *dispatch)
{
	bool has;

	pthread_mutex_lock(&dispatch->lock);
	has = dispatch->migration.for_lanes != NULL;
	pthread_mutex_unlock(&dispatch->lock);
	return has;
}

struct message *
dispatch_accept(struct dispatch *dispatch)
{
	struct message *message;

	pthread_mutex_lock(&dispatch->lock);
	message = accept_by_lane(&dispatch->migration);
	pthread_mutex_unlock(&dispatch->lock);
	return message;
}

void
dispatch_note_filling(struct dispatch *dispatch, unsigned idle_lanes)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch->idle_lanes = idle_lanes;
	pthread_mutex_unlock(&dispatch->lock);
}

void
dispatch_put_back(struct dispatch *dispatch, struct job *job)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch_keep_until_oldest(dispatch, job);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

void
dispatch_announce(struct dispatch *dispatch, struct message *message)
{
	message->announced = message_blocks_left(message);
	pthread_mutex_lock(&dispatch->lock);
	dispatch->migration.nannounced++;
	dispatch->migration.announced += message->announced;
	pthread_mutex_unlock(&dispatch->lock);
}

/* Lock held. */
static void
end_announcement(struct migration *migration, struct message *message)
{
	assert(message->announced > 0);
	migration->nannounced--;
	migration->announced -= message->announced;
	message->announced = 0;
}

void
dispatch_offer(struct dispatch *dispatch, struct message *message)
{
	pthread_mutex_lock(&dispatch->lock);
	end_announcement(&dispatch->migration, message);
	offer_to_workers(&dispatch->migration, message);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

void
dispatch_withdraw(struct dispatch *dispatch, struct message *message)
{
	pthread_mutex_lock(&dispatch->lock);
	end_announcement(&dispatch->migration, message);
	pthread_mutex_unlock(&dispatch->lock);
}

bool
dispatch_end_lanes(struct dispatch *dispatch)
{
	bool ends;

	pthread_mutex_lock(&dispatch->lock);
	ends = dispatch->ended && !dispatch->looking &&
	       dispatch->split.waiting == 0 && !dispatch->migration.for_lanes;
	if (ends)
		lose_lanes(&dispatch->migration);
	pthread_mutex_unlock(&dispatch->lock);
	return ends;
}

void
dispatch_note_launch(struct dispatch *dispatch, uint64_t blocks,
		     uint32_t longest, uint64_t ns, uint64_t filling_ns)
{
	struct work_split *split = &dispatch->split;

	pthread_mutex_lock(&dispatch->lock);
	if (dispatch->look_seconds == 0)
		work_speeds_note_launch(&dispatch->speeds, longest, ns,
					filling_ns);
	split->in_lanes -= blocks < split->in_lanes ? blocks : split->in_lanes;
	pthread_mutex_unlock(&dispatch->lock);
}

void
dispatch_lose_device(struct dispatch *dispatch)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch->shared = true;
	work_speeds_lose_device(&dispatch->speeds);
	lose_lanes(&dispatch->migration);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}
