/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/lanes/lane.h"

enum {
	/* A worker that has taken this many small jobs calls for help. */
	JOBS_BEFORE_HELP = 32,
	/* A message moves to another worker only if this much of it is left. */
	MIGRATE_BYTES = 256 << 10,
	/* Jobs that have ended are published together, after this number or this
	 * time, while there is something to hash. */
	PUBLISH_JOBS = 128,
	PUBLISH_NS = CLOCK_NS_PER_MS
};

struct worker {
	struct run *run;
	unsigned index;
	struct lane_set set;
	unsigned busy;	     /* lanes that have a job */
	uint64_t jobs_taken; /* from the sequencer */
	uint64_t jobs_ended;
	uint64_t blocks;    /* hashed */
	uint64_t bytes;	    /* hashed */
	uint64_t by_device; /* jobs that a device had a part in */
	struct job **jobs;  /* just taken: a place for each lane */
	/* Jobs to be published, which ended in the last passes of the loop, in each
	 * at most one of each lane; and the time when others were. */
	struct job **finished;
	unsigned nfinished;
	uint64_t published_ns;
	bool hashed; /* in this pass */
	struct sequencer_view view;
	struct job_load load;
	uint64_t begun_ns; /* when it had taken jobs */
	unsigned nready;   /* lanes that had blocks in this pass */
	struct fetch_timing timing;
	bool gave; /* a fetcher something in this pass, or could not */
};

/* Beginning and end --------------------------------------------------------- */

/* Close the engine and free all memory. */
static void
free_all(struct worker *worker)
{
	lane_set_close(&worker->set);
	free(worker->jobs);
	free(worker);
}

struct worker *
worker_new(struct run *run, unsigned index, struct diag *why_not)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	diag_set(why_not, "memory exhausted");
	if (!worker)
		return NULL;
	worker->run = run;
	worker->index = worker->load.worker = index;
	if (lane_set_open(&worker->set, run, why_not))
		worker->jobs = calloc(PUBLISH_JOBS + 2 * worker->set.n,
				      sizeof(struct job *));
	if (worker->jobs) {
		worker->finished = worker->jobs + worker->set.n;
		return worker;
	}
	free_all(worker);
	return NULL;
}

void
worker_free(struct worker *worker)
{
	if (!worker)
		return;
	run_add_counts(worker->run, worker->blocks, worker->bytes,
		       worker->by_device);
	free_all(worker);
}

/* Taking jobs and messages -------------------------------------------------- */

/* Count a job that has ended; it is published at the end of the pass. */
static void
note_end(struct worker *worker, struct job *job)
{
	assert(worker->busy > 0);
	assert(worker->nfinished < PUBLISH_JOBS + worker->set.n);
	job->device = worker->run->cpu->name;
	worker->by_device += job->begun_by_device && !job->error;
	worker->finished[worker->nfinished++] = job;
	worker->jobs_ended++;
	worker->busy--;
}

/* Give a lane's message, which has to wait for storage, to a fetcher. */
static bool
give(struct worker *worker, struct lane *lane)
{
	struct fetch *fetch = &worker->run->fetch;
	struct message *message = lane_export(lane);

	if (!message)
		return false;
	if (fetch_give(fetch, message)) {
		worker->busy--;
		worker->gave = true;
		return true;
	}
	lane_import(lane, message);
	return false;
}

/* Return the blocks left in its lanes, as far as sizes are known. */
static uint64_t
blocks_left(const struct worker *worker)
{
	uint64_t blocks = 0;

	for (unsigned i = 0; i < worker->set.n; i++) {
		const struct lane *lane = &worker->set.lanes[i];
		const struct message *message = lane->message;
		const uint64_t handed = message->handed_bytes;

		if (!message->job)
			continue;
		blocks += lane->work->nblocks;
		if (handed == 0)
			blocks += message->job->blocks;
		else if (message->input.size > handed)
			blocks += message_padded_blocks(message->input.size -
							handed);
	}
	return blocks;
}

