/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/device_lane.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/lanes/buffer_layout.h"

static struct device_buffer *
front(struct device_lane *lane)
{
	return &lane->buffers[lane->front];
}

static struct device_buffer *
back(struct device_lane *lane)
{
	return &lane->buffers[!lane->front];
}

uint64_t
device_lane_unread(const struct device_lane *lane)
{
	return lane->message ? message_blocks_left(lane->message) : 0;
}

uint64_t
device_lane_left(const struct device_lane *lane)
{
	uint64_t left = device_lane_unread(lane);

	for (unsigned i = 0; i < 2; i++)
		left += lane->buffers[i].filled - lane->buffers[i].done;
	return left;
}

/* Ends of messages ---------------------------------------------------------- */

/* Return the blocks after the last end of a buffer, which are the open
 * message's. */
static uint32_t
open_blocks(const struct device_buffer *buffer)
{
	return buffer->nends > 0 ?
		       buffer->filled - buffer->ends[buffer->nends - 1].block :
		       buffer->filled;
}

/* Take the message out of the lane: another one may begin after the blocks that it
 * has there.  It waits for the state after them, or they are hashed for nothing. */
static struct message *
take_out(struct device_lane *lane, struct device_buffer *buffer, bool waits)
{
	struct message *message = lane->message;

	if (open_blocks(buffer) > 0) {
		buffer->ends[buffer->nends].block = buffer->filled;
		buffer->messages[buffer->nends++] = waits ? message : NULL;
	}
	lane->message = NULL;
	return message;
}

/*
 * Leave the message to a worker: READY to end without a digest; from its beginning if
 * it must be the oldest, which may be seen only after a part was read (a kernel's log);
 * or it lacks a descriptor.
 */
static void
put(struct device_lane *lane, struct device_buffer *buffer,
    enum handover_why why)
{
	struct run *run = lane->context->dispatch->run;
	struct message *message = take_out(lane, buffer, false);

	if (why == HANDOVER_EARLY) {
		lane->bytes -= message->handed_bytes;
		message_end(message);
		message_begin(message, run);
	}
	handover_put(&run->sequencer, message, why);
}

/*
 * End the message, whose last block has been read: find out whether the file has
 * changed, and the expected digest.  Close it: its token is for another one, since a
 * launch takes more messages than there are descriptors.
 */
static void
end_message(struct device_lane *lane, struct device_buffer *buffer)
{
	struct message *message = take_out(lane, buffer, true);
	struct job *job = &message->job;

	if (message->verify.crypto &&
	    !verify_expected(&message->verify, job->digest))
		job->verdict = JOB_DISPUTED;
	if (input_sees_change(&message->input, job->watched))
		job->verdict = JOB_CHANGED;
	job->size = message->input.length;
	message_end(message);
	handover_give_up(&lane->context->dispatch->run->sequencer, job);
}

/* Filling ------------------------------------------------------------------- */

static void
begin_message(struct device_lane *lane, struct message *message)
{
	assert(!lane->message);
	message->input.patience = INPUT_FOR_ALL;
	message->input.is_oldest = false;
	lane->message = message;
	lane->begins = true;
}

/* Begin with the next job.  Return false if there is none. */
static bool
begin_job(struct device_lane *lane)
{
	struct dispatch *dispatch = lane->context->dispatch;
	struct job *job = dispatch_next_for_lane(dispatch);

	if (!job)
		return false;
	message_begin(job_message(job), dispatch->run);
	begin_message(lane, job_message(job));
	return true;
}

/* Step the input into at most `most` blocks, including one that is kept for the
 * padding.  With --verify the CPU hashes them where the device cannot touch them. */
static enum input_result
read_blocks(struct message *message, uint8_t *to, uint32_t most,
	    struct input_blocks *blocks)
{
	const size_t room = (size_t)(most - 1) * SHA256_BLOCK_BYTES;
	uint8_t own[DEVICE_BUFFER_BYTES];
	enum input_result result;

	if (!message->verify.crypto)
		return input_step(&message->input, to, room, false, blocks);
	result = input_step(&message->input, own, room, false, blocks);
	if (result != INPUT_BLOCKS)
		return result;
	verify_feed(&message->verify, blocks->data, blocks->n,
		    blocks->message_bytes);
	memcpy(to, blocks->data, (size_t)blocks->n * SHA256_BLOCK_BYTES);
	return result;
}

