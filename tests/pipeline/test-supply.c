/* SPDX-License-Identifier: MIT */
/*
 * Promise: a message that a worker accepts counts as a busy lane of the worker's
 * at once (src/lanes/job_supply.h), so that a worker that lacks a descriptor
 * waits for it.  It is asked of the supply of a run with a device, where whole
 * runs fail only with an order of threads that is rare.
 */
#include "config.h"

#include <stdlib.h>

#include "src/feed/feeder.h"
#include "tests/pipeline/rig.h"

enum { FEEDER, FIRST, SECOND, WORKERS = 2, LANES = 4 };

static enum source_answer
next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source, (void)job, (void)is_oldest;
	return SOURCE_END;
}

static void
ended(struct run *run, const struct worker_report *report)
{
	(void)run, (void)report;
}

int
main(void)
{
	static struct run run = { .config = &rig.config, .ended = ended };
	struct source source = { .next = next, .wait_fd = -1 };
	struct message *message = message_new();
	struct job job = { .seq = 0 }, *jobs[1];
	struct sequencer_view view;
	struct job_supply *supply;
	struct feeder *feeder;
	struct diag why_not;

	rig_begin();
	rig_use_device(1, LANES, true);
	rig.config.threads = WORKERS;
	sequencer_init(&run.sequencer, &source, 1 + WORKERS);
	for (unsigned i = 0; i <= WORKERS; i++)
		sequencer_add_worker(&run.sequencer);
	feeder = feeder_new(&run, FEEDER, &why_not);
	if (!message || !feeder)
		exit(99);
	supply = feeder_supply(feeder);
	message_begin(message, &job, NULL);
	message->reader.size = 64000 - 64;
	supply->take(supply, SECOND, 0, jobs, 0, &view);
	supply->take(supply, FIRST, 1, jobs, 0, &view);
	ok(!sequencer_starve(&run.sequencer, FIRST, &view),
	   "a worker that lacks a descriptor does not wait for one without a "
	   "message");
	supply->offer(supply, FIRST, message);
	ok(supply->accept(supply, SECOND, SUPPLY_LANE_FREE, 9) == message &&
		   !supply->accept(supply, SECOND, SUPPLY_NO_DESCRIPTOR, 9),
	   "a message on offer is accepted once");
	ok(sequencer_starve(&run.sequencer, FIRST, &view),
	   "a worker that lacks a descriptor waits for one that has accepted a "
	   "message");
	message_free(message);
	feeder_free(feeder);
	sequencer_destroy(&run.sequencer);
	return tap_done();
}
