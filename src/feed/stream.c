/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/fips180.h"

bool
stream_init(struct stream *stream, const struct stream_room *room,
	    struct batch *batch, unsigned column)
{
	stream->batch = batch;
	stream->column = column;
	stream->reader = reader_new();
	for (unsigned i = 0; i < 2; i++) {
		struct stream_buffer *buffer = &stream->buffers[i];

		buffer->ends = calloc(room->ends, sizeof(*buffer->ends));
		buffer->items = calloc(room->ends, sizeof(*buffer->items));
		if (!buffer->ends || !buffer->items)
			return false;
	}
	return stream->reader;
}

void
stream_free(struct stream *stream)
{
	reader_free(stream->reader);
	for (unsigned i = 0; i < 2; i++) {
		free(stream->buffers[i].ends);
		free(stream->buffers[i].items);
	}
	*stream = (struct stream){ .job = NULL };
}

static struct stream_buffer *
front(struct stream *stream)
{
	return &stream->buffers[stream->front];
}

static struct stream_buffer *
back(struct stream *stream)
{
	return &stream->buffers[!stream->front];
}

static bool
has_blocks(const struct stream *stream)
{
	return stream->buffers[0].filled > 0 || stream->buffers[1].filled > 0;
}

bool
stream_is_busy(const struct stream *stream)
{
	return stream->job || has_blocks(stream);
}

uint64_t
stream_unread(const struct stream *stream)
{
	return stream->job ? work_blocks(reader_remaining(stream->reader)) : 0;
}

uint64_t
stream_left(const struct stream *stream)
{
	uint64_t left = stream_unread(stream);

	for (unsigned i = 0; i < 2; i++)
		left += stream->buffers[i].filled - stream->buffers[i].done;
	return left;
}

uint32_t
stream_rest(const struct stream *stream)
{
	const struct stream_buffer *buffer = &stream->buffers[stream->front];
	const uint32_t done = stream->batch->done[stream->column];

	if (!stream->is_running || done == 0)
		return 0;
	return buffer->filled - buffer->done - done;
}

/* Messages ------------------------------------------------------------------ */

/* Blocks behind the last end of a buffer: those of the open message. */
static uint32_t
open_blocks(const struct stream_buffer *buffer)
{
	return buffer->nends > 0 ?
		       buffer->filled - buffer->ends[buffer->nends - 1].block :
		       buffer->filled;
}

static void
add_end(struct stream_buffer *buffer, struct job *job,
	struct lane_transfer *rest)
{
	buffer->ends[buffer->nends].block = buffer->filled;
	buffer->items[buffer->nends++] =
		(struct stream_item){ .job = job, .rest = rest };
}

/* The message ends here, before a worker has got its rest. */
static void
break_promise(struct stream *stream, struct stream_room *room)
{
	if (stream->leaves)
		dispatch_give_rest(room->dispatch, NULL, stream->leaves);
	stream->leaves = 0;
}

/* The job ends without a digest. */
static void
drop(struct stream *stream, struct stream_room *room,
     struct stream_buffer *buffer)
{
	struct job *job = stream->job;

	job->size = reader_length(stream->reader);
	break_promise(stream, room);
	stream->job = NULL;
	reader_close(stream->reader);
	/* Behind the blocks that it has there, another message may begin. */
	if (open_blocks(buffer) > 0)
		add_end(buffer, NULL, NULL);
	room->ended(room->feeder, job);
}

static void
drop_with_error(struct stream *stream, struct stream_room *room,
		struct stream_buffer *buffer, int error)
{
	stream->job->error = error;
	drop(stream, room, buffer);
}

/* The job cannot be read before its turn, or not be opened now. */
static void
give_back(struct stream *stream, struct stream_room *room)
{
	struct job *job = stream->job;

	stream->job = NULL;
	reader_reset(stream->reader);
	dispatch_return(room->dispatch, job);
}

/* The last block has been read: see what is to be seen of the file, and what
 * the digest should be. */
static void
end_message(struct stream *stream, struct stream_room *room,
	    struct stream_buffer *buffer)
{
	struct job *job = stream->job;

	job->size = reader_length(stream->reader);
	if (room->crypto && !verify_expected(&stream->verify, job->digest))
		job->verdict = JOB_DISPUTED;
	if (job->watched && reader_sees_change(stream->reader))
		job->verdict = JOB_CHANGED;
	break_promise(stream, room);
	stream->job = NULL;
	reader_close(stream->reader);
	add_end(buffer, job, NULL);
}

