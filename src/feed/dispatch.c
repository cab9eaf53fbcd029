/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/dispatch.h"

#include "src/base/clock.h"
#include "src/feed/look_up.h"

enum {
	/* Jobs taken from the sequencer at a time. */
	CHUNK = 64,
	/* Small ones that wait before a worker more pays. */
	PLAIN_BEFORE_HELP = 32
};

/* Looking up sizes takes no more of a launch of 14 ms, in which lanes have to
 * be filled, too; but what waits has to fill them evenly. */
static const uint64_t look_ns = 6 * CLOCK_NS_PER_MS;
enum { LAUNCH_BLOCKS = 512 }; /* of a lane */

void
dispatch_init(struct dispatch *dispatch, struct sequencer *sequencer,
	      unsigned nlanes, unsigned workers, bool shared,
	      const struct engine_speed *speed)
{
	*dispatch = (struct dispatch){ .sequencer = sequencer,
				       .shared = shared,
				       .nlanes = nlanes };
	work_speeds_init(&dispatch->speeds, speed, nlanes, workers,
			 shared ? workers : 0);
	pthread_mutex_init(&dispatch->lock, NULL);
	pthread_cond_init(&dispatch->looked, NULL);
	work_split_init(&dispatch->split);
	job_queue_init(&dispatch->plain);
}

void
dispatch_destroy(struct dispatch *dispatch)
{
	work_split_free(&dispatch->split);
	pthread_cond_destroy(&dispatch->looked);
	pthread_mutex_destroy(&dispatch->lock);
}

/* Looking ahead ------------------------------------------------------------- */

static void
count(struct work_amount *amount, uint64_t blocks)
{
	amount->messages++;
	amount->blocks += blocks;
}

static void
add(struct dispatch *dispatch, const struct ticket *tickets,
    const enum look_up *ways, unsigned n)
{
	pthread_mutex_lock(&dispatch->lock);
	for (unsigned i = 0; i < n; i++) {
		struct job *job = tickets[i].job;

		if (ways[i] == LOOK_UP_IN_TURN)
			job_queue_insert(&dispatch->in_turn, job);
		/* Where memory is short, the queue needs none. */
		else if (ways[i] == LOOK_UP_PLAIN ||
			 !work_split_add(&dispatch->split, job->blocks, job))
			job_queue_push(&dispatch->plain, job);
		else
			count(&dispatch->seen, job->blocks);
	}
	pthread_mutex_unlock(&dispatch->lock);
}

/* Whoever wants many waits while somebody else looks up a few. */
static bool
begin_looking(struct dispatch *dispatch, unsigned most)
{
	bool begun;

	pthread_mutex_lock(&dispatch->lock);
	while (dispatch->looking && most > CHUNK)
		pthread_cond_wait(&dispatch->looked, &dispatch->lock);
	begun = !dispatch->looking && !dispatch->ended &&
		dispatch->split.waiting < most;
	dispatch->looking |= begun;
	pthread_mutex_unlock(&dispatch->lock);
	return begun;
}

/* One more round of looking up? */
static bool
goes_on(struct dispatch *dispatch, uint64_t begun_ns)
{
	bool short_of_work;

	pthread_mutex_lock(&dispatch->lock);
	short_of_work = dispatch->split.blocks <
			2 * (uint64_t)dispatch->nlanes * LAUNCH_BLOCKS;
	pthread_mutex_unlock(&dispatch->lock);
	return short_of_work || clock_ns() - begun_ns < look_ns;
}

static void
end_looking(struct dispatch *dispatch, const struct sequencer_view *view)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch->looking = false;
	pthread_cond_signal(&dispatch->looked);
	if (view->ended) {
		dispatch->ended = true;
		work_split_end(&dispatch->split);
	}
	pthread_mutex_unlock(&dispatch->lock);
}

