/* SPDX-License-Identifier: MIT */
/*
 * Promise: a message that is offered is accepted once, by a lane or a worker
 * that may go on with it; when the lanes are gone, all are for the workers.
 *
 * A run shows the last of it only if the lanes end between a worker's decision
 * to offer and the offer itself.
 */
#include "config.h"

#include "src/feed/migration.h"

#include <stdlib.h>

#include "tests/support/tap.h"

enum { MESSAGES = 3 };

static struct message *messages[MESSAGES];
static struct job jobs[MESSAGES];

/* Messages of 1, 2 and 3 times 64,000 bytes; none has to be the oldest. */
static void
begin(struct migration *migration)
{
	*migration = (struct migration){ .for_workers = NULL };
	for (unsigned i = 0; i < MESSAGES; i++) {
		message_free(messages[i]);
		messages[i] = message_new();
		if (!messages[i])
			exit(99);
		jobs[i] = (struct job){ .seq = i };
		message_begin(messages[i], &jobs[i], NULL);
		messages[i]->reader->size = 64000 * (i + 1);
		messages[i]->reader->is_regular = true;
	}
}

static struct message *
accept(struct migration *migration, bool has_enough)
{
	return migration_accept_by_worker(migration, 0, has_enough);
}

static void
test_workers(void)
{
	struct migration migration;

	begin(&migration);
	ok(!accept(&migration, false), "nothing is accepted at first");
	migration_offer_to_workers(&migration, messages[0]);
	migration_offer_to_workers(&migration, messages[2]);
	migration_offer_to_workers(&migration, messages[1]);
	ok(migration.nfor_workers == 3 &&
		   migration.blocks ==
			   message_blocks_left(messages[0]) +
				   message_blocks_left(messages[1]) +
				   message_blocks_left(messages[2]),
	   "messages for workers are counted, with their blocks");
	ok(!accept(&migration, true),
	   "a worker that has enough to do accepts no message");
	ok(!migration_accept_by_lane(&migration),
	   "a lane accepts no message that is for workers");
	ok(accept(&migration, false) == messages[2] &&
		   accept(&migration, false) == messages[1] &&
		   accept(&migration, false) == messages[0] &&
		   !accept(&migration, false),
	   "workers accept the longest message first, and each once");
	ok(migration.nfor_workers == 0 && migration.blocks == 0,
	   "nothing is counted when all has been accepted");
}

static void
test_oldest(void)
{
	struct migration migration;

	begin(&migration);
	messages[1]->reader->must_be_oldest = true;
	migration_offer_to_workers(&migration, messages[1]);
	ok(!migration_accept_by_worker(&migration, 0, false),
	   "a message that must be the oldest is not accepted before");
	ok(migration_accept_by_worker(&migration, 1, true) == messages[1],
	   "a message that is the oldest now is accepted even by a worker that "
	   "has enough to do");
}

static void
test_lanes(void)
{
	struct migration migration;

	begin(&migration);
	migration_offer_to_lanes(&migration, messages[0]);
	migration_offer_to_lanes(&migration, messages[1]);
	ok(!accept(&migration, false) && migration.nfor_lanes == 2,
	   "a worker accepts no message that is for lanes");
	ok(migration_accept_by_lane(&migration) == messages[1] &&
		   migration.nfor_lanes == 1,
	   "a lane accepts a message that is for lanes");
	migration_lose_lanes(&migration);
	ok(!migration_accept_by_lane(&migration) && migration.nfor_lanes == 0,
	   "when the lanes are gone nothing is for them");
	ok(accept(&migration, false) == messages[0],
	   "what was for lanes is for workers when the lanes are gone");
	migration_offer_to_lanes(&migration, messages[2]);
	ok(!migration_accept_by_lane(&migration) &&
		   accept(&migration, false) == messages[2],
	   "what is offered to lanes that are gone is for workers");
}

int
main(void)
{
	test_workers();
	test_oldest();
	test_lanes();
	for (unsigned i = 0; i < MESSAGES; i++)
		message_free(messages[i]);
	return tap_done();
}
