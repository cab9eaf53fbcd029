/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/readahead.h"
#include "src/reader.h"
#include "src/verify.h"

enum {
	/* A lane's buffer: large reads are cheap, and 8 lanes fit a cache. */
	LANE_BYTES = 128 << 10,
	/* Jobs a worker sees before it calls for help with small ones. */
	JOBS_BEFORE_HELP = 32,
	/* What is left of a message, or was seen of a stream, when reading
	 * ahead pays for its thread. */
	READAHEAD_BYTES = 4 << 20
};

struct lane {
	struct ticket ticket;	/* ticket.job NULL = free */
	bool unopened;		/* out of descriptors; try again */
	struct reader reader;
	uint8_t *buffer;
	size_t message_bytes;	/* of the blocks not hashed yet */
	uint64_t hashed_bytes;	/* handed out so far */
	struct readahead *ahead;	/* NULL = the worker reads itself */
	struct verify *verify;
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
	struct batch *batches;
	struct batch *saved;	/* states before a step, if it may fail */
	unsigned nbatches;
	unsigned lanes_used;	/* of each batch */
	struct lane *lanes;	/* nbatches * lanes_used of them */
	unsigned nlanes;
	size_t capacity;	/* of a lane's buffer */
	void *arena;
	size_t arena_bytes;
	struct order_load load;
	uint64_t jobs_seen;
	struct ticket *taken;	/* nlanes of each */
	struct ticket *finished;
	unsigned nfinished;
	struct order_view view;
};

static struct batch *
batch_of(const struct worker *worker, const struct lane *lane, unsigned *column)
{
	size_t index = (size_t)(lane - worker->lanes);

	*column = (unsigned)(index % worker->lanes_used);
	return &worker->batches[index / worker->lanes_used];
}

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
	for (unsigned i = 0; i < worker->nlanes; i++)
		worker->lanes[i].buffer = (uint8_t *)worker->arena + i * stride;
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
	worker->nbatches = limits->batches;
	worker->lanes_used = limits->lanes;
	worker->nlanes = limits->batches * limits->lanes;
	worker->capacity = LANE_BYTES;
	worker->batches = new_batches(worker->nbatches);
	if (worker->engine != worker->config.fallback)
		worker->saved = new_batches(worker->nbatches);
	worker->lanes = calloc(worker->nlanes, sizeof(*worker->lanes));
	worker->taken = calloc(worker->nlanes, sizeof(*worker->taken));
	worker->finished = calloc(worker->nlanes, sizeof(*worker->finished));
	if (!worker->batches || !worker->lanes || !worker->taken ||
	    !worker->finished ||
	    (!worker->saved && worker->engine != worker->config.fallback))
		return false;
	for (unsigned i = 0; worker->config.crypto && i < worker->nlanes; i++) {
		worker->lanes[i].verify = verify_new(worker->config.crypto);
		if (!worker->lanes[i].verify)
			return false;
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
	worker->engine = config->engine;
	worker->self = config->engine->open(config->words, &limits, why_not);
	if (!worker->self) {
		free(worker);
		return NULL;
	}
	worker->nsubmit = limits.batches;
	worker->arena_engine = worker->engine;
	worker->arena_self = worker->self;
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
	for (unsigned i = 0; worker->lanes && i < worker->nlanes; i++)
		verify_free(worker->lanes[i].verify);
	free(worker->lanes);
	free(worker->taken);
	free(worker->finished);
	free(worker->saved);
	free(worker->batches);
	free(worker);
}

/* The lane's message is done, well or not; the lane is free. */
static void
finish_lane(struct worker *worker, struct lane *lane, int error)
{
	struct job *job = lane->ticket.job;
	unsigned column;
	struct batch *batch = batch_of(worker, lane, &column);

	job->error = error;
	if (error == 0) {
		uint32_t state[SHA256_STATE_WORDS];

		batch_get_state(batch, column, state);
		sha256_digest(state, job->digest);
		if (lane->verify)
			job->verdict = verify_finish(lane->verify, job->digest);
	}
	if (lane->reader.fifo)
		order_release_fifo(worker->order, lane->reader.device,
				   lane->reader.inode);
	if (lane->ahead)
		readahead_stop(lane->ahead);
	lane->ahead = NULL;
	reader_close(&lane->reader);
	worker->load.busy--;
	if (lane->reader.big)
		worker->load.big--;
	batch->nblocks[column] = 0;
	worker->finished[worker->nfinished++] = lane->ticket;
	lane->ticket.job = NULL;
}

static void
open_lane(struct worker *worker, struct lane *lane)
{
	struct job *job = lane->ticket.job;

	lane->unopened = false;
	if (job->kind == JOB_STDIN) {
		job->opened = true;
		reader_open_stdin(&lane->reader, lane->buffer,
				  worker->capacity);
		return;
	}
	if (reader_open(&lane->reader, job->name, lane->buffer,
			worker->capacity, &job->opened)) {
		if (lane->reader.big)
			worker->load.big++;
		if (lane->reader.fifo &&
		    !order_claim_fifo(worker->order, lane->reader.device,
				      lane->reader.inode))
			reader_postpone(&lane->reader);
		return;
	}
	if (!job->opened && (errno == EMFILE || errno == ENFILE))
		lane->unopened = true;
	else
		finish_lane(worker, lane, errno);
}

static void
start_lane(struct worker *worker, struct lane *lane, struct ticket ticket)
{
	unsigned column;
	struct batch *batch = batch_of(worker, lane, &column);

	lane->ticket = ticket;
	lane->hashed_bytes = 0;
	memset(&lane->reader, 0, sizeof(lane->reader));
	worker->load.busy++;
	worker->jobs_seen++;
	batch_set_state(batch, column, sha256_initial);
	if (lane->verify)
		verify_start(lane->verify);
	open_lane(worker, lane);
}

