/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/migration.h"

#include <stddef.h>

static void
push(struct message **list, struct message *message)
{
	message->next = *list;
	*list = message;
}

/* Take the message at this place of a list, if there is one. */
static struct message *
take(struct message **at)
{
	struct message *message = *at;

	if (message)
		*at = message->next;
	return message;
}

void
migration_offer_to_workers(struct migration *migration, struct message *message)
{
	push(&migration->for_workers, message);
	migration->nfor_workers++;
	migration->blocks += message_blocks_left(message);
}

void
migration_offer_to_lanes(struct migration *migration, struct message *message)
{
	if (migration->lanes_are_gone) {
		migration_offer_to_workers(migration, message);
		return;
	}
	push(&migration->for_lanes, message);
	migration->nfor_lanes++;
}

/* Can a worker go on with this message now? */
static bool
is_acceptable(const struct message *message, uint64_t head, bool has_enough)
{
	if (message->reader->must_be_oldest)
		return message->job->seq == head;
	return !has_enough;
}

struct message *
migration_accept_by_worker(struct migration *migration, uint64_t head,
			   bool has_enough)
{
	struct message **at = &migration->for_workers, **best = NULL, *message;

	for (; *at; at = &(*at)->next)
		if (is_acceptable(*at, head, has_enough) &&
		    (!best ||
		     message_blocks_left(*at) > message_blocks_left(*best)))
			best = at;
	if (!best)
		return NULL;
	message = take(best);
	migration->nfor_workers--;
	migration->blocks -= message_blocks_left(message);
	return message;
}

struct message *
migration_accept_by_lane(struct migration *migration)
{
	struct message *message = take(&migration->for_lanes);

	migration->nfor_lanes -= message != NULL;
	return message;
}

void
migration_lose_lanes(struct migration *migration)
{
	struct message *message;

	migration->lanes_are_gone = true;
	while ((message = migration_accept_by_lane(migration)) != NULL)
		migration_offer_to_workers(migration, message);
}

void
migration_announce(struct migration *migration, uint64_t blocks)
{
	migration->nannounced++;
	migration->announced += blocks;
}

void
migration_end_announcement(struct migration *migration, uint64_t blocks)
{
	migration->nannounced--;
	migration->announced -= blocks;
}
