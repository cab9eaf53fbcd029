/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"

/* From so many bytes of a stream on, reading ahead pays for its thread. */
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
	if (job->watched && reader_sees_change(lane->reader))
		job->verdict = JOB_CHANGED;
}

/* Free the lane of its job. */
static void
end_job(struct lane *lane)
{
	if (lane->disks_held) {
		disk_release(lane->disks, lane->disks_held);
		sequencer_wake(lane->sequencer);
	}
	if (lane->fifo)
		fifo_registry_release(lane->fifos, lane->fifo);
	lane->disks_held = 0;
	lane->fifo = NULL;
	reader_close(lane->reader);
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
	lane->ticket.job->size = reader_length(lane->reader);
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

bool
lane_filter_refuses(struct job *job, const struct reader *reader)
{
	const struct job_filter *filter = job->filter;

	job->verdict = JOB_TRUSTED;
	if (!filter || reader_is_postponed(reader))
		return false;
	if (!reader_is_regular(reader))
		job->verdict = JOB_NOT_REGULAR;
	else if (filter->has_output &&
		 reader_device(reader) == filter->device &&
		 reader_inode(reader) == filter->inode)
		job->verdict = JOB_IS_OUTPUT;
	return job->verdict != JOB_TRUSTED;
}

/* End the job if the filter refuses its file. */
static bool
is_refused(struct lane *lane)
{
	if (!lane_filter_refuses(lane->ticket.job, lane->reader))
		return false;
	end_job(lane);
	return true;
}

void
lane_start(struct lane *lane, struct ticket ticket)
{
	lane->ticket = ticket;
	lane->unopened = true;
	lane->handed_bytes = 0;
	reader_reset(lane->reader);
	batch_set_state(lane->batch, lane->column, sha256_initial);
	verify_start(&lane->verify, lane->crypto);
}

/* A FIFO that another lane has open waits, closed, for its turn. */
static void
register_fifo(struct lane *lane)
{
	bool first;

	lane->fifo = fifo_registry_claim(lane->fifos,
					 reader_device(lane->reader),
					 reader_inode(lane->reader), &first);
	if (!first)
		reader_postpone(lane->reader);
}

/* Most jobs can do without what fstat says of a small file. */
static bool
open_file(struct lane *lane)
{
	struct job *job = lane->ticket.job;

	if (job->filter || job->watched)
		return reader_open(lane->reader, job->root, job->name,
				   lane->buffer, lane->capacity, &job->opened);
	return reader_open_briefly(lane->reader, job->root, job->name,
				   lane->buffer, lane->capacity, &job->opened);
}

enum lane_answer
lane_open(struct lane *lane)
{
	struct job *job = lane->ticket.job;
	struct reader *reader = lane->reader;

	lane->unopened = false;
	job->error = 0;
	if (job->kind == JOB_STDIN) {
		job->opened = true;
		reader_open_stdin(reader, lane->buffer, lane->capacity);
		return LANE_WAITING;
	}
	if (!open_file(lane)) {
		if (errno != EMFILE && errno != ENFILE)
			return end_with_error(lane, errno);
		lane->unopened = true;
		job->error = errno;
	} else if (is_refused(lane)) {
		return LANE_ENDED;
	} else if (reader_is_fifo(reader)) {
		register_fifo(lane);
	} else if (lane->disks && reader_size(reader) > lane->capacity) {
		/* Others take one read: nothing to be learnt. */
		reader_avoid_disk(reader, disk_is_known(lane->disks,
							reader_device(reader)));
	}
	return LANE_WAITING;
}

/* The input's turn has come: open it if it was postponed. */
static enum lane_answer
take_turn(struct lane *lane)
{
	struct job *job = lane->ticket.job;

	job->opened = reader_turn(lane->reader, job->root, job->name);
	if (!job->opened)
		return end_with_error(lane, errno);
	return is_refused(lane) ? LANE_ENDED : LANE_WAITING;
}

/* Claim the disk if the reader cannot get on without.  False: not yet. */
static bool
may_read(struct lane *lane)
{
	const struct disk_request request = {
		.fd = reader_descriptor(lane->reader),
		.device = reader_device(lane->reader),
		.seq = lane->ticket.seq
	};

	if (!lane_lacks_disk(lane))
		return true;
	if (disk_claim(lane->disks, &request, &lane->disks_held) == DISK_TAKEN)
		return false;
	reader_use_disk(lane->reader);
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
		answer = reader_next(lane->reader, handout, may_wait);
		if (!lane_lacks_disk(lane))
			break;
	}
	return answer;
}