void
dispatch_look_ahead(struct dispatch *dispatch, unsigned worker, unsigned busy,
		    unsigned most, struct sequencer_view *view)
{
	struct ticket tickets[CHUNK];
	enum look_up ways[CHUNK];
	const uint64_t begun = clock_ns();
	unsigned all = 0, n = CHUNK;

	if (!begin_looking(dispatch, most)) {
		sequencer_take(dispatch->sequencer, worker, busy, NULL, 0,
			       view);
		return;
	}
	while (n == CHUNK && all < most && goes_on(dispatch, begun)) {
		n = sequencer_take(dispatch->sequencer, worker, busy + all,
				   tickets, CHUNK, view);
		for (unsigned i = 0; i < n; i++)
			ways[i] = look_up(tickets[i].job);
		add(dispatch, tickets, ways, n);
		all += n;
	}
	end_looking(dispatch, view);
	if (all > 0 || view->ended)
		sequencer_wake(dispatch->sequencer);
}

/* For CPU workers ----------------------------------------------------------- */

/* Lock held. */
static void
get_rates(const struct dispatch *dispatch, struct work_rates *rates)
{
	work_speeds_get(&dispatch->speeds, dispatch->seen, rates);
}

/* A worker has so many blocks now.  Lock held. */
static void
set_held(struct dispatch *dispatch, unsigned worker, uint64_t blocks)
{
	struct dispatch_worker *self = &dispatch->workers[worker];

	dispatch->split.in_workers += blocks - self->held;
	self->held = blocks;
}

/* Lock held. */
static struct job *
next_for_worker(struct dispatch *dispatch, unsigned worker, uint64_t head,
		const struct work_rates *rates)
{
	const uint64_t held = dispatch->workers[worker].held;
	struct job *job = dispatch->in_turn;

	if (job && job->seq == head) {
		dispatch->in_turn = job->next;
		return job;
	}
	job = job_queue_pop(&dispatch->plain);
	if (!job && dispatch->shared && held < work_enough(rates))
		job = work_split_for_worker(&dispatch->split, rates, held);
	if (job)
		set_held(dispatch, worker, held + job->blocks);
	return job;
}

/* Lock held. */
static void
set_hungry(struct dispatch *dispatch, unsigned worker, bool hungry)
{
	struct dispatch_worker *self = &dispatch->workers[worker];

	dispatch->nhungry += hungry;
	dispatch->nhungry -= self->is_hungry;
	self->is_hungry = hungry;
	self->is_there = true;
}

unsigned
dispatch_take(struct dispatch *dispatch, unsigned worker, unsigned busy,
	      struct ticket *tickets, unsigned max, struct sequencer_view *view)
{
	struct work_rates rates;
	unsigned n = 0;

	/* Only as far as it takes to find something: the feeder does the
	 * rest while its device is busy. */
	dispatch_look_ahead(dispatch, worker, busy, max > 0 ? 1 : 0, view);
	pthread_mutex_lock(&dispatch->lock);
	get_rates(dispatch, &rates);
	/* What it has given to others, or could not read, is gone by now. */
	if (busy == 0)
		set_held(dispatch, worker, 0);
	for (; n < max; n++) {
		struct job *job =
			next_for_worker(dispatch, worker, view->head, &rates);

		if (!job)
			break;
		tickets[n] = (struct ticket){ .job = job, .seq = job->seq };
	}
	set_hungry(dispatch, worker,
		   n < max && dispatch->workers[worker].held <
				      work_enough(&rates));
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_set_busy(dispatch->sequencer, worker, busy + n);
	return n;
}

bool
dispatch_wants_workers(struct dispatch *dispatch)
{
	bool wants;

	pthread_mutex_lock(&dispatch->lock);
	wants = dispatch->nhungry == 0 &&
		(dispatch->plain.n >= PLAIN_BEFORE_HELP ||
		 (dispatch->shared && dispatch->split.waiting > 0));
	pthread_mutex_unlock(&dispatch->lock);
	return wants;
}

/* Lock held. */
static struct lane_transfer *
take_rest(struct dispatch *dispatch, unsigned worker, uint64_t head,
	  bool has_enough)
{
	struct lane_transfer *rest =
		rests_take_for_worker(&dispatch->rests, head, has_enough);

	if (rest)
		set_held(dispatch, worker,
			 dispatch->workers[worker].held + rest_blocks(rest));
	return rest;
}