/* Get some blocks of the open message, if it has any. */
static void
fill_blocks(struct device_lane *lane, struct device_buffer *buffer)
{
	const struct device_lane_context *context = lane->context;
	struct message *message = lane->message;
	uint8_t *to =
		buffer->data + (size_t)buffer->filled * SHA256_BLOCK_BYTES;
	struct input_blocks blocks;

	switch (read_blocks(message, to, context->blocks - buffer->filled,
			    &blocks)) {
	case INPUT_BLOCKS: break;
	case INPUT_ENDED: put(lane, buffer, HANDOVER_READY); return;
	case INPUT_LACKING: put(lane, buffer, HANDOVER_LACKING); return;
	default: put(lane, buffer, HANDOVER_EARLY); return;
	}
	if (buffer->filled == 0) {
		buffer->begins = lane->begins;
		memcpy(buffer->start, message->state, sizeof(buffer->start));
	}
	lane->begins = false;
	buffer->filled += blocks.n;
	message->handed_bytes += blocks.message_bytes;
	lane->bytes += blocks.message_bytes;
	if (blocks.is_last)
		end_message(lane, buffer);
}

/* Return the buffer for the blocks that follow all blocks of the lane. */
static struct device_buffer *
fillable(struct device_lane *lane)
{
	if (front(lane)->filled == 0 ||
	    (!lane->is_running && front(lane)->done == 0 &&
	     back(lane)->filled == 0))
		return front(lane);
	return back(lane);
}

bool
device_lane_take_started(struct device_lane *lane)
{
	struct message *message;

	if (lane->message || fillable(lane)->filled > 0)
		return true;
	message = handover_take(&lane->context->dispatch->run->sequencer,
				HANDOVER_LANE);
	if (message)
		begin_message(lane, message);
	return message != NULL;
}

/* Return true if there is room in a buffer, beside the block that is kept for the
 * padding. */
static bool
has_room(const struct device_lane *lane, const struct device_buffer *buffer)
{
	return buffer->filled + 2 <= lane->context->blocks &&
	       buffer->nends < lane->context->ends;
}

void
device_lane_fill(struct device_lane *lane, uint64_t target)
{
	struct device_buffer *buffer = fillable(lane);

	while (has_room(lane, buffer)) {
		if (lane->message)
			fill_blocks(lane, buffer);
		else if (device_lane_left(lane) >= target || !begin_job(lane))
			return;
	}
}

struct message *
device_lane_cut(struct device_lane *lane)
{
	struct device_buffer *buffer = fillable(lane);

	while (lane->message && has_room(lane, buffer))
		fill_blocks(lane, buffer);
	/* A message that is open at the end of a full buffer has blocks there. */
	return lane->message ? take_out(lane, buffer, true) : NULL;
}

/* Launches ------------------------------------------------------------------ */

uint32_t
device_lane_begin(struct device_lane *lane)
{
	struct device_buffer *buffer = front(lane);
	struct engine_lane *work = lane->work;

	assert(!lane->is_running && buffer->done <= buffer->filled);
	if (buffer->filled > 0 && buffer->done == 0 && buffer->begins)
		memcpy(work->state, buffer->start, sizeof(work->state));
	work->data = buffer->data + (size_t)buffer->done * SHA256_BLOCK_BYTES;
	work->nblocks = buffer->filled - buffer->done;
	work->ends = buffer->ends + buffer->passed;
	work->nends = buffer->nends - buffer->passed;
	work->done = 0;
	lane->is_running = work->nblocks > 0;
	return work->nblocks;
}

void
device_lane_advance(struct device_lane *lane)
{
	struct device_buffer *buffer = front(lane);
	const uint32_t done = lane->work->done;

	assert(done <= lane->work->nblocks);
	lane->is_running = false;
	while (buffer->passed < buffer->nends &&
	       buffer->ends[buffer->passed].block <= done)
		buffer->passed++;
	for (uint32_t i = buffer->passed; i < buffer->nends; i++)
		buffer->ends[i].block -= done;
	buffer->done += done;
	if (buffer->filled > 0 && buffer->done == buffer->filled)
		lane->front = !lane->front;
}

/* Let a worker begin a job again. */
static void
restart(struct device_lane *lane, struct message *message)
{
	struct job *job = &message->job;

	lane->bytes -= message->handed_bytes;
	message_end(message);
	job->restarted = true;
	job->started_on_device = false;
	dispatch_put(lane->context->dispatch, job);
}

