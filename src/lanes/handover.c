/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/handover.h"

#include <assert.h>
#include <limits.h>

#include "src/base/descriptor.h"
#include "src/lanes/message.h"
#include "src/lanes/sequencer.h"

enum {
	/* Descriptors for standard streams, lists and directories. */
	RESERVED = 4,
	/* Jobs that end before the budget grows by one token. */
	JOBS_PER_TOKEN = 4
};

void
handover_init(struct handover *handover, unsigned max_out)
{
	const unsigned most = descriptor_share(4, UINT_MAX / 4) * 3;

	*handover = (struct handover){ .nready = 0 };
	handover->ready.end = &handover->ready.first;
	handover->shared.end = &handover->shared.first;
	handover->max_budget = most > RESERVED ? most - RESERVED : 1;
	handover->budget = handover->max_budget;
	handover->max_out = max_out;
}

bool
handover_is_full(const struct handover *handover)
{
	return handover->npool + handover->nready > handover->max_out;
}

static void
queue_add(struct message_queue *queue, unsigned *n, struct message *message)
{
	message->next = NULL;
	*queue->end = message;
	queue->end = &message->next;
	__atomic_store_n(n, *n + 1, __ATOMIC_RELAXED);
}

static struct message *
queue_take(struct message_queue *queue, unsigned *n)
{
	struct message *message = queue->first;

	if (!message)
		return NULL;
	queue->first = message->next;
	if (!queue->first)
		queue->end = &queue->first;
	__atomic_store_n(n, *n - 1, __ATOMIC_RELAXED);
	return message;
}

static bool
is_oldest(const struct sequencer *sequencer, const struct job *job)
{
	return job->seq == sequencer->head;
}

/* Tokens ---------------------------------------------------------------------- */

bool
handover_has_token(const struct handover *handover)
{
	return handover->tokens + 1 < handover->budget;
}

bool
token_take(struct sequencer *sequencer, struct job *job)
{
	struct handover *handover = &sequencer->handover;

	assert(sequencer->lock.is_held);
	if (job->has_token)
		return true;
	if (!is_oldest(sequencer, job) && !handover_has_token(handover)) {
		sequencer->stalled = true;
		return false;
	}
	handover->tokens++;
	job->has_token = true;
	return true;
}

void
token_drop(struct sequencer *sequencer, struct job *job)
{
	struct handover *handover = &sequencer->handover;

	assert(sequencer->lock.is_held);
	if (!job->has_token)
		return;
	assert(handover->tokens > 0);
	job->has_token = false;
	handover->tokens--;
	if (handover->budget < handover->max_budget &&
	    ++handover->returned % JOBS_PER_TOKEN == 0)
		handover->budget++;
}

/* Reduce the tokens: there was no descriptor in spite of one. */
static void
reduce_budget(struct handover *handover)
{
	handover->budget = handover->tokens > 1 ? handover->tokens : 1;
	handover->returned = 0;
}

bool
handover_begin(struct sequencer *sequencer, struct job *job)
{
	bool begins;

	lock_take(&sequencer->lock);
	begins = token_take(sequencer, job);
	lock_release(&sequencer->lock);
	return begins;
}

void
handover_give_up(struct sequencer *sequencer, struct job *job)
{
	lock_take(&sequencer->lock);
	token_drop(sequencer, job);
	handover_admit(sequencer);
	lock_release(&sequencer->lock);
}

/* Waiting messages ------------------------------------------------------------ */

static void
add_by_number(struct handover *handover, struct message *message)
{
	struct message **at = &handover->waiting;

	while (*at && (*at)->job.seq < message->job.seq)
		at = &(*at)->next;
	message->next = *at;
	*at = message;
	handover->nwaiting++;
	handover->nlacking += message->why == HANDOVER_LACKING;
}

static void
make_ready(struct sequencer *sequencer, struct message *message)
{
	struct handover *handover = &sequencer->handover;

	queue_add(&handover->ready, &handover->nready, message);
	sequencer_wake_locked(sequencer);
}

void
handover_admit(struct sequencer *sequencer)
{
	struct handover *handover = &sequencer->handover;
	struct message **at = &handover->waiting;

	assert(sequencer->lock.is_held);
	while (*at) {
		struct message *message = *at;
		struct job *job = &message->job;

		assert(job->seq >= sequencer->head);
		if (!is_oldest(sequencer, job)) {
			if (handover->nlacking == 0 ||
			    !handover_has_token(handover))
				return;
			if (message->why == HANDOVER_EARLY) {
				at = &message->next;
				continue;
			}
		}
		token_take(sequencer, job);
		*at = message->next;
		handover->nwaiting--;
		handover->nlacking -= message->why == HANDOVER_LACKING;
		handover->early_tokens -= message->is_open_early;
		message->is_open_early = false;
		make_ready(sequencer, message);
	}
}

