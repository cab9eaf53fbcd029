/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/feeder.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/base/chained.h"
#include "src/base/clock.h"
#include "src/feed/stream_memory.h"
#include "src/feed/stream_set.h"
#include "src/lanes/lane_group.h"
#include "src/lanes/progress.h"

enum {
	/* Files whose sizes are known, waiting for lanes: half the
	 * sequencer's window. */
	LOOK_AHEAD = JOB_RING_SIZE / 2,
	/* Jobs that are published together. */
	FINISHED = 256
};

struct feeder {
	struct worker_config config;
	struct sequencer *sequencer;
	unsigned index;
	void *device; /* config.engine, open */
	void *cpu;    /* config.fallback, open */
	struct engine_limits limits;
	bool failed; /* the device; the CPU does its work */
	struct diag why;
	struct stream_memory memory;
	struct batch *batches;
	struct batch *saved; /* before the launch */
	struct stream_set streams;
	uint64_t *left; /* blocks of each stream */
	struct stream_room room;
	struct dispatch dispatch;
	bool is_running; /* a launch */
	uint64_t begun_ns, filling_ns;
	const char *hashed_by;		  /* the launch before */
	struct ticket finished[FINISHED]; /* to be published */
	unsigned nfinished;
	uint64_t blocks;
	uint64_t jobs_ended;
	struct sequencer_view view;
};

/* Finished jobs ------------------------------------------------------------- */

static void
publish(struct feeder *feeder)
{
	progress_note(feeder->index, feeder->room.bytes, feeder->jobs_ended);
	if (feeder->nfinished > 0)
		sequencer_publish(feeder->sequencer, feeder->finished,
				  feeder->nfinished);
	feeder->nfinished = 0;
}

static void
finish_job(void *cookie, struct job *job)
{
	struct feeder *feeder = cookie;

	feeder->finished[feeder->nfinished++] =
		(struct ticket){ .job = job, .seq = job->seq };
	feeder->jobs_ended++;
	if (feeder->nfinished == FINISHED)
		publish(feeder);
}

/* With --verify the job has the right digest already. */
static void
set_digest(struct feeder *feeder, struct job *job,
	   const uint32_t state[SHA256_STATE_WORDS])
{
	uint8_t digest[SHA256_DIGEST_BYTES];

	sha256_digest(state, digest);
	job->device = feeder->hashed_by;
	if (feeder->config.crypto && job->verdict != JOB_DISPUTED) {
		if (job->verdict == JOB_TRUSTED &&
		    memcmp(digest, job->digest, sizeof(digest)) != 0)
			job->verdict = JOB_CORRECTED;
		return;
	}
	memcpy(job->digest, digest, sizeof(digest));
}

static void
collect(struct feeder *feeder)
{
	for (unsigned i = 0; i < feeder->streams.n; i++) {
		uint32_t state[SHA256_STATE_WORDS];
		struct stream_item item;

		while (stream_collect(&feeder->streams.all[i], &item, state)) {
			if (item.job) {
				set_digest(feeder, item.job, state);
				finish_job(feeder, item.job);
			} else if (item.rest) {
				memcpy(item.rest->state, state, sizeof(state));
				dispatch_give_rest(&feeder->dispatch, item.rest,
						   item.rest->promised);
			}
		}
	}
	publish(feeder);
}

/* Launches ------------------------------------------------------------------ */

static void
copy_batches(struct feeder *feeder, struct batch *to, const struct batch *from)
{
	memcpy(to, from, feeder->limits.batches * sizeof(*to));
}

/*
 * The device cannot be trusted any more.  What it did in earlier launches has
 * proved itself; the CPU repeats this one from the states before it.
 */
static void
fail(struct feeder *feeder, const struct diag *why)
{
	feeder->failed = true;
	feeder->why = *why;
	copy_batches(feeder, feeder->batches, feeder->saved);
	dispatch_lose_device(&feeder->dispatch, true);
}

/* All that the streams have, if they have anything. */
static void
begin_launch(struct feeder *feeder)
{
	struct diag why = { .text = "" };
	bool any = false;

	for (unsigned i = 0; i < feeder->streams.n; i++)
		any |= stream_begin(&feeder->streams.all[i]) > 0;
	if (!any)
		return;
	copy_batches(feeder, feeder->saved, feeder->batches);
	feeder->begun_ns = clock_ns();
	feeder->is_running = true;
	if (!feeder->failed &&
	    feeder->config.engine->submit(feeder->device, feeder->batches,
					  feeder->limits.batches,
					  &why) != ENGINE_OK)
		fail(feeder, &why);
}