struct lane_transfer *
dispatch_take_rest(struct dispatch *dispatch, unsigned worker, uint64_t head)
{
	struct lane_transfer *rest = NULL;
	struct work_rates rates;

	pthread_mutex_lock(&dispatch->lock);
	if (dispatch->rests.nfor_workers > 0) {
		get_rates(dispatch, &rates);
		rest = take_rest(dispatch, worker, head,
				 dispatch->workers[worker].held >
					 work_enough(&rates) / 3);
	}
	pthread_mutex_unlock(&dispatch->lock);
	return rest;
}

struct lane_transfer *
dispatch_take_any_rest(struct dispatch *dispatch, unsigned worker,
		       uint64_t head)
{
	struct lane_transfer *rest;

	pthread_mutex_lock(&dispatch->lock);
	rest = take_rest(dispatch, worker, head, false);
	if (!rest) {
		rest = rests_take_for_lane(&dispatch->rests);
		if (rest)
			set_held(dispatch, worker,
				 dispatch->workers[worker].held +
					 rest_blocks(rest));
	}
	pthread_mutex_unlock(&dispatch->lock);
	return rest;
}

void
dispatch_leave_rest(struct dispatch *dispatch, unsigned worker,
		    struct lane_transfer *rest)
{
	const uint64_t blocks = rest_blocks(rest);
	uint64_t held;

	pthread_mutex_lock(&dispatch->lock);
	held = dispatch->workers[worker].held;
	set_held(dispatch, worker, held > blocks ? held - blocks : 0);
	rests_add_for_lane(&dispatch->rests, rest);
	dispatch->idle_lanes -= dispatch->idle_lanes > 0;
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

bool
dispatch_note_standstill(struct dispatch *dispatch, unsigned worker)
{
	bool held;

	pthread_mutex_lock(&dispatch->lock);
	held = dispatch->workers[worker].held > 0;
	set_held(dispatch, worker, 0);
	pthread_mutex_unlock(&dispatch->lock);
	return held;
}

/* For the feeder ------------------------------------------------------------ */

/* What a worker has to do with so many blocks before it can leave the rest to
 * a lane.  Lock held. */
static uint64_t
part_of_worker(const struct dispatch *dispatch, uint64_t blocks)
{
	const uint64_t lane = dispatch->idle_lanes > 0 ? dispatch->level : 0;

	return blocks > lane ? blocks - lane : 0;
}

/* How many workers will soon be free, and what would keep them busy.  Lock
 * held. */
static void
plan_rests(const struct dispatch *dispatch, const struct work_rates *rates,
	   struct dispatch_plan *plan)
{
	const struct rests *rests = &dispatch->rests;
	const unsigned pending = rests->nfor_workers + rests->npromised;
	const uint64_t most = work_enough(rates),
		       waiting = rests->blocks + rests->promised;

	plan->rests = 0;
	plan->rest_blocks = 0;
	for (unsigned i = 0; i < EXCHANGE_WORKERS; i++) {
		const struct dispatch_worker *worker = &dispatch->workers[i];
		const uint64_t held = part_of_worker(dispatch, worker->held);

		if (!worker->is_there || held >= most)
			continue;
		plan->rests++;
		plan->rest_blocks += most - held;
	}
	plan->rests -= pending < plan->rests ? pending : plan->rests;
	plan->rest_blocks -= waiting < plan->rest_blocks ? waiting :
							   plan->rest_blocks;
}

/* Messages that have no lane but could have one.  Lock held. */
static unsigned
count_begun(const struct dispatch *dispatch)
{
	unsigned begun =
		dispatch->rests.nfor_workers + dispatch->rests.nfor_lanes;

	for (unsigned i = 0; i < EXCHANGE_WORKERS; i++)
		begun += dispatch->workers[i].held >= WORK_HAND_OVER;
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
	split->in_rests = dispatch->rests.blocks;
	split->begun = count_begun(dispatch);
	get_rates(dispatch, &rates);
	plan_rests(dispatch, &rates, plan);
	work_split_plan(split, &rates, left, dispatch->nlanes, &plan->work);
	dispatch->level = plan->work.level;
	if (!dispatch->shared)
		plan->work.least = UINT64_MAX;
	plan->may_spawn = dispatch->nhungry == 0;
	pthread_mutex_unlock(&dispatch->lock);
}

bool
dispatch_has_rest_for_lane(struct dispatch *dispatch)
{
	bool has;

	pthread_mutex_lock(&dispatch->lock);
	has = dispatch->rests.for_lanes != NULL;
	pthread_mutex_unlock(&dispatch->lock);
	return has;
}

struct lane_transfer *
dispatch_rest_for_lane(struct dispatch *dispatch)
{
	struct lane_transfer *rest;

	pthread_mutex_lock(&dispatch->lock);
	rest = rests_take_for_lane(&dispatch->rests);
	pthread_mutex_unlock(&dispatch->lock);
	return rest;
}

void
dispatch_note_filling(struct dispatch *dispatch, unsigned idle_lanes)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch->idle_lanes = idle_lanes;
	pthread_mutex_unlock(&dispatch->lock);
}

