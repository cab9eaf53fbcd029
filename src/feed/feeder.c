/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/feeder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/base/clock.h"
#include "src/base/thread.h"
#include "src/feed/device_lane.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/run.h"

enum {
	/* Files whose sizes are known, waiting for lanes: half of all jobs that
	 * may be under way. */
	LOOK_AHEAD = 1 << 15,
	/* Jobs that are published together. */
	ENDED_JOBS = 256
};

struct feeder {
	struct run *run;
	unsigned index;
	void *device; /* config->engine, open */
	struct engine_limits limits;
	struct device_memory memory; /* of the lanes' buffers */
	struct engine_lane *work;    /* of the lanes */
	struct device_lane *lanes;
	unsigned nlanes;
	/* The ends of all buffers, and the messages that wait for them. */
	struct engine_end *ends;
	struct message **messages;
	struct device_lane_context context;
	uint64_t target; /* blocks that each lane should have */
	struct dispatch dispatch;
	bool is_running; /* a launch */
	uint64_t begun_ns;
	struct schedule_launch launch; /* filling_ns is of the next launch */
	uint64_t blocks;	       /* hashed */
	uint64_t by_device;	       /* digests */
	struct amount leaving;	       /* cut, and not collected yet */
	struct job *ended[ENDED_JOBS];
	unsigned nended;
	struct sequencer_view view;
};

/* Finished jobs ------------------------------------------------------------- */

/* Return the bytes of messages that were read so far. */
static uint64_t
count_bytes(const struct feeder *feeder)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < feeder->nlanes; i++)
		bytes += feeder->lanes[i].bytes;
	return bytes;
}

static void
publish(struct feeder *feeder)
{
	progress_note(feeder->index, count_bytes(feeder), feeder->by_device);
	if (feeder->nended > 0)
		sequencer_publish(&feeder->run->sequencer, feeder->ended,
				  feeder->nended);
	feeder->nended = 0;
}

/* End a message with its digest.  With --verify it has the right one already. */
static void
end_message(struct feeder *feeder, struct message *message)
{
	struct job *job = &message->job;
	uint8_t digest[SHA256_DIGEST_BYTES];

	sha256_digest(message->state, digest);
	job->device = feeder->run->config->engine->name;
	feeder->by_device++;
	if (!message->verify.crypto || job->verdict == JOB_DISPUTED)
		memcpy(job->digest, digest, sizeof(digest));
	else if (job->verdict == JOB_TRUSTED &&
		 memcmp(digest, job->digest, sizeof(digest)) != 0)
		job->verdict = JOB_CORRECTED;
	feeder->ended[feeder->nended++] = job;
	if (feeder->nended == ENDED_JOBS)
		publish(feeder);
}

/* Let a worker go on with a message. */
static void
hand_over(struct feeder *feeder, struct message *message)
{
	feeder->leaving.messages--;
	feeder->leaving.blocks -= message_blocks_left(message);
	message->job.started_on_device = true;
	handover_put(&feeder->run->sequencer, message, HANDOVER_SHARED);
}

