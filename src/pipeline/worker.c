/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/worker.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/feed/dispatch.h"
#include "src/lanes/lane_group.h"
#include "src/lanes/migrate.h"
#include "src/lanes/progress.h"

enum {
	/* A lane's buffer. */
	LANE_BYTES = 128 << 10,
	/* Jobs a worker sees before it calls for help with small ones. */
	JOBS_BEFORE_HELP = 32
};

/* A turn of worker_run fills the lanes, lets the engine hash, and collects;
 * README.md draws it. */
struct worker {
	struct worker_config config;
	struct sequencer *sequencer;
	unsigned index;
	void *self; /* the engine, open */
	struct engine_limits limits;
	void *arena; /* from the engine */
	size_t arena_bytes;
	struct lane_group group;
	struct lane_room room;
	uint64_t jobs_seen;
	uint64_t jobs_ended;
	uint64_t blocks;
	uint64_t bytes;	      /* hashed */
	struct ticket *taken; /* as many as lanes */
	/* To be published: jobs of one turn, from the lanes, just taken, or
	 * accepted from others. */
	struct ticket *finished;
	unsigned nfinished;
	struct sequencer_view view;
};

/* One arena for all lanes. */
static bool
allocate_buffers(struct worker *worker, unsigned nlanes)
{
	worker->arena_bytes = lane_group_buffer_bytes(nlanes, &worker->room);
	worker->arena =
		worker->config.engine->alloc(worker->self, worker->arena_bytes);
	if (worker->arena)
		lane_group_place_buffers(&worker->group, worker->arena, nlanes,
					 &worker->room);
	return worker->arena;
}

/* With little memory, smaller buffers, then fewer lanes. */
static bool
allocate_lanes(struct worker *worker)
{
	const struct engine_limits *limits = &worker->limits;
	const struct lane model = { .sequencer = worker->sequencer,
				    .fifos = worker->config.fifos,
				    .crypto = worker->config.crypto,
				    .disks = worker->config.disks };
	unsigned nlanes = limits->batches * limits->lanes;

	if (worker->config.one_lane)
		nlanes = 1;
	worker->room.capacity = LANE_BYTES;
	worker->room.slack_bytes = engine_slack_bytes(limits);
	worker->taken = calloc(nlanes, sizeof(*worker->taken));
	worker->finished = calloc(2 * nlanes, sizeof(*worker->finished));
	if (!lane_group_allocate(&worker->group, limits->batches, limits->lanes,
				 nlanes, &model) ||
	    !worker->taken || !worker->finished)
		return false;
	while (!allocate_buffers(worker, nlanes)) {
		if (worker->room.capacity > READER_MIN_CAPACITY)
			worker->room.capacity /= 2;
		else if (nlanes > 1)
			nlanes /= 2;
		else
			return false;
	}
	return true;
}

static void
free_lanes(struct worker *worker)
{
	lane_group_free(&worker->group);
	free(worker->taken);
	free(worker->finished);
}

static bool
open_engine(struct worker *worker, struct diag *why_not)
{
	const struct worker_config *config = &worker->config;

	worker->self = engine_open(config->engine, config->options,
				   &worker->limits, why_not);
	if (!worker->self)
		return false;
	if (allocate_lanes(worker))
		return true;
	free_lanes(worker);
	config->engine->close(worker->self);
	diag_set(why_not, "memory exhausted");
	return false;
}

struct worker *
worker_new(const struct worker_config *config, struct sequencer *sequencer,
	   unsigned index, struct diag *why_not)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	struct diag why;

	if (!worker) {
		diag_set(why_not, "memory exhausted");
		return NULL;
	}
	worker->config = *config;
	worker->sequencer = sequencer;
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
	struct worker_report report = { .blocks = 0 };
	const struct engine *engine;

	if (!worker)
		return;
	engine = worker->config.engine;
	report.blocks = worker->blocks;
	if (engine->stats)
		engine->stats(worker->self, &report.engine);
	worker->config.ended(worker->config.pool, &report);
	engine->free(worker->self, worker->arena, worker->arena_bytes);
	engine->close(worker->self);
	free_lanes(worker);
	free(worker);
}

