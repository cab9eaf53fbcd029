/* SPDX-License-Identifier: MIT */
/*
 * lane: one slot of a batch and the message in it, from its first block to
 * its last.
 */
#ifndef SRC_LANE_H
#define SRC_LANE_H

#include <stdbool.h>

#include "cpu/batch.h"
#include "src/disk.h"
#include "src/order.h"
#include "src/readahead.h"
#include "src/reader.h"
#include "src/verify.h"

enum lane_answer {
	LANE_READY,		/* has blocks to hash */
	LANE_WAITING,		/* nothing to hash for now */
	LANE_ENDED		/* the job is done, well or not; lane is free */
};

struct lane {
	/* Fixed when the worker begins. */
	struct order *order;
	struct batch *batch;
	unsigned column;
	uint8_t *buffer;
	size_t capacity;	/* READER_SLACK_BYTES follow */
	const struct libcrypto *crypto;	/* for --verify; NULL = off */
	struct disks *disks;	/* to be claimed; NULL = none */

	struct ticket ticket;	/* job NULL = free */
	bool unopened;		/* yet: not tried, or out of descriptors */
	struct reader reader;
	bool has_disk;		/* has claimed it */
	struct readahead *ahead;	/* NULL = the worker reads itself */
	size_t message_bytes;	/* in the blocks not hashed yet */
	uint64_t handed_bytes;	/* of the message, so far */
	struct verify verify;
};

/* A message on its way from one worker's lane to another's. */
struct lane_gift {
	struct ticket ticket;
	struct reader reader;
	uint8_t tail[SHA256_BLOCK_BYTES];
	uint64_t handed_bytes;
	uint32_t state[SHA256_STATE_WORDS];
	struct verify verify;
};

static inline bool
lane_is_free(const struct lane *lane)
{
	return !lane->ticket.job;
}

/* Is it the turn of another lane to wait for the disk?  Else refill. */
static inline bool
lane_lacks_disk(const struct lane *lane)
{
	return lane->reader.pace == READER_COLD;
}

/* Begin with a job, unopened. */
void
lane_start(struct lane *, struct ticket);

/* Open its input, if there are descriptors.  LANE_ENDED: it failed. */
enum lane_answer
lane_open(struct lane *);

/*
 * Blocks for the batch, if there are none.  `head` is the oldest job not
 * emitted: what belongs to nobody else may be read only when it is the
 * lane's own.  alone: no other lane of this worker has a message, and a
 * thread may be started to read ahead for this one.
 */
enum lane_answer
lane_refill(struct lane *, uint64_t head, bool may_wait, bool alone);

/* Go past the blocks that the engine has hashed. */
enum lane_answer
lane_advance(struct lane *);

/* End the job with an errno value, or 0 for its digest. */
void
lane_finish(struct lane *, int error);

/* Bytes that are surely still to be read, if the lane can be given away now,
 * between two hand-outs; else 0. */
uint64_t
lane_gift_bytes(const struct lane *);

/* Put the message into the gift; the lane is free. */
void
lane_give(struct lane *, struct lane_gift *);

void
lane_accept(struct lane *, struct lane_gift *);

#endif