/* Wait until the launch has ended well, be it by the CPU. */
static void
end_launch(struct feeder *feeder)
{
	const struct engine *cpu = feeder->config.fallback;
	struct diag why = { .text = "" };
	uint64_t blocks = 0;
	uint32_t longest = 0;

	if (!feeder->is_running)
		return;
	if (!feeder->failed &&
	    feeder->config.engine->wait(feeder->device, &why) != ENGINE_OK)
		fail(feeder, &why);
	if (feeder->failed)
		chained_run(cpu, feeder->cpu, feeder->batches,
			    feeder->limits.batches, &why);
	feeder->is_running = false;
	feeder->hashed_by = feeder->failed ? cpu->name :
					     feeder->config.engine->name;
	for (unsigned i = 0; i < feeder->streams.n; i++) {
		const struct stream *stream = &feeder->streams.all[i];
		const uint32_t done = stream->batch->done[stream->column];

		blocks += done;
		if (done > longest)
			longest = done;
		stream_advance(&feeder->streams.all[i]);
	}
	feeder->blocks += blocks;
	dispatch_note_launch(&feeder->dispatch, blocks, longest,
			     clock_ns() - feeder->begun_ns, feeder->filling_ns);
}

/* Filling ------------------------------------------------------------------- */

/* Free workers go on with the longest messages that lanes have begun. */
static void
leave_rests(struct feeder *feeder, struct dispatch_plan *plan)
{
	const struct worker_config *config = &feeder->config;
	struct stream *stream =
		stream_set_rest(&feeder->streams, plan->work.least);

	if ((stream && plan->may_spawn) ||
	    dispatch_wants_workers(&feeder->dispatch))
		config->grow(config->pool);
	while (stream && (plan->rests > 0 || plan->rest_blocks > 0)) {
		const uint64_t blocks = stream_unread(stream);

		stream->leaves = blocks;
		dispatch_promise_rest(&feeder->dispatch, blocks);
		plan->rests -= plan->rests > 0;
		plan->rest_blocks -=
			blocks < plan->rest_blocks ? blocks : plan->rest_blocks;
		stream = stream_set_rest(&feeder->streams, plan->work.least);
	}
}

/* Idle lanes go on with messages that workers leave.  As in fill_streams others
 * have to know before. */
static void
take_rests(struct feeder *feeder)
{
	if (!dispatch_has_rest_for_lane(&feeder->dispatch))
		return;
	sequencer_set_busy(feeder->sequencer, feeder->index, feeder->streams.n);
	for (unsigned i = 0; i < feeder->streams.n; i++) {
		struct stream *stream = &feeder->streams.all[i];
		struct lane_transfer *rest;

		if (!stream_is_idle(stream))
			continue;
		rest = dispatch_rest_for_lane(&feeder->dispatch);
		if (!rest)
			return;
		stream_resume(stream, rest);
		lane_transfer_free(rest);
	}
}

/* Others that lack a descriptor have to know at any time that one may be in
 * use here. */
static void
fill_streams(struct feeder *feeder, struct dispatch_plan *plan)
{
	if (plan->work.share > 0)
		sequencer_set_busy(feeder->sequencer, feeder->index,
				   feeder->streams.n);
	feeder->room.starved = false;
	feeder->room.ready = stream_set_common_end(&feeder->streams);
	for (unsigned pass = 1; pass <= WORK_PASSES; pass++)
		for (unsigned i = 0; i < feeder->streams.n; i++)
			stream_fill(&feeder->streams.all[i], &feeder->room,
				    work_plan_target(&plan->work, pass),
				    &plan->work);
	sequencer_set_busy(feeder->sequencer, feeder->index,
			   stream_set_busy(&feeder->streams));
}

static void
fill(struct feeder *feeder)
{
	struct dispatch_plan plan;

	dispatch_look_ahead(&feeder->dispatch, feeder->index,
			    stream_set_busy(&feeder->streams), LOOK_AHEAD,
			    &feeder->view);
	take_rests(feeder);
	for (unsigned i = 0; i < feeder->streams.n; i++)
		feeder->left[i] = stream_left(&feeder->streams.all[i]);
	dispatch_plan(&feeder->dispatch, feeder->left, &plan);
	leave_rests(feeder, &plan);
	fill_streams(feeder, &plan);
	dispatch_note_filling(&feeder->dispatch,
			      stream_set_idle(&feeder->streams));
	publish(feeder);
}

/* The loop ------------------------------------------------------------------ */

/* False: there will be no more work. */
static bool
take_turn(struct feeder *feeder)
{
	const uint64_t start_ns = clock_ns();

	fill(feeder);
	feeder->filling_ns = clock_ns() - start_ns;
	end_launch(feeder);
	begin_launch(feeder);
	collect(feeder);
	if (feeder->is_running)
		return true;
	if (stream_set_busy(&feeder->streams) == 0 &&
	    dispatch_end_lanes(&feeder->dispatch))
		return false;
	sequencer_wait_source(feeder->sequencer, feeder->index, &feeder->view);
	return true;
}

