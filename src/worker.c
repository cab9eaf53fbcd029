/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/lane.h"

enum {
	/* A lane's buffer. */
	LANE_BYTES = 128 << 10,
	/* Jobs a worker sees before it calls for help with small ones. */
	JOBS_BEFORE_HELP = 32,
	/* What a lane must have before it when it is given away. */
	GIFT_BYTES = 256 << 10
};

struct worker {
	struct worker_config config;
	struct order *order;
	unsigned index;
	const struct engine *engine;
	void *self;
	unsigned nsubmit;	/* batches the engine takes at a time */
	const struct engine *arena_engine;	/* owner of the arena */
	void *arena_self;
	void *arena;
	size_t arena_bytes;
	struct batch *batches;
	struct batch *saved;	/* states before a step, if it may fail */
	unsigned nbatches;
	struct lane *lanes;
	unsigned nlanes;
	size_t capacity;	/* of a lane's buffer */
	unsigned busy;		/* lanes with a job */
	uint64_t jobs_seen;
	struct ticket *taken;	/* nlanes of each */
	struct ticket *finished;
	unsigned nfinished;
	struct order_view view;
};

/*
 * One arena for all lanes.  The distance between lanes is an odd number of
 * 64-byte lines, so that no two lanes compete for the same set of a cache:
 * neither a CPU's first level nor the QPUs' direct-mapped TMU caches.
 */
static bool
allocate_buffers(struct worker *worker)
{
	size_t stride = worker->capacity + READER_SLACK_BYTES;

	if (stride / 64 % 2 == 0)
		stride += 64;
	worker->arena_bytes = stride * worker->nlanes;
	worker->arena = worker->arena_engine->alloc(worker->arena_self,
						    worker->arena_bytes);
	if (!worker->arena)
		return false;
	for (unsigned i = 0; i < worker->nlanes; i++) {
		worker->lanes[i].buffer = (uint8_t *)worker->arena + i * stride;
		worker->lanes[i].capacity = worker->capacity;
	}
	return true;
}

static struct batch *
new_batches(unsigned n)
{
	struct batch *batches = aligned_alloc(alignof(struct batch),
					      n * sizeof(*batches));

	if (batches)
		memset(batches, 0, n * sizeof(*batches));
	return batches;
}

/* With little memory, smaller buffers, then fewer lanes. */
static bool
allocate_lanes(struct worker *worker, const struct engine_limits *limits)
{
	bool may_fail = worker->engine != worker->config.fallback;

	worker->nbatches = limits->batches;
	worker->nlanes = limits->batches * limits->lanes;
	worker->capacity = LANE_BYTES;
	worker->batches = new_batches(worker->nbatches);
	worker->saved = may_fail ? new_batches(worker->nbatches) : NULL;
	worker->lanes = calloc(worker->nlanes, sizeof(*worker->lanes));
	worker->taken = calloc(worker->nlanes, sizeof(*worker->taken));
	worker->finished = calloc(worker->nlanes, sizeof(*worker->finished));
	if (!worker->batches || (may_fail && !worker->saved) ||
	    !worker->lanes || !worker->taken || !worker->finished)
		return false;
	for (unsigned i = 0; i < worker->nlanes; i++) {
		worker->lanes[i].order = worker->order;
		worker->lanes[i].batch = &worker->batches[i / limits->lanes];
		worker->lanes[i].column = i % limits->lanes;
		worker->lanes[i].crypto = worker->config.crypto;
		worker->lanes[i].disks = worker->config.disks;
	}
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

struct worker *
worker_new(const struct worker_config *config, struct order *order,
	   unsigned index, struct diag *why_not)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	struct engine_limits limits;

	if (!worker) {
		diag_set(why_not, "memory exhausted");
		return NULL;
	}
	worker->config = *config;
	worker->order = order;
	worker->index = index;
	worker->engine = worker->arena_engine = config->engine;
	worker->self = config->engine->open(config->words, &limits, why_not);
	if (!worker->self) {
		free(worker);
		return NULL;
	}
	worker->arena_self = worker->self;
	worker->nsubmit = limits.batches;
	if (!allocate_lanes(worker, &limits)) {
		diag_set(why_not, "memory exhausted");
		worker_free(worker);
		return NULL;
	}
	return worker;
}

