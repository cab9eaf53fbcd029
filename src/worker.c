/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/handover.h"
#include "src/progress.h"
#include "src/set.h"
#include "src/stepper.h"

enum {
	/* A lane's buffer. */
	LANE_BYTES = 128 << 10,
	/* An engine that overlaps works on one while we fill the other. */
	MOST_SETS = 2,
	/* Jobs a worker sees before it calls for help with small ones. */
	JOBS_BEFORE_HELP = 32
};

struct worker {
	struct worker_config config;
	struct order *order;
	unsigned index;
	struct stepper stepper;
	void *arena;		/* of its owner */
	size_t arena_bytes;
	struct set sets[MOST_SETS];
	unsigned nsets;
	struct set *filling;
	unsigned fruitless;	/* sets in a row that had nothing to do */
	unsigned nlanes;	/* of a set */
	size_t capacity;	/* of a lane's buffer */
	unsigned busy;		/* lanes with a job, of all sets */
	uint64_t jobs_seen;
	uint64_t jobs_ended;
	uint64_t blocks;
	uint64_t bytes;		/* hashed */
	struct ticket *taken;	/* as many as lanes of a set */
	/* To be published: what was in the lanes or taken in one turn, and
	 * what was accepted from others. */
	struct ticket *finished;
	unsigned nfinished;
	struct order_view view;
};

/* One arena for the lanes of all sets. */
static bool
allocate_buffers(struct worker *worker)
{
	const struct stepper *stepper = &worker->stepper;
	size_t bytes = set_buffer_bytes(worker->nlanes, worker->capacity);

	worker->arena_bytes = bytes * worker->nsets;
	worker->arena = stepper->owner->alloc(stepper->owner_self,
					      worker->arena_bytes);
	if (!worker->arena)
		return false;
	for (unsigned i = 0; i < worker->nsets; i++)
		set_place_buffers(&worker->sets[i],
				  (uint8_t *)worker->arena + i * bytes,
				  worker->nlanes, worker->capacity);
	return true;
}

/* With little memory, smaller buffers, then fewer lanes. */
static bool
allocate_lanes(struct worker *worker)
{
	const struct engine_limits *limits = &worker->stepper.limits;
	const struct lane model = {
		.order = worker->order,
		.crypto = worker->config.crypto,
		.disks = worker->config.disks
	};

	worker->nsets = limits->overlaps ? 2 : 1;
	worker->filling = worker->sets;
	worker->nlanes = limits->batches * limits->lanes - limits->spare;
	worker->capacity = LANE_BYTES;
	for (unsigned i = 0; i < worker->nsets; i++)
		if (!set_allocate(&worker->sets[i], limits->batches,
				  limits->lanes, worker->nlanes,
				  stepper_may_fail(&worker->stepper), &model))
			return false;
	worker->taken = calloc(worker->nlanes, sizeof(*worker->taken));
	worker->finished = calloc((size_t)(worker->nsets + 1) * worker->nlanes,
				  sizeof(*worker->finished));
	if (!worker->taken || !worker->finished)
		return false;
	while (!allocate_buffers(worker)) {
		if (worker->capacity > READER_MIN_CAPACITY)
			worker->capacity /= 2;
		else if (worker->nlanes > 1)
			worker->nlanes /= 2;
		else
			return false;
	}
	return true;
}

static void
free_lanes(struct worker *worker)
{
	for (unsigned i = 0; i < MOST_SETS; i++)
		set_free(&worker->sets[i]);
	free(worker->taken);
	free(worker->finished);
	worker->taken = worker->finished = NULL;
}

/* With a device that has no memory for a lane, lanes of the CPU. */
static bool
open_engine(struct worker *worker, struct diag *why_not)
{
	const struct worker_config *config = &worker->config;
	struct stepper *stepper = &worker->stepper;

	if (!stepper_open(stepper, config->engine, config->words,
			  config->fallback, why_not))
		return false;
	do {
		if (allocate_lanes(worker))
			return true;
		free_lanes(worker);
	} while (stepper_give_up_device(stepper));
	stepper_close(stepper);
	diag_set(why_not, "memory exhausted");
	return false;
}

struct worker *
worker_new(const struct worker_config *config, struct order *order,
	   unsigned index, struct diag *why_not)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	struct diag why;

	if (!worker) {
		diag_set(why_not, "memory exhausted");
		return NULL;
	}
	worker->config = *config;
	worker->order = order;
	worker->index = index;
	if (open_engine(worker, &why))
		return worker;
	if (why_not)
		*why_not = why;
	free(worker);
	return NULL;
}