void
feeder_run(struct feeder *feeder)
{
	while (take_turn(feeder))
		;
	sequencer_set_busy(feeder->sequencer, feeder->index, 0);
	sequencer_set_feeding(feeder->sequencer, false);
}

/* Beginning and end --------------------------------------------------------- */

static bool
allocate_streams(struct feeder *feeder)
{
	const struct engine_limits *limits = &feeder->limits;
	struct stream_room *room = &feeder->room;
	const unsigned most_ends =
		STREAM_MEMORY_BUFFER_BYTES / SHA256_BLOCK_BYTES;

	room->crypto = feeder->config.crypto;
	room->dispatch = &feeder->dispatch;
	room->ended = finish_job;
	room->feeder = feeder;
	room->ends = limits->chained < most_ends ? limits->chained : most_ends;
	feeder->streams.n = limits->batches * limits->lanes;
	feeder->batches = lane_group_new_batches(limits->batches);
	feeder->saved = lane_group_new_batches(limits->batches);
	feeder->streams.all =
		calloc(feeder->streams.n, sizeof(*feeder->streams.all));
	feeder->left = calloc(feeder->streams.n, sizeof(*feeder->left));
	if (!feeder->batches || !feeder->saved || !feeder->streams.all ||
	    !feeder->left)
		return false;
	for (unsigned i = 0; i < feeder->streams.n; i++)
		if (!stream_init(&feeder->streams.all[i], room,
				 &feeder->batches[i / limits->lanes],
				 i % limits->lanes))
			return false;
	if (!room->crypto)
		return true;
	room->staging = malloc(STREAM_MEMORY_BUFFER_BYTES);
	return room->staging;
}

static bool
open_engines(struct feeder *feeder, struct diag *why_not)
{
	const struct worker_config *config = &feeder->config;
	struct engine_limits ignored = { .batches = 0 };

	feeder->cpu = engine_open(config->fallback, "", &ignored, why_not);
	if (!feeder->cpu)
		return false;
	feeder->device = engine_open(config->engine, config->options,
				     &feeder->limits, why_not);
	feeder->memory = (struct stream_memory){ .engine = config->engine,
						 .device = feeder->device };
	return feeder->device;
}

static void
free_all(struct feeder *feeder)
{
	const struct worker_config *config = &feeder->config;
	const unsigned n = feeder->limits.batches * feeder->limits.lanes;

	stream_memory_free(&feeder->memory);
	for (unsigned i = 0; feeder->streams.all && i < n; i++)
		stream_free(&feeder->streams.all[i]);
	free(feeder->streams.all);
	free(feeder->left);
	free(feeder->batches);
	free(feeder->saved);
	free(feeder->room.staging);
	if (feeder->device)
		config->engine->close(feeder->device);
	if (feeder->cpu)
		config->fallback->close(feeder->cpu);
	free(feeder);
}

struct feeder *
feeder_new(const struct worker_config *config, struct sequencer *sequencer,
	   unsigned index, unsigned max_workers, struct diag *why_not)
{
	struct feeder *feeder = calloc(1, sizeof(*feeder));

	if (!feeder) {
		diag_set(why_not, "memory exhausted");
		return NULL;
	}
	feeder->config = *config;
	feeder->sequencer = sequencer;
	feeder->index = index;
	if (!open_engines(feeder, why_not)) {
		free_all(feeder);
		return NULL;
	}
	if (!allocate_streams(feeder) ||
	    !stream_memory_allocate(&feeder->memory, &feeder->limits,
				    &feeder->streams, &feeder->room.blocks)) {
		diag_set(why_not, "its memory is too small for a single "
				  "buffer");
		feeder->config.ended(
			feeder->config.pool,
			&(struct worker_report){ .failed = config->engine,
						 .why = *why_not });
		free_all(feeder);
		return NULL;
	}
	dispatch_init(&feeder->dispatch, sequencer, feeder->streams.n,
		      max_workers, config->shared, &config->speed);
	sequencer_set_feeding(sequencer, true);
	return feeder;
}

struct dispatch *
feeder_dispatch(struct feeder *feeder)
{
	return &feeder->dispatch;
}

void
feeder_lose_device(struct feeder *feeder)
{
	feeder->failed = true;
	diag_set(&feeder->why, "no thread can be started for it");
	dispatch_lose_device(&feeder->dispatch, false);
	sequencer_set_feeding(feeder->sequencer, false);
}

void
feeder_free(struct feeder *feeder)
{
	const struct worker_config *config;
	struct worker_report report = { .blocks = 0 };

	if (!feeder)
		return;
	config = &feeder->config;
	report.blocks = feeder->blocks;
	if (feeder->failed) {
		report.failed = config->engine;
		report.why = feeder->why;
	}
	if (config->engine->stats)
		config->engine->stats(feeder->device, &report.engine);
	config->ended(config->pool, &report);
	dispatch_destroy(&feeder->dispatch);
	free_all(feeder);
}
