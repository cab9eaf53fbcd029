/* SPDX-License-Identifier: MIT */
/*
 * Promise: a message that a worker accepts counts as a busy lane of the worker's
 * at once (src/lanes/job_supply.h), so that a worker that lacks a descriptor
 * waits for it.  It is asked of the supply of a run with a device, where whole
 * runs fail only with an order of threads that is rare.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "src/feed/dispatch.h"
#include "tests/support/tap.h"

enum { FEEDER, FIRST, SECOND, WORKERS = 2, LANES = 4 };

static enum source_answer
next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source, (void)job, (void)is_oldest;
	return SOURCE_END;
}

static void
emit(struct source *source, struct job *job)
{
	(void)source, (void)job;
}

static void
flush(struct source *source)
{
	(void)source;
}

int
main(void)
{
	static const struct engine_speed speed = { .lanes = LANES,
						   .device_rate = LANES * 64e3,
						   .core_rate = 640e3,
						   .copy_rate = INFINITY };
	static struct sequencer sequencer;
	static struct dispatch dispatch;
	struct source source = { next, emit, flush, -1 };
	struct job_supply *const supply = &dispatch.supply;
	struct message *message = message_new();
	struct job job = { .seq = 0 }, *jobs[1];
	struct sequencer_view view;

	sequencer_init(&sequencer, &source, 1 + WORKERS);
	for (unsigned i = 0; i <= WORKERS; i++)
		sequencer_add_worker(&sequencer);
	dispatch_init(&dispatch, &sequencer, LANES, WORKERS, true, &speed);
	if (!message)
		exit(99);
	message_begin(message, &job, NULL);
	message->reader->size = 64000 - 64;
	supply->take(supply, SECOND, 0, jobs, 0, &view);
	supply->take(supply, FIRST, 1, jobs, 0, &view);
	ok(!sequencer_starve(&sequencer, FIRST, &view),
	   "a worker that lacks a descriptor does not wait for one without a "
	   "message");
	dispatch_offer(&dispatch, message);
	ok(supply->accept(supply, SECOND, SUPPLY_LANE_FREE, 9) == message &&
		   !supply->accept(supply, SECOND, SUPPLY_NO_DESCRIPTOR, 9),
	   "a message on offer is accepted once");
	ok(sequencer_starve(&sequencer, FIRST, &view),
	   "a worker that lacks a descriptor waits for one that has accepted a "
	   "message");
	message_free(message);
	dispatch_destroy(&dispatch);
	sequencer_destroy(&sequencer);
	return tap_done();
}