/* Give every free lane a job, as far as there are any for this worker. */
static void
take_jobs(struct worker *worker)
{
	unsigned wanted = worker->nlanes - worker->load.busy;
	unsigned taken = order_take(worker->order, worker->index, worker->load,
				    worker->taken, wanted, &worker->view);
	struct lane *lane = worker->lanes;

	for (unsigned i = 0; i < taken; i++) {
		/* An open that fails leaves the lane free for the next. */
		while (lane->ticket.job)
			lane++;
		start_lane(worker, lane, worker->taken[i]);
	}
	if (!worker->view.ended &&
	    (worker->load.big >= 2 ||
	     (taken == wanted && worker->jobs_seen >= JOBS_BEFORE_HELP)))
		worker->config.grow(worker->config.crew);
}

/* The lane's input has its turn, or needs none. */
static bool
lane_may_read(const struct worker *worker, const struct lane *lane)
{
	return !lane->reader.waits || lane->ticket.seq == worker->view.head;
}

/*
 * A message that is alone with its worker, and long, gets a thread that reads
 * ahead.  How long a stream is, only its past can tell.
 */
static void
consider_readahead(struct worker *worker, struct lane *lane)
{
	uint64_t ahead = lane->reader.waits ?
				 lane->hashed_bytes :
				 lane->reader.size - lane->hashed_bytes;

	if (worker->load.busy == 1 && !lane->ahead &&
	    ahead >= READAHEAD_BYTES && worker->config.readahead)
		lane->ahead = readahead_start(&lane->reader);
}

/* Get the lane's next blocks; false if there are none for now. */
static bool
refill_lane(struct worker *worker, struct lane *lane, bool may_wait)
{
	struct handout handout;
	unsigned column;
	struct batch *batch = batch_of(worker, lane, &column);

	if (lane->unopened) {
		open_lane(worker, lane);
		if (!lane->ticket.job || lane->unopened)
			return false;
	}
	if (!lane_may_read(worker, lane))
		return false;
	consider_readahead(worker, lane);
	if (lane->reader.reopens) {
		if (!may_wait)
			return false;
		if (!reader_turn(&lane->reader, lane->ticket.job->name)) {
			lane->ticket.job->opened = false;
			finish_lane(worker, lane, errno);
			return false;
		}
		lane->ticket.job->opened = true;
	}
	switch (lane->ahead ? readahead_next(lane->ahead, &handout) :
			      reader_next(&lane->reader, &handout, may_wait)) {
	case READER_BLOCKS:
		batch->data[column] = handout.data;
		batch->nblocks[column] = handout.nblocks;
		lane->message_bytes = handout.message_bytes;
		lane->hashed_bytes += handout.message_bytes;
		return true;
	case READER_END:
		finish_lane(worker, lane, 0);
		return false;
	case READER_FAILED:
		finish_lane(worker, lane, errno);
		return false;
	case READER_LATER:
		break;
	}
	return false;
}

/* How many lanes have blocks, after refilling those that ran out. */
static unsigned
refill_lanes(struct worker *worker)
{
	unsigned ready = 0;

	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &worker->lanes[i];
		unsigned column;
		struct batch *batch = batch_of(worker, lane, &column);

		if (lane->ticket.job &&
		    (batch->nblocks[column] > 0 ||
		     refill_lane(worker, lane, false)))
			ready++;
	}
	return ready;
}

/* Move a lane past the blocks that the engine has hashed. */
static void
advance_lane(struct worker *worker, struct lane *lane)
{
	unsigned column;
	struct batch *batch = batch_of(worker, lane, &column);
	uint32_t done = batch->done[column];
	size_t bytes = (size_t)done * SHA256_BLOCK_BYTES;

	if (!lane->ticket.job || done == 0)
		return;
	if (bytes > lane->message_bytes)
		bytes = lane->message_bytes;
	if (lane->verify)
		verify_feed(lane->verify, batch->data[column], done, bytes);
	lane->message_bytes -= bytes;
	batch->data[column] += (size_t)done * SHA256_BLOCK_BYTES;
	batch->nblocks[column] -= done;
	if (batch->nblocks[column] == 0 && !lane->ahead && lane->reader.ended)
		finish_lane(worker, lane, 0);
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
	for (unsigned i = 0; i < worker->nlanes; i++)
		advance_lane(worker, &worker->lanes[i]);
}

/*
 * Nothing to hash: wait for the input whose turn it is, if it is ours.
 * False if it is not.
 */
static bool
wait_for_input(struct worker *worker)
{
	for (unsigned i = 0; i < worker->nlanes; i++) {
		struct lane *lane = &worker->lanes[i];

		if (!lane->ticket.job ||
		    lane->ticket.seq != worker->view.head)
			continue;
		if (!lane->unopened) {
			refill_lane(worker, lane, true);
			return true;
		}
		if (order_starve(worker->order, worker->index))
			return false;
		finish_lane(worker, lane, EMFILE);
		return true;
	}
	return false;
}

void
worker_run(struct worker *worker)
{
	for (;;) {
		take_jobs(worker);
		if (refill_lanes(worker) > 0)
			step(worker);
		else if (worker->nfinished == 0) {
			if (worker->load.busy == 0 && worker->view.ended)
				return;
			if (!wait_for_input(worker))
				order_wait(worker->order, &worker->view);
		}
		if (worker->nfinished > 0) {
			order_publish(worker->order, worker->finished,
				      worker->nfinished);
			worker->nfinished = 0;
		}
	}
}
