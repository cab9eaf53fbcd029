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
	UNASKED_FILES = 16 * 250,
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
	struct sequencer_view view;
	struct job_load load;
	uint64_t begun_ns; /* when it had taken jobs */
	unsigned nready;   /* lanes that had blocks in this pass */
	struct ahead_timing timing;
	unsigned unasked; /* files */
	bool gave;	  /* something away in this pass: look for more */
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

/* Jobs that have ended ------------------------------------------------------ */

/* Count a job that has ended, and publish it soon. */
static void
note_end(struct worker *worker, struct job *job)
{
	const struct input *input = &job_message(job)->input;

	assert(worker->busy > 0);
	assert(worker->nfinished < PUBLISH_JOBS + worker->set.n);
	job->device = worker->run->cpu->name;
	/* After a file whose cached part the kernel did not know, skip the question
	 * for this many files. */
	if (worker->unasked == 0 && input->cache_is_unknown &&
	    input->is_regular)
		worker->unasked = UNASKED_FILES;
	worker->by_device += job->started_on_device && !job->error;
	worker->finished[worker->nfinished++] = job;
	worker->jobs_ended++;
	worker->busy--;
}

/* Publish the jobs that have ended, before something that may take long. */
static void
publish(struct worker *worker)
{
	if (worker->nfinished == 0)
		return;
	sequencer_publish(&worker->run->sequencer, worker->finished,
			  worker->nfinished);
	worker->nfinished = 0;
	worker->published_ns = clock_ns();
}

/* Return whether it is time for that while there is something to hash. */
static bool
is_time_to_publish(const struct worker *worker)
{
	return worker->nfinished >= PUBLISH_JOBS ||
	       (worker->nfinished > 0 &&
		clock_ns() - worker->published_ns >= PUBLISH_NS);
}

/* Taking jobs and messages -------------------------------------------------- */