/* Take up to `most` jobs. */
static unsigned
ask_supply(struct worker *worker, unsigned most)
{
	struct job_supply *supply = worker->run->supply;
	struct sequencer_view *view = &worker->view;
	struct job_load *load = &worker->load;
	unsigned taken;

	if (supply) {
		load->blocks = worker->nready > 0 ? blocks_left(worker) : 0;
		taken = supply->take(supply, load, worker->jobs, most, view);
		worker->begun_ns = clock_ns();
		load->hashed_blocks = 0;
	} else {
		taken = sequencer_take(&worker->run->sequencer, worker->jobs,
				       most, true, view);
		worker->jobs_taken += taken;
		view->wants_workers = !view->ended &&
				      worker->jobs_taken >= JOBS_BEFORE_HELP;
	}
	return taken;
}

/* Give every free lane a job, as far as there are any; or give these to
 * fetchers. */
static void
take_jobs(struct worker *worker)
{
	struct fetch *fetch = &worker->run->fetch;
	const bool gives = fetch_expects_waiting(fetch);
	struct lane *lane = worker->set.lanes;
	unsigned taken, wanted = worker->set.n - worker->busy;

	if (gives) {
		const unsigned room = fetch_room(fetch);

		wanted = room < wanted ? room : wanted;
	}
	taken = ask_supply(worker, wanted);
	worker->busy += taken;
	for (unsigned i = 0; i < taken; i++) {
		while (!lane_is_free(lane))
			lane++;
		lane_start(lane, worker->jobs[i]);
		if (gives)
			give(worker, lane);
	}
	if (!gives)
		fetch_note_cached(fetch, taken);
}

/* Put a started message into a free lane. */
static void
import(struct worker *worker, struct message *message)
{
	struct lane *lane = worker->set.lanes;

	assert(worker->busy < worker->set.n);
	while (!lane_is_free(lane))
		lane++;
	lane_import(lane, message);
	worker->busy++;
}

/* Take messages that can go on; shares: also what others share. */
static bool
take_messages(struct worker *worker, bool shares)
{
	struct sequencer *sequencer = &worker->run->sequencer;
	const enum handover_taker taker = shares ? HANDOVER_IDLE_WORKER :
						   HANDOVER_WORKER;
	struct message *message;
	bool any = false;

	while (worker->busy < worker->set.n &&
	       (message = handover_take(sequencer, taker)) != NULL) {
		import(worker, message);
		any = true;
	}
	return any;
}

/* Take what others share until the worker has enough to do. */
static void
take_shared(struct worker *worker)
{
	struct sequencer *sequencer = &worker->run->sequencer;
	const uint64_t most = worker->view.shares_below;
	struct message *message;

	while (most > 0 && worker->busy < worker->set.n &&
	       (worker->nready == 0 || blocks_left(worker) < most) &&
	       (message = handover_take(sequencer, HANDOVER_IDLE_WORKER)) !=
		       NULL) {
		import(worker, message);
		worker->nready++;
	}
}

/* Giving them away ---------------------------------------------------------- */

/* Put the message of a lane, which waits for something else, into the
 * handover.  If memory is short it stays, unless it lacks a descriptor. */
static void
put(struct worker *worker, struct lane *lane, enum handover_why why)
{
	struct job *job = lane->message->job;
	struct message *message = lane_export(lane);

	if (message && handover_put(&worker->run->sequencer, message, why)) {
		worker->busy--;
		return;
	}
	if (message)
		lane_import(lane, message);
	if (why != HANDOVER_LACKING)
		return;
	lane_finish(lane);
	note_end(worker, job);
}

/* Leave a message to a lane of a device that could be done with it earlier. */
static void
leave_to_lane(struct worker *worker)
{
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		const uint64_t blocks =
			message_padded_blocks(lane_export_bytes(lane));

		if (blocks >= MIGRATION_MIN_BLOCKS &&
		    blocks <= worker->view.lane_wants) {
			put(worker, lane, HANDOVER_FOR_LANE);
			return;
		}
	}
}

/* Offer every other long message to idle workers, so that a few big files end
 * on all cores. */
static void
offer_to_workers(struct worker *worker)
{
	unsigned eligible = 0;

	if (!worker->view.idle_workers || worker->busy <= 1)
		return;
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];

		if (lane_export_bytes(lane) >= MIGRATE_BYTES &&
		    eligible++ % 2 == 1)
			put(worker, lane, HANDOVER_SHARED);
	}
}

