/* SPDX-License-Identifier: MIT */
/*
 * migration: messages that have been begun and change hands, between the lanes
 * of a device and the workers of the CPU.
 *
 * A holder offers a message, and somebody else accepts it.  A lane of a device
 * knows only after a launch from which state others have to go on: it first
 * announces its message, so that workers are not given too much, and then
 * offers it or, if it has ended meanwhile, withdraws it.
 *
 *     held by a lane --announce--> held, announced --withdraw--> held or ended
 *                                       | offer, end_announcement
 *                                       v
 *     held by a worker --offer----> on offer --accept--> held by the other
 *
 * Lock: none of its own.  The dispatch's lock is held in each call.
 */
#ifndef SRC_FEED_MIGRATION_H
#define SRC_FEED_MIGRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/message.h"

struct migration {
	/* Messages on offer; the lanes take those of workers. */
	struct message *for_workers, *for_lanes;
	unsigned nfor_workers, nfor_lanes;
	uint64_t blocks; /* of those for workers, to be read */
	unsigned nannounced;
	uint64_t announced;  /* their blocks, when they were announced */
	bool lanes_are_gone; /* everything is for workers */
};

/* Offer a message to the workers. */
void
migration_offer_to_workers(struct migration *, struct message *);

/* Offer a message to the lanes; to the workers if the lanes are gone. */
void
migration_offer_to_lanes(struct migration *, struct message *);

/*
 * For a worker: the longest message that does not have to be the oldest first,
 * or NULL; `head` is the number of the oldest job.  A worker that has enough to
 * do accepts only one that is the oldest.
 */
struct message *
migration_accept_by_worker(struct migration *, uint64_t head, bool has_enough);

/* A message for a lane, or NULL. */
struct message *
migration_accept_by_lane(struct migration *);

/* From now on all that is on offer is for workers. */
void
migration_lose_lanes(struct migration *);

/* A lane will offer its message, of which that many blocks are to be read. */
void
migration_announce(struct migration *, uint64_t blocks);

/* The lane has offered the message that it announced, or withdraws it. */
void
migration_end_announcement(struct migration *, uint64_t blocks);

#endif