/* Return the blocks left in its lanes, as far as sizes are known. */
static uint64_t
blocks_left(const struct worker *worker)
{
	uint64_t blocks = 0;

	for (unsigned i = 0; i < worker->set.n; i++) {
		const struct lane *lane = &worker->set.lanes[i];
		const struct message *message = lane->message;
		const uint64_t handed = message ? message->handed_bytes : 0;

		if (!message)
			continue;
		blocks += lane->work->nblocks;
		if (handed == 0)
			blocks += message->job.blocks;
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
	struct run *run = worker->run;
	struct sequencer_view *view = &worker->view;
	struct job_load *load = &worker->load;
	unsigned taken;

	if (run->supply) {
		load->blocks = worker->nready > 0 ? blocks_left(worker) : 0;
		taken = run->supply(run->dispatch, load, worker->jobs, most,
				    view);
		worker->begun_ns = clock_ns();
		load->hashed_blocks = 0;
	} else {
		taken = sequencer_take(&run->sequencer, worker->jobs, most,
				       true, view);
		worker->jobs_taken += taken;
		view->wants_workers = !view->ended &&
				      worker->jobs_taken >= JOBS_BEFORE_HELP;
	}
	return taken;
}

/* Put a message into a free lane. */
static void
put(struct worker *worker, struct message *message)
{
	struct lane *lane = worker->set.lanes;

	assert(worker->busy < worker->set.n);
	while (lane->message)
		lane++;
	lane_put(lane, message);
	worker->busy++;
}

/* Begin with new jobs: in free lanes, or where their storage is expected to make us
 * wait, in the pool. */
static void
take_jobs(struct worker *worker)
{
	struct run *run = worker->run;
	const bool gives = ahead_expects_waiting(&run->ahead);
	const unsigned most = worker->view.is_full ? 0 :
			      gives		   ? worker->set.n :
						     worker->set.n - worker->busy;
	const unsigned taken = ask_supply(worker, most);

	for (unsigned i = 0; i < taken; i++) {
		struct message *message = job_message(worker->jobs[i]);

		message_begin(message, run);
		if (worker->unasked > 0) {
			worker->unasked--;
			message->input.patience = INPUT_FOR_SHORT;
			message->input.cache_is_unknown = true;
		}
		if (gives)
			ahead_give(&run->ahead, message);
		else
			put(worker, message);
	}
	if (gives)
		worker->gave |= taken > 0;
	else
		ahead_note_cached(&run->ahead, taken);
}

/* Take a message that can go on.  shares: also one that others share. */
static bool
take_message(struct worker *worker, bool shares)
{
	struct message *message = NULL;

	if (worker->busy < worker->set.n)
		message = handover_take(&worker->run->sequencer,
					shares ? HANDOVER_IDLE_WORKER :
						 HANDOVER_WORKER);
	if (message)
		put(worker, message);
	return message != NULL;
}

/* Take messages that can go on, and what others share until the worker has enough to
 * do. */
static void
take_messages(struct worker *worker)
{
	const uint64_t most = worker->view.shares_below;

	while (take_message(worker, false))
		;
	while (most > 0 &&
	       (worker->nready == 0 || blocks_left(worker) < most) &&
	       take_message(worker, true))
		worker->nready++;
}

/* Giving them away ---------------------------------------------------------- */

/* Take the message out of a lane. */
static struct message *
take_out(struct worker *worker, struct lane *lane)
{
	worker->busy--;
	return lane_take_out(lane);
}

static void
hand_over(struct worker *worker, struct lane *lane, enum handover_why why)
{
	handover_put(&worker->run->sequencer, take_out(worker, lane), why);
}

/* Leave a message to a lane of a device that could be done with it earlier. */
static void
leave_to_lane(struct worker *worker)
{
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		const uint64_t blocks =
			message_padded_blocks(lane_bytes_to_share(lane));

		if (blocks >= MIGRATION_MIN_BLOCKS &&
		    blocks <= worker->view.lane_wants) {
			hand_over(worker, lane, HANDOVER_FOR_LANE);
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

		if (lane_bytes_to_share(lane) >= MIGRATE_BYTES &&
		    eligible++ % 2 == 1)
			hand_over(worker, lane, HANDOVER_SHARED);
	}
}

/* Hashing ------------------------------------------------------------------- */

/* Return whether a thread may read on the worker's only message, as all working workers
 * may do.  Only long messages pay, so lane_refill checks the rest. */
static bool
may_have_help(const struct worker *worker)
{
	const struct pipeline_config *config = worker->run->config;

	return worker->busy == 1 &&
	       (config->processors ||
		2 * worker->view.working <= config->threads);
}

/* Get blocks for the message of a lane, or see where it goes.  Return whether the lane
 * has blocks. */
static bool
refill(struct worker *worker, struct lane *lane, bool may_wait)
{
	const uint64_t head = worker->view.head;
	const bool may_help = may_have_help(worker);
	struct message *message = lane->message;
	struct run *run = worker->run;
	const enum input_patience *patience = &message->input.patience;
	enum input_result result = INPUT_BLOCKED;

	if (lane->work->nblocks > 0)
		return true;
	if (*patience == INPUT_FOR_NOTHING)
		result = lane_refill(lane, head, may_wait, may_help);
	if (result == INPUT_BLOCKED && *patience != INPUT_FOR_NOTHING) {
		/* Others may wait for the jobs that have ended. */
		publish(worker);
		result = lane_refill(lane, head, may_wait, may_help);
	}
	if (result == INPUT_BLOCKED && *patience == INPUT_FOR_ALL)
		result = lane_refill(lane, head, may_wait, may_help);
	switch (result) {
	case INPUT_BLOCKS: return true;
	case INPUT_LATER: break;
	case INPUT_BLOCKED:
		if (message->handed_bytes == 0)
			ahead_note_wait(&run->ahead);
		ahead_give(&run->ahead, take_out(worker, lane));
		worker->gave = true;
		break;
	case INPUT_EARLY: hand_over(worker, lane, HANDOVER_EARLY); break;
	case INPUT_LACKING: hand_over(worker, lane, HANDOVER_LACKING); break;
	case INPUT_ENDED: note_end(worker, &message->job); break;
	}
	return false;
}

/* Refill the lanes that ran out, and time the first of them, or all if that took long.
 * Return how many have blocks. */
static unsigned
refill_lanes(struct worker *worker)
{
	struct ahead *ahead = &worker->run->ahead;
	bool times = ahead_is_possible(ahead);

	worker->nready = 0;
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		const bool timed = times && lane->work->nblocks == 0;

		if (!lane->message)
			continue;
		if (timed)
			ahead_begin_timing(&worker->timing);
		worker->nready += refill(worker, lane, false);
		if (timed && ahead_end_timing(&worker->timing))
			ahead_note_wait(ahead);
		times &= !timed || worker->timing.slow > 0;
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

		lengthy += message && message->input.size > 4 * MIGRATE_BYTES;
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
		struct message *message = lane->message;
		const uint32_t done = lane->work->done;
		const uint64_t before = lane->message_bytes;

		if (done == 0)
			continue;
		worker->blocks += done;
		if (lane_advance(lane) == INPUT_ENDED)
			note_end(worker, &message->job);
		worker->bytes += before - lane->message_bytes;
	}
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
restart_messages(struct worker *worker)
{
	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];
		const struct message *message = lane->message;

		if (!message || !message->job.started_on_device)
			continue;
		/* They are counted when they are hashed again. */
		worker->bytes -= message->handed_bytes - lane->message_bytes;
		lane_restart(lane);
	}
}

