/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/handover.h"
#include "src/progress.h"
#include "src/set.h"

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
	const struct engine *engine;
	void *self;
	void *fallback_self;	/* opened beforehand, if the engine may fail */
	unsigned nsubmit;	/* batches the engine takes at a time */
	const struct engine *arena_engine;	/* owner of the arena */
	void *arena_self;
	void *arena;
	size_t arena_bytes;
	struct set sets[MOST_SETS];
	unsigned nsets;
	struct set *filling;
	struct set *running;	/* the engine's for now, or NULL */
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
	size_t bytes = set_buffer_bytes(worker->nlanes, worker->capacity);

	worker->arena_bytes = bytes * worker->nsets;
	worker->arena = worker->arena_engine->alloc(worker->arena_self,
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
allocate_lanes(struct worker *worker, const struct engine_limits *limits)
{
	const struct lane model = {
		.order = worker->order,
		.crypto = worker->config.crypto,
		.disks = worker->config.disks
	};
	bool may_fail = worker->engine != worker->config.fallback;

	worker->nsets = limits->overlaps ? 2 : 1;
	worker->filling = worker->sets;
	worker->nlanes = limits->batches * limits->lanes - limits->spare;
	worker->capacity = LANE_BYTES;
	for (unsigned i = 0; i < worker->nsets; i++)
		if (!set_allocate(&worker->sets[i], limits->batches,
				  limits->lanes, worker->nlanes, may_fail,
				  &model))
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

/* What is opened but finds no memory for its lanes is closed again. */
static bool
open_engine(struct worker *worker, const struct engine *engine,
	    const char *words, bool *opened, struct diag *why_not)
{
	struct engine_limits limits = { 0 };

	worker->engine = worker->arena_engine = engine;
	worker->self = worker->arena_self =
		engine->open(words, &limits, why_not);
	*opened = worker->self != NULL;
	if (!*opened)
		return false;
	worker->nsubmit = limits.batches;
	if (allocate_lanes(worker, &limits))
		return true;
	free_lanes(worker);
	engine->close(worker->self);
	diag_set(why_not, engine->per_thread ?
			 "memory exhausted" :
			 "its memory is too small for a single buffer");
	return false;
}

/* What takes over must not fail to open when it is needed. */
static bool
open_fallback(struct worker *worker, struct diag *why_not)
{
	const struct engine *fallback = worker->config.fallback;
	struct engine_limits limits;

	if (fallback == worker->config.engine)
		return true;
	worker->fallback_self = fallback->open("", &limits, why_not);
	return worker->fallback_self != NULL;
}

static void
close_fallback(struct worker *worker)
{
	if (worker->fallback_self)
		worker->config.fallback->close(worker->fallback_self);
}

struct worker *
worker_new(const struct worker_config *config, struct order *order,
	   unsigned index, struct diag *why_not)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	struct diag why;
	bool opened;

	if (!worker) {
		diag_set(why_not, "memory exhausted");
		return NULL;
	}
	worker->config = *config;
	worker->order = order;
	worker->index = index;
	if (!open_fallback(worker, &why)) {
		free(worker);
		if (why_not)
			*why_not = why;
		return NULL;
	}
	if (open_engine(worker, config->engine, config->words, &opened, &why))
		return worker;
	/* A device has memory of its own; the CPU may have enough. */
	if (opened && !config->engine->per_thread) {
		config->engine_failed(config->crew, config->engine, &why);
		if (open_engine(worker, config->fallback, "", &opened, &why))
			return worker;
	}
	if (why_not)
		*why_not = why;
	close_fallback(worker);
	free(worker);
	return NULL;
}

void
worker_free(struct worker *worker)
{
	struct worker_stats stats = { .engine.qpus = 0 };

	if (!worker)
		return;
	stats.blocks = worker->blocks;
	if (worker->arena_engine->stats)
		worker->arena_engine->stats(worker->arena_self, &stats.engine);
	worker->config.ended(worker->config.crew, &stats);
	worker->arena_engine->free(worker->arena_self, worker->arena,
				   worker->arena_bytes);
	worker->arena_engine->close(worker->arena_self);
	close_fallback(worker);
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
	       (worker->engine == worker->config.fallback ||
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

/* All batches of a set; the last of them are still to be waited for. */
static enum engine_status
submit_all(struct worker *worker, struct set *set, struct diag *why)
{
	enum engine_status status = ENGINE_OK;

	set->device = worker->engine->name;
	for (unsigned i = 0; i < set->nbatches && status == ENGINE_OK;
	     i += worker->nsubmit) {
		unsigned n = set->nbatches - i;

		if (n > worker->nsubmit)
			n = worker->nsubmit;
		if (i > 0)
			status = worker->engine->wait(worker->self, why);
		if (status == ENGINE_OK)
			status = worker->engine->submit(worker->self,
							set->batches + i, n,
							why);
	}
	return status;
}

/*
 * The engine's device cannot be trusted any more: the fallback goes on from
 * the states of before the failed step and the same buffers, which therefore
 * stay with the failed engine until the end.  An engine checks each step
 * before it ends, so that earlier ones are not in doubt.
 */
static void
retire_engine(struct worker *worker, struct set *set, struct diag *why)
{
	worker->config.engine_failed(worker->config.crew, worker->engine, why);
	set_restore(set);
	worker->engine = worker->config.fallback;
	worker->self = worker->fallback_self;
	worker->nsubmit = 1;
	submit_all(worker, set, why);
}

/* Let the engine work on a set. */
static void
begin_step(struct worker *worker, struct set *set)
{
	struct diag why = { .text = "" };
	bool may_fail = worker->engine != worker->config.fallback;

	for (unsigned i = 0; i < set->nbatches; i++)
		memset(set->batches[i].done, 0, sizeof(set->batches[i].done));
	if (may_fail)
		set_save(set);
	if (submit_all(worker, set, &why) != ENGINE_OK)
		retire_engine(worker, set, &why);
	worker->running = set;
}

static void
end_step(struct worker *worker)
{
	struct diag why = { .text = "" };
	struct set *set = worker->running;

	if (worker->engine->wait(worker->self, &why) != ENGINE_OK) {
		retire_engine(worker, set, &why);
		worker->engine->wait(worker->self, &why);
	}
	worker->running = NULL;
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
	struct set *last = worker->running;

	if (last)
		end_step(worker);
	if (next)
		begin_step(worker, next);
	if (worker->nsets == 1) {
		end_step(worker);
		last = next;
	}
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
		if (ready || worker->running) {
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
