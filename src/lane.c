/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lane.h"

#include <errno.h>
#include <string.h>

#include "cpu/sha256.h"

/* What was seen of a stream when reading ahead pays for its thread. */
enum { READAHEAD_BYTES = 4 << 20 };

/* The message has been hashed to its end. */
static void
take_digest(struct lane *lane)
{
	struct job *job = lane->ticket.job;
	uint32_t state[SHA256_STATE_WORDS];

	batch_get_state(lane->batch, lane->column, state);
	sha256_digest(state, job->digest);
	job->verdict = verify_finish(&lane->verify, job->digest);
	if (job->watched && reader_sees_change(&lane->reader))
		job->verdict = JOB_CHANGED;
}

/* Free the lane of its job. */
static void
end_job(struct lane *lane)
{
	if (lane->has_disk) {
		disk_release(lane->disks, lane->reader.device);
		order_wake(lane->order);
	}
	lane->has_disk = false;
	if (lane->reader.fifo)
		order_release_fifo(lane->order, lane->reader.device,
				   lane->reader.inode);
	reader_close(&lane->reader);
	lane->batch->nblocks[lane->column] = 0;
	lane->ticket.job = NULL;
}

void
lane_finish(struct lane *lane, int error)
{
	if (lane->ahead)
		readahead_stop(lane->ahead);
	lane->ahead = NULL;
	lane->ticket.job->error = error;
	lane->ticket.job->size = lane->reader.length;
	if (error == 0)
		take_digest(lane);
	end_job(lane);
}

static enum lane_answer
end_with_error(struct lane *lane, int error)
{
	lane_finish(lane, error);
	return LANE_ENDED;
}

/* What has the filter to say about the file that is open now? */
static enum job_verdict
filter_verdict(const struct job_filter *filter, const struct reader *reader)
{
	if (!filter || reader->reopens)
		return JOB_TRUSTED;
	if (!reader->regular)
		return JOB_NOT_REGULAR;
	return filter->has_output && reader->device == filter->device &&
			       reader->inode == filter->inode ?
		       JOB_IS_OUTPUT :
		       JOB_TRUSTED;
}

/* End the job if the filter refuses its file. */
static bool
is_refused(struct lane *lane)
{
	struct job *job = lane->ticket.job;

	job->verdict = filter_verdict(job->filter, &lane->reader);
	if (job->verdict == JOB_TRUSTED)
		return false;
	lane->reader.fifo = false;	/* not claimed */
	end_job(lane);
	return true;
}

void
lane_start(struct lane *lane, struct ticket ticket)
{
	lane->ticket = ticket;
	lane->unopened = true;
	lane->handed_bytes = 0;
	lane->reader = (struct reader){ .fd = -1 };
	batch_set_state(lane->batch, lane->column, sha256_initial);
	verify_start(&lane->verify, lane->crypto);
}

enum lane_answer
lane_open(struct lane *lane)
{
	struct job *job = lane->ticket.job;
	struct reader *reader = &lane->reader;

	lane->unopened = false;
	if (job->kind == JOB_STDIN) {
		job->opened = true;
		reader_open_stdin(reader, lane->buffer, lane->capacity);
		return LANE_WAITING;
	}
	if (!reader_open(reader, job->name, lane->buffer, lane->capacity,
			 &job->opened)) {
		if (job->opened || (errno != EMFILE && errno != ENFILE))
			return end_with_error(lane, errno);
		lane->unopened = true;
	} else if (is_refused(lane)) {
		return LANE_ENDED;
	} else if (reader->fifo &&
		   !order_claim_fifo(lane->order, reader->device,
				     reader->inode)) {
		reader_postpone(reader);
	} else if (lane->disks) {
		reader_watch(reader);
	}
	return LANE_WAITING;
}

/* The input's turn has come: open what is opened only now. */
static enum lane_answer
take_turn(struct lane *lane)
{
	struct job *job = lane->ticket.job;

	job->opened = reader_turn(&lane->reader, job->name);
	if (!job->opened)
		return end_with_error(lane, errno);
	return is_refused(lane) ? LANE_ENDED : LANE_WAITING;
}

/* Claim the disk if the reader cannot get on without.  False: not yet. */
static bool
may_read(struct lane *lane)
{
	enum disk_answer answer;

	if (!lane_lacks_disk(lane))
		return true;
	answer = disk_claim(lane->disks, lane->reader.device);
	if (answer == DISK_TAKEN)
		return false;
	lane->has_disk = answer == DISK_YOURS;
	lane->reader.pace = READER_PATIENT;
	return true;
}