/* Waiting ------------------------------------------------------------------- */

/* Wait for the oldest input.  Return false if it is another worker's, or if it
 * lacks a disk that another message has. */
static bool
wait_for_input(struct worker *worker)
{
	struct run *run = worker->run;

	for (unsigned i = 0; i < worker->set.n; i++) {
		struct lane *lane = &worker->set.lanes[i];

		if (!lane->message ||
		    lane->message->job.seq != worker->view.head)
			continue;
		if (lane->message->lacks_disk)
			return false;
		/* This worker will not ask for a disk soon. */
		if (run->disks && disk_forget_waiting(run->disks))
			sequencer_wake(&run->sequencer);
		refill(worker, lane, true);
		return true;
	}
	return false;
}

/* Wait for something to hash.  Return false if there will be no more work. */
static bool
wait_for_work(struct worker *worker)
{
	/* What came before `view` does not end the wait.  An idle worker takes all
	 * that others share: several messages are hashed side by side. */
	if (take_message(worker, true)) {
		while (take_message(worker, true))
			;
		return true;
	}
	if (worker->busy > 0 && wait_for_input(worker))
		return true;
	return sequencer_wait(&worker->run->sequencer, &worker->view,
			      worker->busy > 0 ? SEQUENCER_BUSY :
						 SEQUENCER_IDLE);
}

/* Do what can be done.  Return false if there will be no more work. */
static bool
run_once(struct worker *worker)
{
	worker->gave = false;
	take_messages(worker);
	take_jobs(worker);
	if (__atomic_load_n(&worker->run->device_failed, __ATOMIC_ACQUIRE))
		restart_messages(worker);
	if (refill_lanes(worker) > 0) {
		hash_lanes(worker);
		if (is_time_to_publish(worker))
			publish(worker);
		return true;
	}
	/* Others may wait for the jobs that have ended, and jobs may wait for free
	 * lanes. */
	if (worker->nfinished == 0 && !worker->gave)
		return wait_for_work(worker);
	publish(worker);
	return true;
}

void
worker_run(struct worker *worker)
{
	while (run_once(worker))
		progress_note(worker->index, worker->bytes, worker->jobs_ended);
}