/* The message as it is: to be completed by its state. */
static struct lane_transfer *
transfer_message(struct stream *stream)
{
	struct lane_transfer *rest = lane_transfer_new();
	struct reader *reader = stream->reader;

	if (!rest)
		return NULL;
	rest->ticket =
		(struct ticket){ .job = stream->job, .seq = stream->job->seq };
	stream->reader = rest->reader;
	rest->reader = reader;
	rest->handed_bytes = stream->handed_bytes;
	rest->verify = stream->verify;
	rest->promised = stream->leaves;
	stream->job = NULL;
	stream->leaves = 0;
	return rest;
}

/* The rest of the message goes to a worker when the blocks in this buffer
 * have been hashed. */
static void
cut_message(struct stream *stream, struct stream_buffer *buffer)
{
	struct lane_transfer *rest = transfer_message(stream);

	if (rest)
		add_end(buffer, NULL, rest);
}

/* Filling ------------------------------------------------------------------- */

/* Open its input.  False: there is no message, at least not here and now. */
static bool
begin_message(struct stream *stream, struct stream_room *room,
	      struct stream_buffer *buffer, struct job *job)
{
	struct reader *reader = stream->reader;

	stream->job = job;
	stream->handed_bytes = 0;
	stream->resumes = false;
	verify_start(&stream->verify, room->crypto);
	if (!reader_open(reader, job->root, job->name, buffer->data,
			 (size_t)room->blocks * SHA256_BLOCK_BYTES,
			 &job->opened)) {
		if (errno == EMFILE || errno == ENFILE) {
			room->starved = true;
			give_back(stream, room);
		} else {
			drop_with_error(stream, room, buffer, errno);
		}
		return false;
	}
	if (reader_needs_turn(reader))
		give_back(stream, room);
	else if (lane_filter_refuses(job, reader))
		drop(stream, room, buffer);
	return stream->job;
}

/* At most so many blocks, one of which is kept for the padding. */
static enum reader_answer
read_blocks(struct stream *stream, struct stream_room *room, uint8_t *to,
	    uint32_t most, struct handout *handout)
{
	enum reader_answer answer;

	reader_use_buffer(stream->reader, room->crypto ? room->staging : to,
			  (size_t)(most - 1) * SHA256_BLOCK_BYTES);
	answer = reader_next(stream->reader, handout, false);
	if (answer != READER_BLOCKS || !room->crypto)
		return answer;
	verify_feed(&stream->verify, handout->data, handout->nblocks,
		    handout->message_bytes);
	memcpy(to, handout->data,
	       (size_t)handout->nblocks * SHA256_BLOCK_BYTES);
	return answer;
}

/*
 * A file that must wait for its turn (a kernel's log) after something of it
 * has been read is left to a worker, as soon as its state is known.
 */
static void
leave_to_worker(struct stream *stream, struct stream_room *room,
		struct stream_buffer *buffer)
{
	struct lane_transfer *rest;

	if (stream->handed_bytes == 0) {
		give_back(stream, room);
		return;
	}
	if (!stream->leaves) {
		stream->leaves = stream_unread(stream);
		dispatch_promise_rest(room->dispatch, stream->leaves);
	}
	if (open_blocks(buffer) > 0) {
		cut_message(stream, buffer);
	} else if (stream->resumes || !has_blocks(stream)) {
		rest = transfer_message(stream);
		if (!rest)
			return;
		if (stream->resumes)
			memcpy(rest->state, stream->start, sizeof(rest->state));
		else
			batch_get_state(stream->batch, stream->column,
					rest->state);
		dispatch_give_rest(room->dispatch, rest, rest->promised);
	}
}

/* What is the state before its first block? */
static void
begin_buffer(const struct stream *stream, struct stream_buffer *buffer)
{
	buffer->begins = stream->resumes || stream->handed_bytes == 0;
	memcpy(buffer->start, stream->resumes ? stream->start : sha256_initial,
	       sizeof(buffer->start));
}

/* Some blocks of the open message.  False: it has no more for now. */
static bool
fill_blocks(struct stream *stream, struct stream_room *room,
	    struct stream_buffer *buffer, uint32_t most)
{
	uint8_t *to =
		buffer->data + (size_t)buffer->filled * SHA256_BLOCK_BYTES;
	struct handout handout;