enum lane_answer
lane_refill(struct lane *lane, uint64_t head, bool may_wait,
	    bool may_read_ahead)
{
	struct batch *batch = lane->batch;
	struct handout handout;

	if (batch->nblocks[lane->column] > 0)
		return LANE_READY;
	if (lane->unopened && lane_open(lane) == LANE_ENDED)
		return LANE_ENDED;
	if (lane->unopened ||
	    (reader_needs_turn(lane->reader) && lane->ticket.seq != head))
		return LANE_WAITING;
	if (reader_is_postponed(lane->reader)) {
		if (!may_wait)
			return LANE_WAITING;
		if (take_turn(lane) == LANE_ENDED)
			return LANE_ENDED;
	}
	if (may_read_ahead && !lane->ahead && reader_needs_turn(lane->reader) &&
	    lane->handed_bytes >= READAHEAD_BYTES)
		lane->ahead = readahead_start(lane->reader, lane->room_bytes);

	switch (read_on(lane, &handout, may_wait)) {
	case READER_BLOCKS:
		batch->data[lane->column] = handout.data;
		batch->nblocks[lane->column] = handout.nblocks;
		lane->message_bytes = handout.message_bytes;
		lane->handed_bytes += handout.message_bytes;
		return LANE_READY;
	case READER_LATER: return LANE_WAITING;
	case READER_FAILED: return end_with_error(lane, errno);
	case READER_END: break;
	}
	lane_finish(lane, 0);
	return LANE_ENDED;
}

bool
lane_is_too_early(const struct lane *lane, uint64_t head)
{
	return lane->ticket.seq != head && !lane->disks_held &&
	       (lane->unopened || reader_needs_turn(lane->reader));
}

void
lane_give_up(struct lane *lane)
{
	end_job(lane);
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
	if (lane->ahead || !reader_has_ended(lane->reader))
		return LANE_WAITING;
	lane_finish(lane, 0);
	return LANE_ENDED;
}

/* Moving to another worker ------------------------------------------------- */

uint64_t
lane_export_bytes(const struct lane *lane)
{
	/* What is read ahead needs its turn. */
	if (lane_is_free(lane) || lane->unopened || lane->disks_held ||
	    lane_lacks_disk(lane) || reader_needs_turn(lane->reader) ||
	    lane->batch->nblocks[lane->column] > 0)
		return 0;
	return reader_remaining(lane->reader);
}

struct lane_transfer *
lane_transfer_new(void)
{
	struct lane_transfer *transfer = malloc(sizeof(*transfer));

	if (!transfer)
		return NULL;
	transfer->promised = 0;
	transfer->reader = reader_new();
	if (!transfer->reader) {
		free(transfer);
		return NULL;
	}
	return transfer;
}

void
lane_transfer_free(struct lane_transfer *transfer)
{
	reader_free(transfer->reader);
	free(transfer);
}

/* A lane always has a reader: it changes with the one of the transfer. */
static void
swap_readers(struct lane *lane, struct lane_transfer *transfer)
{
	struct reader *reader = lane->reader;

	lane->reader = transfer->reader;
	transfer->reader = reader;
}

void
lane_export(struct lane *lane, struct lane_transfer *transfer)
{
	transfer->ticket = lane->ticket;
	transfer->handed_bytes = lane->handed_bytes;
	swap_readers(lane, transfer);
	batch_get_state(lane->batch, lane->column, transfer->state);
	transfer->verify = lane->verify;
	lane->ticket.job = NULL;
}

void
lane_import(struct lane *lane, struct lane_transfer *transfer)
{
	lane->ticket = transfer->ticket;
	lane->unopened = false;
	lane->handed_bytes = transfer->handed_bytes;
	swap_readers(lane, transfer);
	reader_use_buffer(lane->reader, lane->buffer, lane->capacity);
	batch_set_state(lane->batch, lane->column, transfer->state);
	lane->verify = transfer->verify;
}
