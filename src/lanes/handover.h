/* SPDX-License-Identifier: MIT */
/*
 * handover: messages that are in no lane, and the tokens that stand for
 * descriptors.
 *
 * A message is in one hand at any time: in a lane of a worker or of a device, with
 * threads of the pool, or here.  A worker keeps no message that it
 * cannot go on with, so its lanes are free for those with which it can:
 *
 *	HANDOVER_POOL     is read by threads (ahead.h) --------> READY, EARLY, LACKING
 *	HANDOVER_READY    whatever it waited for is there ----> any worker
 *	HANDOVER_SHARED   is long, and others are idle -------> an idle worker
 *	HANDOVER_FOR_LANE likewise, and a lane of a device ---> that lane, or as SHARED
 *	                  could finish it in time
 *	HANDOVER_EARLY    must be the oldest ---- it is ------> READY
 *	HANDOVER_LACKING  lacks a descriptor ---- a token ----> READY
 *
 * Tokens.  A job whose input is open, or will be opened next, has a token; there
 * are as many as descriptors, about.  Only the oldest job may take the last one.
 * Where the system has fewer descriptors than there are tokens, their number goes
 * down to those in use, and up again as jobs end.
 *
 * Why it ends.  The oldest job always gets a token, so it is in a lane, with the
 * pool, READY, or LACKING.  In the last case it is tried again whenever a token
 * comes back; when no other job has one that could come back it is tried once more,
 * and then its error is final, as if inputs were read one by one.  Then the next job is the oldest.
 *
 * Lock: that of the sequencer, whose part this is.
 */
#ifndef SRC_LANES_HANDOVER_H
#define SRC_LANES_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct message;
struct sequencer;

/* Why a message is in no lane. */
enum handover_why {
	HANDOVER_READY,
	HANDOVER_POOL,
	HANDOVER_SHARED,
	HANDOVER_FOR_LANE,
	HANDOVER_EARLY,
	HANDOVER_LACKING
};

/* Who takes a message. */
enum handover_taker {
	HANDOVER_WORKER,      /* READY */
	HANDOVER_IDLE_WORKER, /* READY or SHARED */
	HANDOVER_LANE	      /* FOR_LANE */
};

struct message_queue {
	struct message *first, **end;
};

struct handover {
	struct message_queue ready, shared;
	struct message *waiting;  /* early or lacking, by their numbers */
	unsigned nready, nshared; /* atomic */
	/* Blocks that an idle lane of a device could finish in time: a message
	 * FOR_LANE with more left is for workers. */
	uint64_t lane_blocks;
	unsigned nwaiting, nlacking;
	unsigned npool;	       /* with threads of the pool */
	unsigned max_out;      /* with the pool or READY, about */
	unsigned tokens;       /* in use */
	unsigned early_tokens; /* of these, of messages that are early */
	unsigned budget;       /* tokens that there are */
	unsigned max_budget;
	unsigned returned; /* since the budget went down */
};

void
handover_init(struct handover *, unsigned max_out);

/*
 * A message leaves its lane or the pool.  If it is the oldest, and lacks a descriptor
 * that no other job could give back, its error is final: it is READY to end.
 */
void
handover_put(struct sequencer *, struct message *, enum handover_why);

/* Return a message that a taker may go on with, or NULL. */
struct message *
handover_take(struct sequencer *, enum handover_taker);

/* Return how many messages are SHARED or FOR_LANE.  Add the blocks left in them. */
unsigned
handover_count_shared(struct sequencer *, uint64_t *blocks);

/* Set the blocks that an idle lane of a device could finish in time; 0: all is for
 * workers from now on. */
void
handover_set_lanes(struct sequencer *, uint64_t lane_blocks);

/* Give a job a token, if it has none.  Return false if it has to wait for others. */
bool
handover_begin(struct sequencer *, struct job *);

/* Take the token of a job that has nothing open any more, if it has one. */
void
handover_give_up(struct sequencer *, struct job *);

/* For the sequencer; lock held ------------------------------------------------ */

/* Return whether the pool has enough messages. */
bool
handover_is_full(const struct handover *);

/* Return whether a job that is not the oldest could begin. */
bool
handover_has_token(const struct handover *);

bool
token_take(struct sequencer *, struct job *);

void
token_drop(struct sequencer *, struct job *);

/*
 * Admit waiting messages: tokens have come back, or another job is the oldest.
 */
void
handover_admit(struct sequencer *);

#endif