void
worker_free(struct worker *worker)
{
	if (!worker)
		return;
	if (worker->arena)
		worker->arena_engine->free(worker->arena_self, worker->arena,
					   worker->arena_bytes);
	worker->arena_engine->close(worker->arena_self);
	if (worker->self != worker->arena_self)
		worker->engine->close(worker->self);
	free(worker->lanes);
	free(worker->taken);
	free(worker->finished);
	free(worker->saved);
	free(worker->batches);
	free(worker);
}

/* Keep account of a job that has ended. */
static void
note_end(struct worker *worker, struct ticket ticket)
{
	worker->finished[worker->nfinished++] = ticket;
	worker->busy--;
}

/*
 * Does an earlier lane hold a FIFO whose turn has not come?  One such lane is
 * enough for a worker: more would use up the descriptors that the oldest job
 * may need, without getting on.
 */
static bool
fifo_waits_before(const struct worker *worker, uint64_t seq)
{
	for (unsigned i = 0; i < worker->nlanes; i++) {
		const struct lane *lane = &worker->lanes[i];

		if (!lane_is_free(lane) && lane->reader.fifo &&
		    lane->ticket.seq < seq &&
		    lane->ticket.seq != worker->view.head)
			return true;
	}
	return false;
}

/* Give every free lane a job, as far as there are any. */
static void
take_jobs(struct worker *worker)
{
	unsigned wanted = worker->nlanes - worker->busy;
	struct lane *lane = worker->lanes;
	unsigned taken;

	if (fifo_waits_before(worker, UINT64_MAX))
		wanted = 0;
	taken = order_take(worker->order, worker->index, worker->busy,
			   worker->taken, wanted, &worker->view);
	worker->busy += taken;
	worker->jobs_seen += taken;
	for (unsigned i = 0; i < taken; i++) {
		struct ticket ticket = worker->taken[i];

		/* An open that fails leaves the lane free for the next. */
		while (!lane_is_free(lane))
			lane++;
		lane_start(lane, ticket);
		if (!fifo_waits_before(worker, ticket.seq) &&
		    lane_open(lane) == LANE_ENDED)
			note_end(worker, ticket);
	}
}

/* Take over what busier workers have given away.  False: nothing. */
static bool
accept_gifts(struct worker *worker)
{
	struct lane *lane = worker->lanes;
	struct lane_gift *gift;
	bool accepted = false;

	while (worker->busy < worker->nlanes &&
	       (gift = order_accept(worker->order, worker->index)) != NULL) {
		while (!lane_is_free(lane))
			lane++;
		lane_accept(lane, gift);
		free(gift);
		worker->busy++;
		accepted = true;
	}
	return accepted;
}

/* Refill the lanes that ran out; how many have blocks? */
static unsigned
refill_lanes(struct worker *worker)
{
	bool alone = worker->busy == 1 && worker->config.readahead;
	unsigned ready = 0;

	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &worker->lanes[i];
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
			note_end(worker, ticket);
			break;
		}
	}
	return ready;
}

/*
 * Call for another worker if there is work for it: many jobs, or two long
 * messages.
 */
static void
call_for_help(struct worker *worker)
{
	unsigned lengthy = 0;

	if (!worker->view.ended && worker->jobs_seen >= JOBS_BEFORE_HELP) {
		worker->config.grow(worker->config.crew);
		return;
	}
	for (unsigned i = 0; i < worker->nlanes; i++)
		if (!lane_is_free(&worker->lanes[i]) &&
		    worker->lanes[i].reader.size > 4 * GIFT_BYTES)
			lengthy++;
	if (lengthy >= 2)
		worker->config.grow(worker->config.crew);
}

/* Share long messages with workers that have none: every other one. */
static void
give_lanes(struct worker *worker)
{
	void *gifts[ORDER_GIFTS];
	struct lane *given[ORDER_GIFTS];
	unsigned eligible = 0, n = 0;

	for (unsigned i = 0; i < worker->nlanes && n < ORDER_GIFTS; i++) {
		struct lane *lane = &worker->lanes[i];

		if (lane_gift_bytes(lane) < GIFT_BYTES || eligible++ % 2 == 0)
			continue;
		gifts[n] = malloc(sizeof(struct lane_gift));
		if (!gifts[n])
			break;
		given[n++] = lane;
	}
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++)
		lane_give(given[i], gifts[i]);
	worker->busy -= n;
	if (order_give(worker->order, worker->index, gifts, n))
		return;
	for (unsigned i = 0; i < n; i++) {
		lane_accept(given[i], gifts[i]);
		free(gifts[i]);
	}
	worker->busy += n;
}

