/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/feeder.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/base/clock.h"
#include "src/base/thread.h"
#include "src/feed/stream.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/run.h"

enum {
	/* Files whose sizes are known, waiting for lanes: half of all jobs that
	 * may be under way. */
	LOOK_AHEAD = SEQUENCER_JOBS / 2
};

struct feeder {
	struct run *run;
	unsigned index;
	void *device; /* config->engine, open */
	struct engine_limits limits;
	struct stream_memory memory; /* of the streams' buffers */
	struct engine_lane *work;    /* of the streams */
	struct stream *streams;
	unsigned nstreams;
	uint64_t *left;				     /* blocks of each stream */
	struct stream_context contexts[THREAD_TEAM]; /* for each filling thread */
	struct dispatch dispatch;
	bool is_running; /* a launch */
	uint64_t begun_ns;
	struct share_launch launch; /* filling_ns is of the next launch */
	uint64_t blocks;	    /* hashed */
	uint64_t by_device;	    /* digests */
	struct sequencer_view view;
};

/* Finished jobs ------------------------------------------------------------- */

/* Return the bytes of messages that were read so far. */
static uint64_t
count_bytes(const struct feeder *feeder)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < THREAD_TEAM; i++)
		bytes += feeder->contexts[i].bytes;
	return bytes;
}

static void
publish(struct feeder *feeder)
{
	uint64_t jobs = 0;

	for (unsigned i = 0; i < THREAD_TEAM; i++)
		jobs += feeder->contexts[i].jobs_ended;
	progress_note(feeder->index, count_bytes(feeder), jobs);
	for (unsigned i = 0; i < THREAD_TEAM; i++)
		stream_context_publish(&feeder->contexts[i]);
}

/* With --verify the job has the right digest already. */
static void
set_digest(struct feeder *feeder, struct job *job,
	   const uint32_t state[SHA256_STATE_WORDS])
{
	uint8_t digest[SHA256_DIGEST_BYTES];

	sha256_digest(state, digest);
	job->device = feeder->run->config->engine->name;
	feeder->by_device++;
	if (!feeder->contexts[0].staging || job->verdict == JOB_DISPUTED)
		memcpy(job->digest, digest, sizeof(digest));
	else if (job->verdict == JOB_TRUSTED &&
		 memcmp(digest, job->digest, sizeof(digest)) != 0)
		job->verdict = JOB_CORRECTED;
}

static void
collect(struct feeder *feeder)
{
	uint32_t state[SHA256_STATE_WORDS];
	struct stream_item item;

	for (unsigned i = 0; i < feeder->nstreams; i++) {
		while (stream_collect(&feeder->streams[i], &item, state)) {
			if (item.job) {
				set_digest(feeder, item.job, state);
				stream_context_end_job(&feeder->contexts[0],
						       item.job);
			} else if (item.message) {
				memcpy(item.message->state, state,
				       sizeof(state));
				item.message->job->begun_by_device = true;
				item.message->leaves = false;
				dispatch_offer(&feeder->dispatch, item.message,
					       false);
			}
		}
	}
	publish(feeder);
}

/* Launches ------------------------------------------------------------------ */

/*
 * Give up the device: neither it nor the memory that it writes can be trusted.
 */
static void
fail(struct feeder *feeder, enum engine_status status, const struct diag *why)
{
	struct run *run = feeder->run;

	run->report->failed = run->config->engine;
	run->report->why = *why;
	/* With --verify all that it did before has been compared. */
	run->report->is_wrong = status == ENGINE_FAULT && !run->config->crypto;
	__atomic_store_n(&run->device_failed, true, __ATOMIC_RELEASE);
}

/* Launch all that the streams have, if they have anything. */
static void
begin_launch(struct feeder *feeder)
{
	struct diag why = { .text = "" };
	enum engine_status status;
	uint32_t longest = 0;

	for (unsigned i = 0; i < feeder->nstreams; i++) {
		const uint32_t blocks = stream_begin(&feeder->streams[i]);

		if (blocks > longest)
			longest = blocks;
	}
	if (longest == 0)
		return;
	feeder->begun_ns = clock_ns();
	feeder->is_running = true;
	status = feeder->run->config->engine->submit(
		feeder->device, feeder->work, feeder->nstreams, &why);
	if (status != ENGINE_OK)
		fail(feeder, status, &why);
}

/* Wait for the launch to complete. */
static void
end_launch(struct feeder *feeder)
{
	const struct engine *device = feeder->run->config->engine;
	struct share_launch *launch = &feeder->launch;
	struct diag why = { .text = "" };
	enum engine_status status;

	if (!feeder->is_running)
		return;
	feeder->is_running = false;
	status = device->wait(feeder->device, &why);
	if (status != ENGINE_OK) {
		fail(feeder, status, &why);
		return;
	}
	launch->ns = clock_ns() - feeder->begun_ns;
	launch->blocks = launch->longest = 0;
	for (unsigned i = 0; i < feeder->nstreams; i++) {
		struct stream *stream = &feeder->streams[i];
		const uint32_t done = stream->work->done;

		launch->blocks += done;
		if (done > launch->longest)
			launch->longest = done;
		stream_advance(stream);
	}
	feeder->blocks += launch->blocks;
	dispatch_note_launch(&feeder->dispatch, launch);
}