/* Hashing ------------------------------------------------------------------- */

/*
 * Return how far threads may read ahead for the worker's only message.  Only
 * long messages pay, so lane_refill checks the rest.  All working workers may
 * do the same.
 */
static enum lane_ahead
may_read_ahead(const struct worker *worker)
{
	const struct pipeline_config *config = worker->run->config;

	if (worker->busy > 1)
		return LANE_AHEAD_NEVER;
	if (config->processors)
		return LANE_AHEAD_IF_IDLE;
	if (2 * worker->view.working <= config->threads)
		return LANE_AHEAD_ALL;
	return config->threads > 1 ? LANE_AHEAD_STREAMS : LANE_AHEAD_NEVER;
}

/* Refill a lane.  On INPUT_BLOCKED a fetcher has the message. */
static enum input_answer
refill(struct worker *worker, struct lane *lane, bool may_wait,
       enum lane_ahead ahead)
{
	const uint64_t head = worker->view.head;
	const bool is_new = lane->message->handed_bytes == 0;
	enum input_answer answer = lane_refill(lane, head, may_wait, ahead);

	if (answer != INPUT_BLOCKED)
		return answer;
	if (is_new)
		fetch_note_wait(&worker->run->fetch);
	if (give(worker, lane))
		return INPUT_BLOCKED;
	lane->message->input.patience = INPUT_FOR_ALL;
	answer = lane_refill(lane, head, may_wait, ahead);
	/* Nothing will wake this thread when the piece is there: look again. */
	worker->gave |= answer == INPUT_BLOCKED;
	return answer;
}

/* Refill a lane, and time that if it is the first one that has run out, or if
 * another one took long. */
static enum input_answer
refill_timed(struct worker *worker, struct lane *lane, enum lane_ahead ahead,
	     bool *is_first)
{
	const bool timed = lane->work->nblocks == 0 &&
			   (*is_first || worker->timing.slow > 0) &&
			   fetch_is_possible(&worker->run->fetch);
	enum input_answer answer;

	if (!timed)
		return refill(worker, lane, false, ahead);
	*is_first = false;
	fetch_begin_timing(&worker->timing);
	answer = refill(worker, lane, false, ahead);
	if (fetch_end_timing(&worker->timing))
		fetch_note_wait(&worker->run->fetch);
	return answer;
}

/* Refill the lanes that ran out.  Returns how many have blocks. */
static unsigned
refill_lanes(struct worker *worker)
{
	const enum lane_ahead ahead = may_read_ahead(worker);
	bool is_first = true;

	worker->nready = 0;
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		struct job *job = lane->message->job;

		if (!job)
			continue;
		switch (refill_timed(worker, lane, ahead, &is_first)) {
		case INPUT_BLOCKS: worker->nready++; break;
		case INPUT_LATER:
		case INPUT_BLOCKED: break;
		case INPUT_EARLY: put(worker, lane, HANDOVER_EARLY); break;
		case INPUT_LACKING: put(worker, lane, HANDOVER_LACKING); break;
		case INPUT_ENDED: note_end(worker, job); break;
		}
	}
	return worker->nready;
}

/* Call for another worker if there is work for it: many jobs, or two long
 * messages. */
static void
call_for_help(struct worker *worker)
{
	unsigned lengthy = 0;

	for (unsigned i = 0; i < worker->set.n; i++) {
		const struct message *message = worker->set.lanes[i].message;

		lengthy += message->job &&
			   message->input.size > 4 * MIGRATE_BYTES;
	}
	if (lengthy >= 2 || worker->view.wants_workers)
		worker->run->grow(worker->run);
}

/* Have the engine hash some of the blocks.  A CPU does not fail. */
static void
step(struct worker *worker)
{
	const struct engine *engine = worker->run->cpu;

	engine->submit(worker->set.self, worker->set.work, worker->set.n, NULL);
	engine->wait(worker->set.self, NULL);
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		struct job *job = lane->message->job;
		const uint32_t done = lane->work->done;
		const uint64_t before = lane->message_bytes;

		if (done == 0)
			continue;
		worker->blocks += done;
		if (lane_advance(lane) == INPUT_ENDED)
			note_end(worker, job);
		worker->bytes += before - lane->message_bytes;
	}
	mapping_end_round(&worker->set.mapping);
}