static enum engine_status
run_engine(struct worker *worker, struct diag *why)
{
	enum engine_status status = ENGINE_OK;

	for (unsigned i = 0; i < worker->nbatches && status == ENGINE_OK;
	     i += worker->nsubmit) {
		unsigned n = worker->nbatches - i;

		if (n > worker->nsubmit)
			n = worker->nsubmit;
		status = worker->engine->submit(worker->self,
						worker->batches + i, n, why);
		if (status == ENGINE_OK)
			status = worker->engine->wait(worker->self, why);
	}
	return status;
}

/*
 * The engine's device cannot be trusted any more: the fallback goes on from
 * the states of before the failed step and the same buffers, which therefore
 * stay with the failed engine until the end.
 */
static void
retire_engine(struct worker *worker, const struct diag *why)
{
	struct engine_limits limits;

	worker->config.engine_failed(worker->config.crew, worker->engine, why);
	memcpy(worker->batches, worker->saved,
	       worker->nbatches * sizeof(*worker->saved));
	worker->engine = worker->config.fallback;
	worker->self = worker->engine->open("", &limits, NULL);
	worker->nsubmit = limits.batches;
}

/* One step of the engine over all batches. */
static void
step(struct worker *worker)
{
	struct diag why = { .text = "" };
	bool may_fail = worker->engine != worker->config.fallback;

	for (unsigned i = 0; i < worker->nbatches; i++)
		memset(worker->batches[i].done, 0,
		       sizeof(worker->batches[i].done));
	if (may_fail)
		memcpy(worker->saved, worker->batches,
		       worker->nbatches * sizeof(*worker->saved));
	if (run_engine(worker, &why) != ENGINE_OK) {
		retire_engine(worker, &why);
		run_engine(worker, &why);
	}
	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &worker->lanes[i];
		struct ticket ticket = lane->ticket;

		if (lane->batch->done[lane->column] > 0 &&
		    lane_advance(lane) == LANE_ENDED)
			note_end(worker, ticket);
	}
}

/*
 * Nothing to hash: wait for the input whose turn it is, if it is ours.
 * False if it is not.
 */
static bool
wait_for_input(struct worker *worker)
{
	bool alone = worker->busy == 1 && worker->config.readahead;

	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &worker->lanes[i];
		struct ticket ticket = lane->ticket;

		if (lane_is_free(lane) || ticket.seq != worker->view.head)
			continue;
		if (lane_lacks_disk(lane))
			return false;
		if (!lane->unopened) {
			if (lane_refill(lane, ticket.seq, true, alone) ==
			    LANE_ENDED)
				note_end(worker, ticket);
			return true;
		}
		if (order_starve(worker->order, worker->index))
			return false;
		lane_finish(lane, EMFILE);
		note_end(worker, ticket);
		return true;
	}
	return false;
}

/* No lane has anything to hash.  False: there will be no more work. */
static bool
wait_for_work(struct worker *worker)
{
	if (accept_gifts(worker))
		return true;
	if (worker->busy > 0) {
		if (!wait_for_input(worker))
			order_wait(worker->order, &worker->view);
		return true;
	}
	if (!order_wait_idle(worker->order, worker->index, &worker->view))
		return false;
	/* Before new jobs take the lanes. */
	accept_gifts(worker);
	return true;
}

void
worker_run(struct worker *worker)
{
	for (;;) {
		take_jobs(worker);
		if (refill_lanes(worker) > 0) {
			call_for_help(worker);
			step(worker);
			if (worker->view.idle_workers && worker->busy > 1)
				give_lanes(worker);
		} else if (worker->nfinished == 0 && !wait_for_work(worker)) {
			return;
		}
		if (worker->nfinished > 0) {
			order_publish(worker->order, worker->finished,
				      worker->nfinished);
			worker->nfinished = 0;
		}
	}
}