static void
collect(struct feeder *feeder)
{
	struct message *message;

	for (unsigned i = 0; i < feeder->nlanes; i++)
		while ((message = device_lane_collect(&feeder->lanes[i]))) {
			if (message->input.phase == INPUT_PADDED)
				end_message(feeder, message);
			else
				hand_over(feeder, message);
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

/* Launch all that the lanes have, if they have anything. */
static void
begin_launch(struct feeder *feeder)
{
	struct diag why = { .text = "" };
	enum engine_status status;
	uint64_t blocks = 0;

	assert(!feeder->is_running);
	for (unsigned i = 0; i < feeder->nlanes; i++)
		blocks += device_lane_begin(&feeder->lanes[i]);
	if (blocks == 0)
		return;
	feeder->begun_ns = clock_ns();
	feeder->is_running = true;
	status = feeder->run->config->engine->submit(
		feeder->device, feeder->work, feeder->nlanes, &why);
	if (status != ENGINE_OK)
		fail(feeder, status, &why);
}

/* Wait for the launch to complete. */
static void
end_launch(struct feeder *feeder)
{
	const struct engine *device = feeder->run->config->engine;
	struct schedule_launch *launch = &feeder->launch;
	struct diag why = { .text = "" };
	enum engine_status status;

	feeder->is_running = false;
	status = device->wait(feeder->device, &why);
	if (status != ENGINE_OK) {
		fail(feeder, status, &why);
		return;
	}
	launch->ns = clock_ns() - feeder->begun_ns;
	launch->blocks = launch->longest = 0;
	for (unsigned i = 0; i < feeder->nlanes; i++) {
		struct device_lane *lane = &feeder->lanes[i];
		const uint32_t done = lane->work->done;

		launch->blocks += done;
		if (done > launch->longest)
			launch->longest = done;
		device_lane_advance(lane);
	}
	feeder->blocks += launch->blocks;
	dispatch_note_launch(&feeder->dispatch, launch);
}

/* Filling ------------------------------------------------------------------- */

/* Return the lane whose message has most blocks left, if these are more than
 * `min`, or NULL. */
static struct device_lane *
longest_lane(const struct feeder *feeder, uint64_t min)
{
	struct device_lane *best = NULL;

	for (unsigned i = 0; i < feeder->nlanes; i++) {
		const uint64_t left = device_lane_unread(&feeder->lanes[i]);

		if (left > min) {
			min = left;
			best = &feeder->lanes[i];
		}
	}
	return best;
}

/* Let lanes give up their longest messages, for workers that are soon free. */
static void
give_up_messages(struct feeder *feeder, const struct dispatch_plan *plan)
{
	struct amount wanted = plan->wanted;
	struct device_lane *lane;

	while ((wanted.messages > 0 || wanted.blocks > 0) &&
	       (lane = longest_lane(feeder, plan->quota)) != NULL) {
		const uint64_t blocks = device_lane_unread(lane);
		const struct message *message = device_lane_cut(lane);

		if (message)
			amount_add(&feeder->leaving,
				   message_blocks_left(message));
		wanted.messages -= wanted.messages > 0;
		wanted.blocks -= blocks < wanted.blocks ? blocks :
							  wanted.blocks;
	}
}

/*
 * Fill every nth lane.  All take a quarter of what is left for them, again and
 * again, so that the last ones get as much as the first.
 */
static void
fill_part(void *task, unsigned part, unsigned parts)
{
	struct feeder *feeder = task;
	uint64_t rest = feeder->target;

	assert(rest > 0);
	do {
		rest -= (rest + 3) / 4;
		for (unsigned i = part; i < feeder->nlanes; i += parts)
			device_lane_fill(&feeder->lanes[i],
					 feeder->target - rest);
	} while (rest > 0);
}

/* Return the blocks that are not hashed yet, and how many lanes have none. */
static uint64_t
count_left(const struct feeder *feeder, unsigned *idle)
{
	uint64_t blocks = 0;

	*idle = 0;
	for (unsigned i = 0; i < feeder->nlanes; i++) {
		const uint64_t left = device_lane_left(&feeder->lanes[i]);

		blocks += left;
		*idle += left == 0;
	}
	return blocks;
}

/* Get ready what the next launch takes, as planned with what is known. */
static void
prepare_launch(struct feeder *feeder)
{
	const uint64_t start_ns = clock_ns();
	const uint64_t both_buffers = 2 * feeder->context.blocks;
	struct dispatch_plan plan;
	uint64_t blocks;
	unsigned idle;

	dispatch_look_ahead(&feeder->dispatch, LOOK_AHEAD, &feeder->view);
	for (unsigned i = 0; i < feeder->nlanes; i++)
		if (!device_lane_take_started(&feeder->lanes[i]))
			break;
	blocks = count_left(feeder, &idle);
	plan = dispatch_plan(&feeder->dispatch, blocks, idle, feeder->leaving);
	give_up_messages(feeder, &plan);
	/* An idle lane takes a message in any case. */
	feeder->target = plan.quota < both_buffers ? plan.quota + 1 :
						     both_buffers;
	feeder->launch.fillers = plan.fillers;
	thread_team(feeder->launch.fillers, fill_part, feeder);
	feeder->launch.filling_ns = clock_ns() - start_ns;
}

/* The loop ------------------------------------------------------------------ */

/* Leave all jobs to the workers: the device has failed. */
static void
restart_jobs(struct feeder *feeder)
{
	for (unsigned i = 0; i < feeder->nlanes; i++)
		device_lane_restart_jobs(&feeder->lanes[i]);
	publish(feeder);
	dispatch_detach_device(&feeder->dispatch);
}

void
feeder_run(struct feeder *feeder)
{
	struct run *run = feeder->run;
	unsigned idle;

	for (;;) {
		const bool was_running = feeder->is_running;

		prepare_launch(feeder);
		if (was_running)
			end_launch(feeder);
		if (!run->report->failed)
			begin_launch(feeder);
		collect(feeder);
		if (run->report->failed) {
			restart_jobs(feeder);
			return;
		}
		if (feeder->is_running)
			continue;
		if (count_left(feeder, &idle) == 0 &&
		    dispatch_end_lanes(&feeder->dispatch))
			return;
		/* Plan again before waiting: a launch ran during the last plan. */
		if (!was_running)
			sequencer_wait(&run->sequencer, &feeder->view,
				       SEQUENCER_FEEDER);
	}
}

/* Beginning and end --------------------------------------------------------- */

static bool
allocate_lanes(struct feeder *feeder)
{
	const struct engine_limits *limits = &feeder->limits;
	struct device_lane_context *context = &feeder->context;
	const unsigned n = limits->lanes;
	const unsigned max_ends = DEVICE_BUFFER_BYTES / SHA256_BLOCK_BYTES;
	const size_t ends = limits->chained < max_ends ? limits->chained :
							 max_ends;

	context->dispatch = &feeder->dispatch;
	context->ends = (uint32_t)ends;
	feeder->nlanes = n;
	feeder->work = calloc(n, sizeof(*feeder->work));
	feeder->lanes = calloc(n, sizeof(*feeder->lanes));
	feeder->ends = calloc(2 * n * ends, sizeof(*feeder->ends));
	feeder->messages = calloc(2 * n * ends, sizeof(*feeder->messages));
	if (!feeder->work || !feeder->lanes || !feeder->ends ||
	    !feeder->messages)
		return false;
	for (unsigned i = 0; i < 2 * n; i++) {
		struct device_lane *lane = &feeder->lanes[i / 2];
		struct device_buffer *buffer = &lane->buffers[i % 2];

		lane->context = context;
		lane->work = &feeder->work[i / 2];
		buffer->ends = feeder->ends + i * ends;
		buffer->messages = feeder->messages + i * ends;
	}
	return device_memory_allocate(&feeder->memory, limits, feeder->lanes,
				      &feeder->nlanes, &context->blocks);
}

static void
free_all(struct feeder *feeder)
{
	device_memory_free(&feeder->memory);
	free(feeder->messages);
	free(feeder->ends);
	free(feeder->lanes);
	free(feeder->work);
	if (feeder->device)
		feeder->run->config->engine->close(feeder->device);
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
	feeder->memory = (struct device_memory){ .engine = config->engine,
						 .device = feeder->device };
	if (!feeder->device) {
		free_all(feeder);
		return NULL;
	}
	if (speed.lanes == 0)
		config->engine->speed(config->engine->context, &speed);
	if (!allocate_lanes(feeder)) {
		diag_set(why_not, "there is no memory for a single buffer");
		run->report->failed = config->engine;
		run->report->why = *why_not;
		free_all(feeder);
		return NULL;
	}
	dispatch_init(&feeder->dispatch, run, feeder->nlanes, &speed);
	run->sequencer.has_device = true;
	return feeder;
}

void
feeder_detach_device(struct feeder *feeder)
{
	feeder->run->report->failed = feeder->run->config->engine;
	diag_set(&feeder->run->report->why, "no thread can be started for it");
	dispatch_detach_device(&feeder->dispatch);
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