/* Count a job that has ended; it is published at the end of the turn. */
static void
note_end(struct worker *worker, struct ticket ticket)
{
	ticket.job->device = worker->config.engine->name;
	worker->finished[worker->nfinished++] = ticket;
	worker->jobs_ended++;
	worker->group.busy--;
}

/*
 * Does an earlier lane hold a FIFO whose turn has not come?  One such lane is
 * enough for a worker: more would use up the descriptors that the oldest job
 * may need, without getting on.
 */
static bool
fifo_waits_before(const struct worker *worker, uint64_t seq)
{
	for (unsigned i = 0; i < worker->group.nlanes; i++) {
		const struct lane *lane = &worker->group.lanes[i];

		if (!lane_is_free(lane) && reader_is_fifo(lane->reader) &&
		    lane->ticket.seq < seq &&
		    lane->ticket.seq != worker->view.head)
			return true;
	}
	return false;
}

/* Up to so many jobs, from where they come. */
static unsigned
take(struct worker *worker, unsigned wanted)
{
	struct dispatch *dispatch = worker->config.dispatch;

	if (dispatch)
		return dispatch_take(dispatch, worker->index,
				     worker->group.busy, worker->taken, wanted,
				     &worker->view);
	if (fifo_waits_before(worker, UINT64_MAX))
		wanted = 0;
	return sequencer_take(worker->sequencer, worker->index,
			      worker->group.busy, worker->taken, wanted,
			      &worker->view);
}