void
device_lane_restart_jobs(struct device_lane *lane)
{
	for (unsigned i = 0; i < 2; i++) {
		struct device_buffer *buffer = &lane->buffers[i];

		for (; buffer->collected < buffer->nends; buffer->collected++) {
			struct message *message =
				buffer->messages[buffer->collected];

			if (message)
				restart(lane, message);
		}
		buffer->filled = 0;
	}
	if (lane->message)
		restart(lane, lane->message);
	lane->message = NULL;
}

struct message *
device_lane_collect(struct device_lane *lane)
{
	for (unsigned i = 0; i < 2; i++) {
		struct device_buffer *buffer = &lane->buffers[i];

		assert(buffer->collected <= buffer->passed &&
		       buffer->passed <= buffer->nends);
		while (buffer->collected < buffer->passed) {
			const uint32_t end = buffer->collected++;
			struct message *message = buffer->messages[end];

			if (!message)
				continue;
			memcpy(message->state, buffer->ends[end].state,
			       sizeof(message->state));
			return message;
		}
		if (buffer->filled == 0 || buffer->done < buffer->filled)
			continue;
		buffer->filled = buffer->done = 0;
		buffer->nends = buffer->passed = buffer->collected = 0;
	}
	return NULL;
}

/* Memory ---------------------------------------------------------------------- */

enum {
	/* A smaller buffer would not hold one read of a message. */
	MIN_BYTES = 4 << 10,
	/* Bytes that alignment of its buffers may waste in a piece. */
	GAPS_BYTES = 2 * CACHE_WAY_BYTES
};

void
device_memory_free(struct device_memory *memory)
{
	while (memory->npieces > 0)
		memory->engine->free(memory->device,
				     memory->pieces[--memory->npieces],
				     memory->piece_bytes);
	free(memory->pieces);
	memory->pieces = NULL;
}

/* Return the number of buffers in each piece, so that all pieces are alike. */
static unsigned
buffers_of_piece(size_t wanted_bytes, size_t stride, unsigned all)
{
	unsigned most = all, n;

	if (wanted_bytes > 0 && wanted_bytes / stride < all)
		most = wanted_bytes > stride + GAPS_BYTES ?
			       (unsigned)((wanted_bytes - GAPS_BYTES) /
					  stride) :
			       1;
	n = (all + most - 1) / most;
	return (all + n - 1) / n;
}

/* Return the first address at or after `at` in the set of a cache that belongs
 * to a lane. */
static uint8_t *
place_in_set(uint8_t *at, unsigned lane)
{
	const size_t set = (size_t)lane * SHA256_BLOCK_BYTES;

	return at + (set - (uintptr_t)at) % CACHE_WAY_BYTES;
}

static bool
allocate(struct device_memory *memory, size_t wanted_bytes,
	 struct device_lane *lanes, unsigned n,
	 const struct buffer_layout *layout)
{
	const size_t stride = buffer_layout_stride(layout);
	const unsigned all = 2 * n;
	const unsigned each = buffers_of_piece(wanted_bytes, stride, all);
	uint8_t *at = NULL;

	memory->piece_bytes = buffer_layout_bytes(layout, each) + GAPS_BYTES;
	memory->pieces = calloc(all, sizeof(*memory->pieces));
	for (unsigned i = 0; memory->pieces && i < all; i++) {
		if (i % each == 0) {
			at = memory->engine->alloc(memory->device,
						   memory->piece_bytes);
			if (!at)
				break;
			memory->pieces[memory->npieces++] = at;
		}
		at = place_in_set(at, i % n);
		lanes[i % n].buffers[i / n].data = at;
		at += stride;
	}
	if (at)
		return true;
	device_memory_free(memory);
	return false;
}

bool
device_memory_allocate(struct device_memory *memory,
		       const struct engine_limits *limits,
		       struct device_lane *lanes, unsigned *n, uint32_t *blocks)
{
	struct buffer_layout layout = { .slack_bytes =
						engine_slack_bytes(limits) };
	size_t bytes = DEVICE_BUFFER_BYTES;

	for (;;) {
		/* The whole buffer, with the slack, is a power of two. */
		layout.capacity = (bytes - buffer_layout_space(&layout)) /
				  SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
		if (allocate(memory, limits->piece_bytes, lanes, *n, &layout))
			break;
		if (bytes > MIN_BYTES)
			bytes /= 2;
		else if (*n > 1)
			*n /= 2;
		else
			return false;
	}
	*blocks = (uint32_t)(layout.capacity / SHA256_BLOCK_BYTES) + 1;
	return true;
}