/* Filling ------------------------------------------------------------------- */

/* Return the number of streams with blocks or an open message. */
static unsigned
count_busy(const struct feeder *feeder)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < feeder->nstreams; i++)
		busy += stream_is_busy(&feeder->streams[i]);
	return busy;
}

/* Return the message with most blocks left, if these are more than `least` and
 * it is not about to leave, or NULL. */
static struct message *
longest_message(const struct feeder *feeder, uint64_t least)
{
	struct message *best = NULL;

	for (unsigned i = 0; i < feeder->nstreams; i++) {
		const struct stream *stream = &feeder->streams[i];
		const uint64_t left = stream_unread(stream);

		if (left > least && !stream->message->leaves) {
			least = left;
			best = stream->message;
		}
	}
	return best;
}

/* Let lanes give up their longest messages, for workers that are soon free. */
static void
give_up_messages(struct feeder *feeder, const struct dispatch_plan *plan)
{
	struct amount wanted = plan->wanted;
	struct message *message;

	while ((wanted.messages > 0 || wanted.blocks > 0) &&
	       (message = longest_message(feeder, plan->level)) != NULL) {
		const uint64_t blocks = message_blocks_left(message);

		message->leaves = true;
		wanted.messages -= wanted.messages > 0;
		wanted.blocks -= blocks < wanted.blocks ? blocks :
							  wanted.blocks;
	}
}

/* Let idle lanes continue messages that workers offer. */
static void
accept_messages(struct feeder *feeder)
{
	for (unsigned i = 0; i < feeder->nstreams; i++) {
		struct stream *stream = &feeder->streams[i];
		struct message *message;

		if (!stream_is_idle(stream))
			continue;
		message = dispatch_accept(&feeder->dispatch);
		if (!message)
			return;
		stream_resume(stream, message);
	}
}

/* The feeder, and what streams should have. */
struct filling {
	struct feeder *feeder;
	uint64_t target;
};

/*
 * Fill every nth stream.  All take a quarter of what is left for them, again and
 * again, so that the last ones get as much as the first.
 */
static void
fill_part(void *task, unsigned part, unsigned parts)
{
	const struct filling *filling = task;
	struct feeder *feeder = filling->feeder;
	uint64_t rest = filling->target;

	do {
		rest -= (rest + 3) / 4;
		for (unsigned i = part; i < feeder->nstreams; i += parts)
			stream_fill(&feeder->streams[i],
				    &feeder->contexts[part],
				    filling->target - rest);
	} while (rest > 0);
}

static void
fill_streams(struct feeder *feeder, const struct dispatch_plan *plan)
{
	const uint64_t both_buffers = 2 * feeder->contexts[0].blocks;
	struct filling filling = { .feeder = feeder,
				   .target = plan->level < both_buffers ?
						     plan->level + 1 :
						     both_buffers };

	for (unsigned i = 0; i < THREAD_TEAM; i++)
		feeder->contexts[i].starved = false;
	/* There is memory for one thread to verify. */
	feeder->launch.fillers = feeder->contexts[0].staging ? 1 :
							       plan->fillers;
	thread_team(feeder->launch.fillers, fill_part, &filling);
}

/* Get ready what the next launch takes, as planned with what is known. */
static void
prepare_launch(struct feeder *feeder)
{
	const uint64_t start_ns = clock_ns();
	struct amount leaving = { .messages = 0 };
	struct dispatch_plan plan;

	dispatch_look_ahead(&feeder->dispatch, LOOK_AHEAD, &feeder->view);
	accept_messages(feeder);
	for (unsigned i = 0; i < feeder->nstreams; i++) {
		feeder->left[i] = stream_left(&feeder->streams[i]);
		stream_add_leaving(&feeder->streams[i], &leaving);
	}
	plan = dispatch_plan(&feeder->dispatch, feeder->left, leaving);
	give_up_messages(feeder, &plan);
	fill_streams(feeder, &plan);
	feeder->launch.filling_ns = clock_ns() - start_ns;
}

/* The loop ------------------------------------------------------------------ */