/* Hash what the lanes have, and offer messages where they are wanted. */
static void
hash_lanes(struct worker *worker)
{
	const uint64_t before = worker->blocks;

	call_for_help(worker);
	step(worker);
	if (worker->run->supply) {
		worker->load.hashed_blocks = worker->blocks - before;
		worker->load.hashed_ns = clock_ns() - worker->begun_ns;
	}
	if (worker->view.shares_below > 0) {
		ask_supply(worker, 0);
		leave_to_lane(worker);
	}
	offer_to_workers(worker);
}

/* Begin all messages again that the failed device had begun. */
static void
begin_again(struct worker *worker)
{
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		const struct message *message = lane->message;

		if (!message->job || !message->job->begun_by_device)
			continue;
		/* They are counted when they are hashed again. */
		worker->bytes -= message->handed_bytes - lane->message_bytes;
		lane_begin_again(lane);
	}
}

/* Waiting ------------------------------------------------------------------- */

/* Wait for the oldest input.  Return false if it is another worker's, or if it
 * lacks a disk that another message has. */
static bool
wait_for_input(struct worker *worker)
{
	const enum lane_ahead ahead = may_read_ahead(worker);
	const uint64_t head = worker->view.head;
	struct run *run = worker->run;

	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		struct job *job = lane->message->job;

		if (!job || job->seq != head)
			continue;
		if (lane->message->lacks_disk)
			return false;
		/* This worker will not ask for a disk soon. */
		if (run->disks && disk_forget_waiting(run->disks))
			sequencer_wake(&run->sequencer);
		switch (refill(worker, lane, true, ahead)) {
		case INPUT_LACKING: put(worker, lane, HANDOVER_LACKING); break;
		case INPUT_ENDED: note_end(worker, job); break;
		default: break;
		}
		return true;
	}
	return false;
}

/* Wait for something to hash.  Return false if there will be no more work. */
static bool
wait_for_work(struct worker *worker)
{
	assert(worker->nfinished == 0 && !worker->gave);
	if (take_messages(worker, true))
		return true;
	if (worker->busy > 0 && wait_for_input(worker))
		return true;
	return sequencer_wait(&worker->run->sequencer, &worker->view,
			      worker->busy > 0 ? SEQUENCER_BUSY :
						 SEQUENCER_IDLE);
}

/* Run the loop once.  Return false if there will be no more work. */
static bool
run_once(struct worker *worker)
{
	worker->gave = worker->hashed = false;
	/* While all new jobs go to fetchers these have to get theirs first. */
	if (!fetch_expects_waiting(&worker->run->fetch))
		take_messages(worker, false);
	take_shared(worker);
	take_jobs(worker);
	/* Take again: messages from before `view` do not end a wait. */
	take_shared(worker);
	take_messages(worker, false);
	if (__atomic_load_n(&worker->run->device_failed, __ATOMIC_ACQUIRE))
		begin_again(worker);
	worker->hashed = refill_lanes(worker) > 0;
	if (worker->hashed)
		hash_lanes(worker);
	/* Others may wait for the jobs that have ended: publish them first. */
	else if (worker->nfinished == 0 && !worker->gave)
		return wait_for_work(worker);
	return true;
}

/* Publish the jobs that have ended, if it is time. */
static void
publish(struct worker *worker)
{
	const uint64_t now = clock_ns();

	if (worker->hashed && worker->nfinished < PUBLISH_JOBS &&
	    now - worker->published_ns < PUBLISH_NS)
		return;
	sequencer_publish(&worker->run->sequencer, worker->finished,
			  worker->nfinished);
	worker->nfinished = 0;
	worker->published_ns = now;
}

void
worker_run(struct worker *worker)
{
	while (run_once(worker)) {
		progress_note(worker->index, worker->bytes, worker->jobs_ended);
		if (worker->nfinished > 0)
			publish(worker);
	}
}