/* Give every free lane a job, as far as there are any. */
static void
take_jobs(struct worker *worker)
{
	struct lane_group *group = &worker->group;
	struct lane *lane = group->lanes;
	const unsigned taken = take(worker, group->nlanes - group->busy);

	group->busy += taken;
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

/* Go on with messages that lanes of a device have begun. */
static void
take_rests(struct worker *worker)
{
	struct lane_group *group = &worker->group;
	struct lane *lane = group->lanes;
	struct lane_transfer *rest;

	while (worker->config.dispatch && group->busy < group->nlanes &&
	       (rest = dispatch_take_rest(worker->config.dispatch,
					  worker->index, worker->view.head)) !=
		       NULL) {
		while (!lane_is_free(lane))
			lane++;
		lane_import(lane, rest);
		lane_transfer_free(rest);
		group->busy++;
	}
}

/* As give_back, when some of the message has been hashed. */
static void
give_back_rest(struct worker *worker, struct lane *lane)
{
	struct lane_transfer *rest = lane_transfer_new();

	if (!rest)
		return;
	lane_export(lane, rest);
	worker->group.busy--;
	dispatch_return_rest(worker->config.dispatch, rest);
}

/* Give back what has to wait for its turn, so that a lane is free when an
 * earlier job wants one. */
static void
give_back(struct worker *worker, struct lane *lane)
{
	struct dispatch *dispatch = worker->config.dispatch;
	struct job *job = lane->ticket.job;

	if (!dispatch || !lane_is_too_early(lane, worker->view.head))
		return;
	if (lane->handed_bytes > 0) {
		give_back_rest(worker, lane);
		return;
	}
	lane_give_up(lane);
	worker->group.busy--;
	dispatch_return(dispatch, job);
}

/* Idle lanes of the device go on with messages of which they can do so much in
 * time, as others wait for this worker. */
static void
leave_rests(struct worker *worker, uint64_t level)
{
	struct lane_transfer *rest;

	for (unsigned i = 0; i < worker->group.nlanes; i++) {
		struct lane *lane = &worker->group.lanes[i];
		const uint64_t blocks = work_blocks(lane_export_bytes(lane));

		if (blocks < WORK_HAND_OVER || blocks > level)
			continue;
		rest = lane_transfer_new();
		if (!rest)
			return;
		lane_export(lane, rest);
		worker->group.busy--;
		dispatch_leave_rest(worker->config.dispatch, worker->index,
				    rest);
		return;
	}
}

/* Take over lanes on offer.  False: there are none. */
static bool
accept_lanes(struct worker *worker)
{
	return migrate_accept(worker->sequencer, worker->index,
			      &worker->group) > 0;
}

/* A thread may read ahead for the only message of a worker. */
static bool
can_read_ahead(const struct worker *worker)
{
	return worker->group.busy == 1 && worker->config.readahead;
}

/* Refill the lanes that ran out; how many have blocks? */
static unsigned
refill_lanes(struct worker *worker)
{
	const bool may_read_ahead = can_read_ahead(worker);
	unsigned ready = 0;

	for (unsigned i = 0; i < worker->group.nlanes; i++) {
		struct lane *lane = &worker->group.lanes[i];
		struct ticket ticket = lane->ticket;

		if (lane_is_free(lane) ||
		    (lane->unopened && fifo_waits_before(worker, ticket.seq)))
			continue;
		switch (lane_refill(lane, worker->view.head, false,
				    may_read_ahead)) {
		case LANE_READY: ready++; break;
		case LANE_WAITING: give_back(worker, lane); break;
		case LANE_ENDED: note_end(worker, ticket); break;
		}
	}
	return ready;
}

/* Are there more jobs than this worker can be expected to do? */
static bool
has_many_jobs(const struct worker *worker)
{
	return worker->config.dispatch ?
		       dispatch_wants_workers(worker->config.dispatch) :
		       !worker->view.ended &&
			       worker->jobs_seen >= JOBS_BEFORE_HELP;
}

/* Call for another worker if there is work for it: many jobs, or two long
 * messages. */
static void
call_for_help(struct worker *worker)
{
	unsigned lengthy = 0;

	for (unsigned i = 0; i < worker->group.nlanes; i++) {
		const struct lane *lane = &worker->group.lanes[i];

		lengthy += !lane_is_free(lane) &&
			   reader_size(lane->reader) > 4 * MIGRATE_BYTES;
	}
	if (lengthy >= 2 || has_many_jobs(worker))
		worker->config.grow(worker->config.pool);
}

/* Offer lanes to idle workers. */
static void
offer_lanes(struct worker *worker)
{
	if (worker->view.idle_workers && worker->group.busy > 1)
		migrate_offer(worker->sequencer, worker->index, &worker->group);
}

/* Go past the blocks that the engine has hashed. */
static void
collect(struct worker *worker)
{
	for (unsigned i = 0; i < worker->group.nlanes; i++) {
		struct lane *lane = &worker->group.lanes[i];
		struct ticket ticket = lane->ticket;
		const uint32_t done = lane->batch->done[lane->column];
		const size_t before = lane->message_bytes;

		if (done == 0)
			continue;
		worker->blocks += done;
		if (lane_advance(lane) == LANE_ENDED)
			note_end(worker, ticket);
		worker->bytes += before - lane->message_bytes;
	}
}

/* The engine hashes some of the blocks.  A CPU does not fail. */
static void
step(struct worker *worker)
{
	const struct engine *engine = worker->config.engine;
	struct lane_group *group = &worker->group;

	for (unsigned i = 0; i < group->nbatches; i++)
		memset(group->batches[i].done, 0,
		       sizeof(group->batches[i].done));
	engine->submit(worker->self, group->batches, group->nbatches, NULL);
	engine->wait(worker->self, NULL);
	collect(worker);
}

/*
 * There is no descriptor for the job of a lane.  If the rest of a message
 * waits, which holds one, the lane takes it, and the job waits for its turn.
 */
static bool
make_way_for_rest(struct worker *worker, struct lane *lane)
{
	struct dispatch *dispatch = worker->config.dispatch;
	struct lane_transfer *rest =
		dispatch ? dispatch_take_any_rest(dispatch, worker->index,
						  worker->view.head) :
			   NULL;
	struct job *job = lane->ticket.job;

	if (!rest)
		return false;
	lane_give_up(lane);
	dispatch_return(dispatch, job);
	lane_import(lane, rest);
	lane_transfer_free(rest);
	return true;
}

/* Before it waits for an input: it will not come back for a disk soon. */
static void
let_others_read(struct worker *worker)
{
	struct disks *disks = worker->config.disks;

	if (disks && disk_forget_waiting(disks))
		sequencer_wake(worker->sequencer);
}

/*
 * Wait for the oldest input if it is this worker's.  False: it is another's,
 * or lacks what others hold (a disk, a descriptor).
 */
static bool
wait_for_input(struct worker *worker)
{
	const bool may_read_ahead = can_read_ahead(worker);

	for (unsigned i = 0; i < worker->group.nlanes; i++) {
		struct lane *lane = &worker->group.lanes[i];
		struct ticket ticket = lane->ticket;

		if (lane_is_free(lane) || ticket.seq != worker->view.head)
			continue;
		if (lane_lacks_disk(lane))
			return false;
		if (!lane->unopened) {
			let_others_read(worker);
			if (lane_refill(lane, ticket.seq, true,
					may_read_ahead) == LANE_ENDED)
				note_end(worker, ticket);
			return true;
		}
		if (make_way_for_rest(worker, lane))
			return true;
		if (sequencer_starve(worker->sequencer, worker->index,
				     &worker->view))
			return false;
		/* Of the last attempt. */
		lane_finish(lane, ticket.job->error);
		note_end(worker, ticket);
		return true;
	}
	return false;
}

/* Nothing to hash.  False: there will be no more work. */
static bool
wait_for_work(struct worker *worker)
{
	if (accept_lanes(worker))
		return true;
	if (worker->group.busy > 0) {
		if (!wait_for_input(worker))
			sequencer_wait(worker->sequencer, &worker->view);
		return true;
	}
	if (!sequencer_wait_idle(worker->sequencer, worker->index,
				 &worker->view))
		return false;
	/* Before new jobs take the lanes. */
	accept_lanes(worker);
	return true;
}

/* Hash what the lanes have. */
static void
hash_lanes(struct worker *worker, uint64_t start_ns)
{
	struct dispatch *dispatch = worker->config.dispatch;
	const uint64_t before = worker->blocks;

	call_for_help(worker);
	step(worker);
	if (dispatch)
		leave_rests(worker,
			    dispatch_note_worker(dispatch, worker->index,
						 worker->blocks - before,
						 clock_ns() - start_ns));
	offer_lanes(worker);
}

/* Can it do nothing with what it has, and be given more because of that? */
static bool
stands_still(struct worker *worker)
{
	return worker->config.dispatch &&
	       dispatch_note_standstill(worker->config.dispatch, worker->index);
}

/* One turn of the loop.  False: there will be no more work. */
static bool
take_turn(struct worker *worker)
{
	uint64_t start_ns;

	take_rests(worker);
	take_jobs(worker);
	/* Now it is known which job is the oldest. */
	take_rests(worker);
	start_ns = worker->config.dispatch ? clock_ns() : 0;
	if (refill_lanes(worker) > 0)
		hash_lanes(worker, start_ns);
	/* Others may wait for the jobs that have ended: publish them first. */
	else if (worker->nfinished == 0 && !stands_still(worker))
		return wait_for_work(worker);
	return true;
}

void
worker_run(struct worker *worker)
{
	while (take_turn(worker)) {
		progress_note(worker->index, worker->bytes, worker->jobs_ended);
		if (worker->nfinished > 0)
			sequencer_publish(worker->sequencer, worker->finished,
					  worker->nfinished);
		worker->nfinished = 0;
	}
}