/* Run the loop once.  Return false if there will be no more work. */
static bool
run_once(struct feeder *feeder)
{
	const bool was_running = feeder->is_running;

	prepare_launch(feeder);
	end_launch(feeder);
	if (!feeder->run->report->failed)
		begin_launch(feeder);
	collect(feeder);
	if (feeder->run->report->failed) {
		for (unsigned i = 0; i < feeder->nstreams; i++)
			stream_give_back(&feeder->streams[i],
					 &feeder->contexts[0]);
		publish(feeder);
		dispatch_lose_device(&feeder->dispatch);
		return false;
	}
	/* Plan again before waiting: a launch ran during the last plan. */
	if (feeder->is_running || was_running)
		return true;
	if (count_busy(feeder) == 0 && dispatch_end_lanes(&feeder->dispatch))
		return false;
	sequencer_wait(&feeder->run->sequencer, &feeder->view,
		       SEQUENCER_FEEDER);
	return true;
}

void
feeder_run(struct feeder *feeder)
{
	while (run_once(feeder))
		;
	sequencer_set_feeding(&feeder->run->sequencer, false);
}

/* Beginning and end --------------------------------------------------------- */

static bool
allocate_streams(struct feeder *feeder)
{
	const struct engine_limits *limits = &feeder->limits;
	const bool verifies = feeder->run->config->crypto;
	struct stream_context *context = &feeder->contexts[0];
	const unsigned n = limits->lanes;
	const unsigned most_ends =
		STREAM_MEMORY_BUFFER_BYTES / SHA256_BLOCK_BYTES;

	context->run = feeder->run;
	context->dispatch = &feeder->dispatch;
	context->ends = limits->chained < most_ends ? limits->chained :
						      most_ends;
	feeder->nstreams = n;
	feeder->work = calloc(n, sizeof(*feeder->work));
	feeder->streams = calloc(n, sizeof(*feeder->streams));
	feeder->left = calloc(n, sizeof(*feeder->left));
	if (!feeder->work || !feeder->streams || !feeder->left)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!stream_init(&feeder->streams[i], context,
				 &feeder->work[i]))
			return false;
	if (!stream_memory_allocate(&feeder->memory, limits, feeder->streams,
				    &feeder->nstreams, &context->blocks))
		return false;
	for (unsigned i = 1; i < THREAD_TEAM; i++)
		feeder->contexts[i] = *context;
	/* With --verify one thread fills the lanes. */
	if (verifies)
		context->staging = malloc(STREAM_MEMORY_BUFFER_BYTES);
	return context->staging || !verifies;
}

static void
free_all(struct feeder *feeder)
{
	const struct pipeline_config *config = feeder->run->config;
	const unsigned n = feeder->limits.lanes;

	stream_memory_free(&feeder->memory);
	for (unsigned i = 0; feeder->streams && i < n; i++)
		stream_free(&feeder->streams[i]);
	free(feeder->streams);
	free(feeder->left);
	free(feeder->work);
	for (unsigned i = 0; i < THREAD_TEAM; i++)
		free(feeder->contexts[i].staging);
	if (feeder->device)
		config->engine->close(feeder->device);
	free(feeder);
}

struct feeder *
feeder_new(struct run *run, unsigned index, struct diag *why_not)
{
	const struct pipeline_config *config = run->config;
	struct engine_speed speed = config->speed;
	struct feeder *feeder = calloc(1, sizeof(*feeder));

	if (!feeder) {
		diag_set(why_not, "memory exhausted");
		return NULL;
	}
	feeder->run = run;
	feeder->index = index;
	feeder->device = engine_open(config->engine, config->options,
				     &feeder->limits, why_not);
	feeder->memory = (struct stream_memory){ .engine = config->engine,
						 .device = feeder->device };
	if (!feeder->device) {
		free_all(feeder);
		return NULL;
	}
	if (speed.lanes == 0)
		config->engine->speed(config->engine->context, &speed);
	if (!allocate_streams(feeder)) {
		diag_set(why_not, "there is no memory for a single buffer");
		run->report->failed = config->engine;
		run->report->why = *why_not;
		free_all(feeder);
		return NULL;
	}
	dispatch_init(&feeder->dispatch, &run->sequencer, feeder->nstreams,
		      config->threads, config->shared, &speed);
	sequencer_set_feeding(&run->sequencer, true);
	return feeder;
}

struct job_supply *
feeder_supply(struct feeder *feeder)
{
	return &feeder->dispatch.supply;
}

void
feeder_lose_device(struct feeder *feeder)
{
	feeder->run->report->failed = feeder->run->config->engine;
	diag_set(&feeder->run->report->why, "no thread can be started for it");
	dispatch_lose_device(&feeder->dispatch);
	sequencer_set_feeding(&feeder->run->sequencer, false);
}

void
feeder_free(struct feeder *feeder)
{
	const struct engine *device;
	struct run_report *report;

	if (!feeder)
		return;
	device = feeder->run->config->engine;
	report = feeder->run->report;
	run_add_counts(feeder->run, feeder->blocks, count_bytes(feeder),
		       feeder->by_device);
	if (device->healed &&
	    device->healed(feeder->device, &report->why_healed))
		report->healed = device;
	if (device->stats)
		device->stats(feeder->device, &report->device_facts);
	dispatch_destroy(&feeder->dispatch);
	free_all(feeder);
}