/* Put an early message.  It keeps its token only if it is open: a FIFO whose
 * writer would notice if it were closed. */
static void
put_early(struct sequencer *sequencer, struct message *message)
{
	message->is_open_early = message->input.owns_fd &&
				 message->input.fd >= 0;
	if (message->is_open_early)
		sequencer->handover.early_tokens++;
	else
		token_drop(sequencer, &message->job);
	add_by_number(&sequencer->handover, message);
	handover_admit(sequencer);
}

static void
put_lacking(struct sequencer *sequencer, struct message *message)
{
	struct handover *handover = &sequencer->handover;
	const bool oldest = is_oldest(sequencer, &message->job);

	token_drop(sequencer, &message->job);
	reduce_budget(handover);
	if (oldest && handover->tokens == handover->early_tokens) {
		/* The last descriptor may have been given back meanwhile. */
		if (message->has_lacked)
			message->input.phase = INPUT_FAILED;
		else
			token_take(sequencer, &message->job);
		message->has_lacked = true;
		make_ready(sequencer, message);
		return;
	}
	add_by_number(handover, message);
	/* The oldest may have waited for the token of this one. */
	if (!oldest)
		handover_admit(sequencer);
}

/* Putting and taking ---------------------------------------------------------- */

void
handover_put(struct sequencer *sequencer, struct message *message,
	     enum handover_why why)
{
	struct handover *handover = &sequencer->handover;

	lock_take(&sequencer->lock);
	handover->npool -= message->why == HANDOVER_POOL;
	message->why = why;
	switch (why) {
	case HANDOVER_POOL: handover->npool++; break;
	case HANDOVER_READY: make_ready(sequencer, message); break;
	case HANDOVER_SHARED:
	case HANDOVER_FOR_LANE:
		queue_add(&handover->shared, &handover->nshared, message);
		sequencer_wake_locked(sequencer);
		break;
	case HANDOVER_EARLY: put_early(sequencer, message); break;
	case HANDOVER_LACKING: put_lacking(sequencer, message); break;
	}
	lock_release(&sequencer->lock);
}

/* Lanes of a device ----------------------------------------------------------- */

static bool
is_for_lane(const struct handover *handover, const struct message *message)
{
	return message->why == HANDOVER_FOR_LANE &&
	       message_blocks_left(message) <= handover->lane_blocks;
}

/* Take the first message that others share, for a lane or not; NULL if there is none. */
static struct message *
take_shared(struct handover *handover, bool for_lane)
{
	struct message **at = &handover->shared.first;
	struct message *message;

	while (*at && is_for_lane(handover, *at) != for_lane)
		at = &(*at)->next;
	message = *at;
	if (!message)
		return NULL;
	*at = message->next;
	if (!*at)
		handover->shared.end = at;
	__atomic_store_n(&handover->nshared, handover->nshared - 1,
			 __ATOMIC_RELAXED);
	return message;
}

unsigned
handover_count_shared(struct sequencer *sequencer, uint64_t *blocks)
{
	const struct handover *handover = &sequencer->handover;
	unsigned n;

	lock_take(&sequencer->lock);
	n = handover->nshared;
	for (const struct message *at = handover->shared.first; at;
	     at = at->next)
		*blocks += message_blocks_left(at);
	lock_release(&sequencer->lock);
	return n;
}

void
handover_set_lanes(struct sequencer *sequencer, uint64_t lane_blocks)
{
	struct handover *handover = &sequencer->handover;

	lock_take(&sequencer->lock);
	/* Workers may now take messages that a lane would have finished in time. */
	if (lane_blocks < handover->lane_blocks && handover->nshared > 0)
		sequencer_wake_locked(sequencer);
	handover->lane_blocks = lane_blocks;
	lock_release(&sequencer->lock);
}

struct message *
handover_take(struct sequencer *sequencer, enum handover_taker taker)
{
	struct handover *handover = &sequencer->handover;
	const bool shares =
		taker != HANDOVER_WORKER &&
		__atomic_load_n(&handover->nshared, __ATOMIC_RELAXED) > 0;
	const bool takes_ready =
		taker != HANDOVER_LANE &&
		__atomic_load_n(&handover->nready, __ATOMIC_RELAXED) > 0;
	struct message *message = NULL;

	if (!shares && !takes_ready)
		return NULL;
	lock_take(&sequencer->lock);
	if (takes_ready)
		message = queue_take(&handover->ready, &handover->nready);
	if (!message && shares)
		message = take_shared(handover, taker == HANDOVER_LANE);
	lock_release(&sequencer->lock);
	return message;
}