struct job *
dispatch_for_lane(struct dispatch *dispatch)
{
	struct work_rates rates;
	struct job *job;

	pthread_mutex_lock(&dispatch->lock);
	get_rates(dispatch, &rates);
	job = work_split_for_lane(&dispatch->split, &rates);
	if (job)
		dispatch->split.in_lanes += job->blocks;
	pthread_mutex_unlock(&dispatch->lock);
	return job;
}

void
dispatch_return(struct dispatch *dispatch, struct job *job)
{
	pthread_mutex_lock(&dispatch->lock);
	job_queue_insert(&dispatch->in_turn, job);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

void
dispatch_promise_rest(struct dispatch *dispatch, uint64_t blocks)
{
	pthread_mutex_lock(&dispatch->lock);
	rests_promise(&dispatch->rests, blocks);
	pthread_mutex_unlock(&dispatch->lock);
}

void
dispatch_give_rest(struct dispatch *dispatch, struct lane_transfer *rest,
		   uint64_t promised)
{
	pthread_mutex_lock(&dispatch->lock);
	rests_end_promise(&dispatch->rests, promised);
	if (rest)
		rests_add_for_worker(&dispatch->rests, rest);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

void
dispatch_return_rest(struct dispatch *dispatch, struct lane_transfer *rest)
{
	pthread_mutex_lock(&dispatch->lock);
	rests_add_for_worker(&dispatch->rests, rest);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}

bool
dispatch_end_lanes(struct dispatch *dispatch)
{
	bool ends;

	pthread_mutex_lock(&dispatch->lock);
	ends = dispatch->ended && !dispatch->looking &&
	       dispatch->split.waiting == 0 && !dispatch->rests.for_lanes;
	if (ends)
		rests_lose_lanes(&dispatch->rests);
	pthread_mutex_unlock(&dispatch->lock);
	return ends;
}

/* Speeds -------------------------------------------------------------------- */

void
dispatch_note_launch(struct dispatch *dispatch, uint64_t blocks,
		     uint32_t longest, uint64_t ns, uint64_t filling_ns)
{
	struct work_split *split = &dispatch->split;

	pthread_mutex_lock(&dispatch->lock);
	work_speeds_note_launch(&dispatch->speeds, longest, ns, filling_ns);
	split->in_lanes -= blocks < split->in_lanes ? blocks : split->in_lanes;
	pthread_mutex_unlock(&dispatch->lock);
}

uint64_t
dispatch_note_worker(struct dispatch *dispatch, unsigned worker,
		     uint64_t blocks, uint64_t ns)
{
	uint64_t held, level = 0;

	pthread_mutex_lock(&dispatch->lock);
	work_speeds_note_worker(&dispatch->speeds, blocks, ns);
	held = dispatch->workers[worker].held;
	set_held(dispatch, worker, held - (blocks < held ? blocks : held));
	if (dispatch->shared && dispatch->idle_lanes > 0 &&
	    dispatch->rests.nfor_workers > 0 && !dispatch->rests.lanes_are_gone)
		level = dispatch->level;
	pthread_mutex_unlock(&dispatch->lock);
	return level;
}

void
dispatch_lose_device(struct dispatch *dispatch, bool lanes_go_on)
{
	pthread_mutex_lock(&dispatch->lock);
	dispatch->shared = true;
	work_speeds_lose_device(&dispatch->speeds, lanes_go_on);
	rests_lose_lanes(&dispatch->rests);
	pthread_mutex_unlock(&dispatch->lock);
	sequencer_wake(dispatch->sequencer);
}