static enum reader_answer
read_on(struct lane *lane, struct handout *handout, bool may_wait)
{
	enum reader_answer answer = READER_LATER;

	if (lane->ahead)
		return readahead_next(lane->ahead, handout);
	/* Once more if only now it finds that its data are not cached. */
	while (answer == READER_LATER && may_read(lane)) {
		answer = reader_next(&lane->reader, handout, may_wait);
		if (!lane_lacks_disk(lane))
			break;
	}
	return answer;
}

enum lane_answer
lane_refill(struct lane *lane, uint64_t head, bool may_wait, bool alone)
{
	struct batch *batch = lane->batch;
	struct handout handout;

	if (batch->nblocks[lane->column] > 0)
		return LANE_READY;
	if (lane->unopened && lane_open(lane) == LANE_ENDED)
		return LANE_ENDED;
	if (lane->unopened ||
	    (lane->reader.waits && lane->ticket.seq != head))
		return LANE_WAITING;
	if (lane->reader.reopens) {
		if (!may_wait)
			return LANE_WAITING;
		if (take_turn(lane) == LANE_ENDED)
			return LANE_ENDED;
	}
	if (alone && !lane->ahead && lane->reader.waits &&
	    lane->handed_bytes >= READAHEAD_BYTES)
		lane->ahead = readahead_start(&lane->reader);

	switch (read_on(lane, &handout, may_wait)) {
	case READER_BLOCKS:
		batch->data[lane->column] = handout.data;
		batch->nblocks[lane->column] = handout.nblocks;
		lane->message_bytes = handout.message_bytes;
		lane->handed_bytes += handout.message_bytes;
		return LANE_READY;
	case READER_LATER:
		return LANE_WAITING;
	case READER_FAILED:
		return end_with_error(lane, errno);
	case READER_END:
		break;
	}
	lane_finish(lane, 0);
	return LANE_ENDED;
}

enum lane_answer
lane_advance(struct lane *lane)
{
	struct batch *batch = lane->batch;
	uint32_t done = batch->done[lane->column];
	size_t bytes = (size_t)done * SHA256_BLOCK_BYTES;
	size_t message_bytes =
		bytes < lane->message_bytes ? bytes : lane->message_bytes;

	verify_feed(&lane->verify, batch->data[lane->column], done,
		    message_bytes);
	lane->message_bytes -= message_bytes;
	batch->data[lane->column] += bytes;
	batch->nblocks[lane->column] -= done;
	if (batch->nblocks[lane->column] > 0)
		return LANE_READY;
	/* While a thread reads ahead the reader is its own; the lane sees the
	 * end when it asks for more. */
	if (lane->ahead || !lane->reader.ended)
		return LANE_WAITING;
	lane_finish(lane, 0);
	return LANE_ENDED;
}

uint64_t
lane_gift_bytes(const struct lane *lane)
{
	const struct reader *reader = &lane->reader;

	if (lane_is_free(lane) || lane->unopened || lane->ahead ||
	    lane->has_disk || lane_lacks_disk(lane) || reader->waits ||
	    reader->ended || lane->batch->nblocks[lane->column] > 0 ||
	    reader->size <= reader->length)
		return 0;
	return reader->size - reader->length;
}

void
lane_give(struct lane *lane, struct lane_gift *gift)
{
	gift->ticket = lane->ticket;
	gift->handed_bytes = lane->handed_bytes;
	reader_use_buffer(&lane->reader, gift->tail, sizeof(gift->tail));
	gift->reader = lane->reader;
	batch_get_state(lane->batch, lane->column, gift->state);
	gift->verify = lane->verify;
	lane->ticket.job = NULL;
}

void
lane_accept(struct lane *lane, struct lane_gift *gift)
{
	lane->ticket = gift->ticket;
	lane->unopened = false;
	lane->ahead = NULL;
	lane->handed_bytes = gift->handed_bytes;
	lane->reader = gift->reader;
	/* The tail is the whole of the gift's buffer, wherever it lies. */
	lane->reader.buffer = gift->tail;
	reader_use_buffer(&lane->reader, lane->buffer, lane->capacity);
	batch_set_state(lane->batch, lane->column, gift->state);
	lane->verify = gift->verify;
}