	switch (read_blocks(stream, room, to, most - buffer->filled,
			    &handout)) {
	case READER_BLOCKS: break;
	case READER_LATER: leave_to_worker(stream, room, buffer); return false;
	case READER_FAILED:
		drop_with_error(stream, room, buffer, errno);
		return true;
	case READER_END: return false;
	}
	if (buffer->filled == 0)
		begin_buffer(stream, buffer);
	stream->resumes = false;
	buffer->filled += handout.nblocks;
	stream->handed_bytes += handout.message_bytes;
	room->bytes += handout.message_bytes;
	if (reader_has_ended(stream->reader))
		end_message(stream, room, buffer);
	return true;
}

/* The buffer that takes the blocks behind all that the stream has; NULL: both
 * are in use. */
static struct stream_buffer *
fillable(struct stream *stream)
{
	if (front(stream)->filled == 0 ||
	    (!stream->is_running && front(stream)->done == 0 &&
	     back(stream)->filled == 0))
		return front(stream);
	return back(stream);
}

bool
stream_is_idle(struct stream *stream)
{
	return !stream->job && fillable(stream)->filled == 0;
}

void
stream_resume(struct stream *stream, struct lane_transfer *rest)
{
	struct reader *reader = stream->reader;

	stream->reader = rest->reader;
	rest->reader = reader;
	stream->job = rest->ticket.job;
	stream->handed_bytes = rest->handed_bytes;
	stream->verify = rest->verify;
	stream->resumes = true;
	memcpy(stream->start, rest->state, sizeof(stream->start));
}

/* A message begins. */
static void
count(struct work_plan *plan, const struct job *job)
{
	const uint64_t blocks = job->blocks < plan->target ? job->blocks :
							     plan->target;

	plan->share -= blocks < plan->share ? blocks : plan->share;
}

void
stream_fill(struct stream *stream, struct stream_room *room, uint64_t target,
	    struct work_plan *plan)
{
	struct stream_buffer *buffer = fillable(stream);
	const uint32_t rest = stream_rest(stream);
	uint32_t most = room->blocks;

	/* One block more is kept for the padding. */
	if (room->ready + 1 < rest + most)
		most = room->ready + 1 - rest;
	while (buffer->filled + 2 <= most && buffer->nends < room->ends) {
		struct job *job;

		if (stream->job) {
			if (!fill_blocks(stream, room, buffer, most))
				return;
			continue;
		}
		if (plan->share == 0 || room->starved ||
		    stream_left(stream) >= target)
			return;
		job = dispatch_for_lane(room->dispatch);
		if (!job)
			return;
		count(plan, job);
		begin_message(stream, room, buffer, job);
	}
	if (stream->leaves && open_blocks(buffer) > 0)
		cut_message(stream, buffer);
}

/* Launches ------------------------------------------------------------------ */

uint32_t
stream_begin(struct stream *stream)
{
	struct stream_buffer *buffer = front(stream);
	struct batch *batch = stream->batch;
	const unsigned column = stream->column;

	if (buffer->filled > 0 && buffer->done == 0 && buffer->begins)
		batch_set_state(batch, column, buffer->start);
	batch->data[column] =
		buffer->data + (size_t)buffer->done * SHA256_BLOCK_BYTES;
	batch->nblocks[column] = buffer->filled - buffer->done;
	batch->ends[column] = buffer->ends + buffer->passed;
	batch->nends[column] = buffer->nends - buffer->passed;
	batch->done[column] = 0;
	stream->is_running = batch->nblocks[column] > 0;
	return batch->nblocks[column];
}

void
stream_advance(struct stream *stream)
{
	struct stream_buffer *buffer = front(stream);
	const uint32_t done = stream->batch->done[stream->column];

	stream->is_running = false;
	while (buffer->passed < buffer->nends &&
	       buffer->ends[buffer->passed].block <= done)
		buffer->passed++;
	for (uint32_t i = buffer->passed; i < buffer->nends; i++)
		buffer->ends[i].block -= done;
	buffer->done += done;
	if (buffer->filled > 0 && buffer->done == buffer->filled)
		stream->front = !stream->front;
}

bool
stream_collect(struct stream *stream, struct stream_item *item,
	       uint32_t state[SHA256_STATE_WORDS])
{
	for (unsigned i = 0; i < 2; i++) {
		struct stream_buffer *buffer = &stream->buffers[i];

		if (buffer->collected < buffer->passed) {
			*item = buffer->items[buffer->collected];
			memcpy(state, buffer->ends[buffer->collected].state,
			       sizeof(buffer->ends->state));
			buffer->collected++;
			return true;
		}
		if (buffer->filled == 0 || buffer->done < buffer->filled)
			continue;
		buffer->filled = buffer->done = 0;
		buffer->nends = buffer->passed = buffer->collected = 0;
	}
	return false;
}