void
worker_free(struct worker *worker)
{
	struct worker_report report = { .engine.qpus = 0 };
	const struct stepper *stepper;

	if (!worker)
		return;
	stepper = &worker->stepper;
	report.blocks = worker->blocks;
	report.failed = stepper->failed;
	report.why = stepper->why;
	if (stepper->owner->stats)
		stepper->owner->stats(stepper->owner_self, &report.engine);
	worker->config.ended(worker->config.crew, &report);
	stepper->owner->free(stepper->owner_self, worker->arena,
			     worker->arena_bytes);
	stepper_close(&worker->stepper);
	free_lanes(worker);
	free(worker);
}

/* Keep account of a job that has ended. */
static void
note_end(struct worker *worker, struct set *set, struct ticket ticket)
{
	ticket.job->device = set->device;
	worker->finished[worker->nfinished++] = ticket;
	worker->jobs_ended++;
	worker->busy--;
	set->busy--;
}

/*
 * Does an earlier lane hold a FIFO whose turn has not come?  One such lane is
 * enough for a worker: more would use up the descriptors that the oldest job
 * may need, without getting on.
 */
static bool
fifo_waits_before(const struct worker *worker, uint64_t seq)
{
	for (unsigned i = 0; i < worker->nsets * worker->nlanes; i++) {
		const struct set *set = &worker->sets[i / worker->nlanes];
		const struct lane *lane = &set->lanes[i % worker->nlanes];

		if (!lane_is_free(lane) && lane->reader.fifo &&
		    lane->ticket.seq < seq &&
		    lane->ticket.seq != worker->view.head)
			return true;
	}
	return false;
}

/* Give every free lane a job, as far as there are any. */
static void
take_jobs(struct worker *worker, struct set *set)
{
	unsigned wanted = worker->nlanes - set->busy;
	struct lane *lane = set->lanes;
	unsigned taken;

	if (fifo_waits_before(worker, UINT64_MAX))
		wanted = 0;
	taken = order_take(worker->order, worker->index, worker->busy,
			   worker->taken, wanted, &worker->view);
	worker->busy += taken;
	set->busy += taken;
	worker->jobs_seen += taken;
	for (unsigned i = 0; i < taken; i++) {
		struct ticket ticket = worker->taken[i];

		/* An open that fails leaves the lane free for the next. */
		while (!lane_is_free(lane))
			lane++;
		lane_start(lane, ticket);
		if (!fifo_waits_before(worker, ticket.seq) &&
		    lane_open(lane) == LANE_ENDED)
			note_end(worker, set, ticket);
	}
}

/* Take over what busier workers have given away.  False: nothing. */
static bool
accept_lanes(struct worker *worker, struct set *set)
{
	unsigned accepted = handover_accept(worker->order, worker->index, set);

	worker->busy += accepted;
	return accepted > 0;
}

/* Refill the lanes that ran out; how many have blocks? */
static unsigned
refill_lanes(struct worker *worker, struct set *set)
{
	bool alone = worker->busy == 1 && worker->config.readahead;
	unsigned ready = 0;

	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &set->lanes[i];
		struct ticket ticket = lane->ticket;

		if (lane_is_free(lane) ||
		    (lane->unopened && fifo_waits_before(worker, ticket.seq)))
			continue;
		switch (lane_refill(lane, worker->view.head, false, alone)) {
		case LANE_READY:
			ready++;
			break;
		case LANE_WAITING:
			break;
		case LANE_ENDED:
			note_end(worker, set, ticket);
			break;
		}
	}
	return ready;
}

/* Was this worker given a device, and are its lanes better off without? */
static bool
wants_relief(const struct worker *worker)
{
	return !worker->config.engine->per_thread &&
	       (!stepper_may_fail(&worker->stepper) ||
		(worker->view.ended && worker->busy < worker->config.worth));
}

/*
 * Call for another worker if there is work for it: many jobs, or two long
 * messages.  Beside a device that works the CPU has nothing to do.
 */
