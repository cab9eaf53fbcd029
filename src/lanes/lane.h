/* SPDX-License-Identifier: MIT */
/*
 * lane: one slot of a batch and the message in it, from its first block to
 * its last.  A lane belongs to one worker and is used by its thread only.
 */
#ifndef SRC_LANES_LANE_H
#define SRC_LANES_LANE_H

#include <stdbool.h>

#include "src/base/batch.h"
#include "src/lanes/disk.h"
#include "src/lanes/fifo_registry.h"
#include "src/lanes/readahead.h"
#include "src/lanes/reader.h"
#include "src/lanes/sequencer.h"
#include "src/lanes/verify.h"

enum lane_answer {
	LANE_READY,   /* has blocks to hash */
	LANE_WAITING, /* nothing to hash for now */
	LANE_ENDED    /* the job is done, well or not; lane is free */
};

struct lane {
	/* Fixed when the worker begins. */
	struct sequencer *sequencer;
	struct fifo_registry *fifos;
	struct batch *batch;
	unsigned column;
	uint8_t *buffer;
	size_t capacity;		/* of the buffer; room_bytes follow */
	size_t room_bytes;		/* for the padding and the engine */
	const struct libcrypto *crypto; /* for --verify; NULL = off */
	struct disks *disks;		/* to be claimed; NULL = none */

	struct ticket ticket; /* job NULL = free */
	bool unopened;	      /* yet: not tried, or out of descriptors */
	struct reader *reader;
	struct fifo_slot *fifo;	 /* that it has claimed, or NULL */
	uint64_t disks_held;	 /* that it has claimed */
	struct readahead *ahead; /* NULL = the worker reads itself */
	size_t message_bytes;	 /* in the blocks not hashed yet */
	uint64_t handed_bytes;	 /* of the message, so far */
	struct verify verify;
};

/* A message on its way from one lane to another, be it of a worker or of a
 * device. */
struct lane_transfer {
	struct ticket ticket;
	struct reader *reader;
	uint64_t handed_bytes;
	uint32_t state[SHA256_STATE_WORDS];
	struct verify verify;
	uint64_t promised;	    /* blocks, by a lane of a device */
	struct lane_transfer *next; /* in a queue */
};

static inline bool
lane_is_free(const struct lane *lane)
{
	return !lane->ticket.job;
}

/*
 * Does the filter of the job refuse the file that is open now?  Then its
 * verdict is the job's.
 */
bool
lane_filter_refuses(struct job *, const struct reader *);

/* Is it the turn of another lane to wait for the disk?  Else refill. */
static inline bool
lane_lacks_disk(const struct lane *lane)
{
	return reader_needs_disk(lane->reader);
}

/* Begin with a job, unopened. */
void
lane_start(struct lane *, struct ticket);

/* Open its input, if there are descriptors.  LANE_ENDED: it failed. */
enum lane_answer
lane_open(struct lane *);

/*
 * Blocks for the batch, if there are none.  `head` is the oldest job not
 * emitted: an input that needs its turn is read only when it is the lane's
 * own.  may_read_ahead: no other lane of this worker has a message, and a
 * thread may be started to read ahead for this one.
 */
enum lane_answer
lane_refill(struct lane *, uint64_t head, bool may_wait, bool may_read_ahead);

/*
 * Has the job to wait until it is the oldest?  Then it may be given up if it is
 * unread: the lane is free, and the job as if it had never been taken; or
 * exported if it is not.
 */
bool
lane_is_too_early(const struct lane *, uint64_t head);
void
lane_give_up(struct lane *);

/* Go past the blocks that the engine has hashed. */
enum lane_answer
lane_advance(struct lane *);

/* End the job with an errno value, or 0 for its digest. */
void
lane_finish(struct lane *, int error);

/*
 * Bytes left to read, by the size of the file when it was opened; 0 if the
 * message cannot leave the lane now, between two hand-outs.
 */
uint64_t
lane_export_bytes(const struct lane *);

/* An empty transfer; NULL when memory is short. */
struct lane_transfer *
lane_transfer_new(void);

void
lane_transfer_free(struct lane_transfer *);

/* Move the lane's message into the transfer; the lane is free. */
void
lane_export(struct lane *, struct lane_transfer *);

/* Move the transfer's message into a free lane. */
void
lane_import(struct lane *, struct lane_transfer *);

#endif
