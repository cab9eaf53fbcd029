/* SPDX-License-Identifier: MIT */
/*
 * dispatch: which jobs go to the lanes of a device, and which to the CPU's
 * workers that run beside it.  It is the supply of the workers (run.h).
 *
 * Jobs are taken from the sequencer ahead of need, and the sizes of their
 * files are looked up by name; on the only core short files are opened instead.
 * README.md says where each kind of them goes.  A size that proves wrong costs
 * time, never a digest.
 *
 * `lock` guards all fields, inside of each function; sizes are looked up without it.
 */
#ifndef SRC_FEED_DISPATCH_H
#define SRC_FEED_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/lock.h"
#include "src/feed/schedule.h"
#include "src/lanes/run.h"

struct dispatch {
	struct lock lock;
	struct run *run;
	unsigned nlanes;
	bool with_cpu; /* workers share regular files with a size */
	/* The device is a model: nothing is timed, so that every run is planned
	 * alike. */
	bool has_no_clock;
	/* Files are opened when they are looked at, and not looked up by name. */
	bool may_open;
	struct schedule_speeds speeds;
	struct amount seen; /* all messages of known size that ever came */
	unsigned looking;   /* threads that have taken jobs to look them up */
	bool source_ended;  /* these are the last ones */
	struct schedule_work work;
	/* Blocks that each has to hash, about; [0] is the feeder's place. */
	uint64_t workers[SEQUENCER_WORKERS];
	unsigned nworkers; /* the highest index + 1 */
	/* By the last plan: lanes with nothing to do, and the blocks that one of
	 * them could finish in time. */
	unsigned idle_lanes;
	uint64_t lane_blocks;
};

/* Prepare for nlanes lanes of a device, with its expected speed, and the
 * workers of the run. */
void
dispatch_init(struct dispatch *, struct run *, unsigned nlanes,
	      const struct engine_speed *speed);

void
dispatch_destroy(struct dispatch *);

/*
 * Look up the sizes that the next launch may want, until `most` files wait.
 * *view is what the sequencer showed last.
 */
void
dispatch_look_ahead(struct dispatch *, unsigned most,
		    struct sequencer_view *view);

/* The plan of lanes for their next launch. */
struct dispatch_plan {
	uint64_t quota;	  /* blocks that a lane can hash until all is done */
	unsigned fillers; /* threads that should fill lanes */
	/* Messages, and blocks, that lanes should leave to workers, out of
	 * messages with more than `quota` blocks left. */
	struct amount wanted;
};

/* Lanes have these blocks that are not hashed yet, `idle` of them none.  `leaving`
 * is what they are about to leave to workers. */
struct dispatch_plan
dispatch_plan(struct dispatch *, uint64_t blocks, unsigned idle,
	      struct amount leaving);

/* Return the next job for a lane, with a token, or NULL. */
struct job *
dispatch_next_for_lane(struct dispatch *);

/* Return true if all work is given out and no more will come.  Then the lanes
 * end, and from now on workers leave them nothing. */
bool
dispatch_end_lanes(struct dispatch *);

void
dispatch_note_launch(struct dispatch *, const struct schedule_launch *);

/* Put back a job without an open file: it waits for another lane, or for a worker. */
void
dispatch_put(struct dispatch *, struct job *);

/* Give all jobs to the workers: the device has failed, or has no thread. */
void
dispatch_detach_device(struct dispatch *);

#endif