static void
call_for_help(struct worker *worker, const struct set *set)
{
	unsigned lengthy = 0;

	if (!worker->config.engine->per_thread) {
		if (wants_relief(worker))
			worker->config.grow(worker->config.crew);
		return;
	}
	if (!worker->view.ended && worker->jobs_seen >= JOBS_BEFORE_HELP) {
		worker->config.grow(worker->config.crew);
		return;
	}
	for (unsigned i = 0; i < worker->nlanes; i++)
		if (!lane_is_free(&set->lanes[i]) &&
		    set->lanes[i].reader.size > 4 * HANDOVER_BYTES)
			lengthy++;
	if (lengthy >= 2)
		worker->config.grow(worker->config.crew);
}

/* To workers that have none. */
static void
give_lanes(struct worker *worker)
{
	const bool all = wants_relief(worker);

	if (worker->view.idle_workers && (worker->busy > 1 || all))
		worker->busy -= handover_give(worker->order, worker->index,
					      worker->filling, all);
}

/* Go past the blocks that the engine has hashed. */
static void
collect(struct worker *worker, struct set *set)
{
	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &set->lanes[i];
		struct ticket ticket = lane->ticket;
		const uint32_t done = lane->batch->done[lane->column];
		const size_t before = lane->message_bytes;

		if (done == 0)
			continue;
		worker->blocks += done;
		if (lane_advance(lane) == LANE_ENDED)
			note_end(worker, set, ticket);
		worker->bytes += before - lane->message_bytes;
	}
}

/* The other set, if there is one. */
static struct set *
other_set(struct worker *worker, const struct set *set)
{
	return &worker->sets[set == worker->sets && worker->nsets > 1];
}

/*
 * One step of the engine over a set, or NULL when none is ready.  An engine
 * that overlaps goes on with it while we look after the set before.
 */
static void
step(struct worker *worker, struct set *next)
{
	struct stepper *stepper = &worker->stepper;
	struct set *last = NULL;

	if (stepper->running)
		last = stepper_end(stepper);
	if (next)
		stepper_begin(stepper, next);
	if (worker->nsets == 1)
		last = stepper_end(stepper);
	if (last)
		collect(worker, last);
	worker->filling = next ? other_set(worker, next) : last;
}

/*
 * Nothing to hash: wait for the input whose turn it is, if it is ours.
 * False if it is not.
 */
static bool
wait_for_input(struct worker *worker)
{
	bool alone = worker->busy == 1 && worker->config.readahead;

	for (unsigned i = 0; i < worker->nsets * worker->nlanes; i++) {
		struct set *set = &worker->sets[i / worker->nlanes];
		struct lane *lane = &set->lanes[i % worker->nlanes];
		struct ticket ticket = lane->ticket;

		if (lane_is_free(lane) || ticket.seq != worker->view.head)
			continue;
		if (lane_lacks_disk(lane))
			return false;
		if (!lane->unopened) {
			if (lane_refill(lane, ticket.seq, true, alone) ==
			    LANE_ENDED)
				note_end(worker, set, ticket);
			return true;
		}
		if (order_starve(worker->order, worker->index))
			return false;
		lane_finish(lane, EMFILE);
		note_end(worker, set, ticket);
		return true;
	}
	return false;
}

/* Nothing to hash in any set.  False: nor will there ever be. */
static bool
wait_for_work(struct worker *worker)
{
	if (accept_lanes(worker, worker->filling))
		return true;
	if (worker->busy > 0) {
		if (!wait_for_input(worker))
			order_wait(worker->order, &worker->view);
		return true;
	}
	if (!order_wait_idle(worker->order, worker->index, &worker->view))
		return false;
	/* Before new jobs take the lanes. */
	accept_lanes(worker, worker->filling);
	return true;
}

void
worker_run(struct worker *worker)
{
	for (;;) {
		struct set *set = worker->filling;
		bool ready;

		take_jobs(worker, set);
		ready = refill_lanes(worker, set) > 0;
		if (ready)
			call_for_help(worker, set);
		if (ready || worker->stepper.running) {
			worker->fruitless = 0;
			step(worker, ready ? set : NULL);
			give_lanes(worker);
		} else if (worker->nfinished == 0) {
			worker->filling = other_set(worker, set);
			if (++worker->fruitless >= worker->nsets) {
				worker->fruitless = 0;
				if (!wait_for_work(worker))
					return;
			}
		}
		progress_note(worker->index, worker->bytes,
			      worker->jobs_ended);
		if (worker->nfinished > 0) {
			order_publish(worker->order, worker->finished,
				      worker->nfinished);
			worker->nfinished = 0;
		}
	}
}
