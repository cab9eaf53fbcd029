/* SPDX-License-Identifier: MIT */
/*
 * dispatch: which jobs go to the lanes of a device, and which to the CPU's
 * workers that run beside it.  It is the supply of the workers (job_supply.h).
 *
 * Jobs are taken from the sequencer ahead of need, and the sizes of their
 * files are looked up by name; on the only core short files are opened instead.
 * README.md says where each kind of them goes.  Nothing that a worker or lane
 * holds ever waits for a later job.  A size that proves wrong costs time, never a
 * digest.
 */
#ifndef SRC_FEED_DISPATCH_H
#define SRC_FEED_DISPATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/feed/share.h"
#include "src/lanes/job_supply.h"
#include "src/lanes/message.h"
#include "src/lanes/sequencer.h"

struct dispatch_worker {
	bool is_there;
	uint64_t assigned; /* blocks that it has to hash, about */
	uint64_t begun_ns; /* when it last took jobs */
};

struct dispatch {
	struct job_supply supply;
	pthread_mutex_t lock;
	struct sequencer *sequencer;
	unsigned nlanes;
	bool shared;  /* workers share regular files with a size */
	bool looking; /* a thread is looking up sizes, and then signals: */
	pthread_cond_t looked;
	/* The device is a model: nothing is timed, so that every run is planned
	 * alike. */
	bool has_no_clock;
	/* Files are opened when they are looked at, and not looked up by name. */
	bool may_open;
	struct share_speeds speeds;
	struct amount seen; /* all messages of known size that ever came */
	struct share_work work;
	struct dispatch_worker workers[SEQUENCER_WORKERS];
	unsigned nworkers;    /* places in use: the highest index + 1 */
	struct offers offers; /* started messages */
	unsigned idle_lanes;  /* with nothing to do, by the last plan */
};

/* Prepare for nlanes lanes of a device and at most `workers` CPU workers, one
 * for each core, with their expected speed. */
void
dispatch_init(struct dispatch *, struct sequencer *, unsigned nlanes,
	      unsigned workers, bool shared, const struct engine_speed *speed);

void
dispatch_destroy(struct dispatch *);

/* For the feeder ------------------------------------------------------------ */

/*
 * Look up the sizes that the next launch may want, until `most` files wait.
 * *view is what the sequencer showed last.
 */
void
dispatch_look_ahead(struct dispatch *, unsigned most,
		    struct sequencer_view *view);

/* The plan of lanes for their next launch. */
struct dispatch_plan {
	uint64_t level;	  /* blocks that a lane can hash until all is done */
	unsigned fillers; /* threads that should fill lanes */
	/* Messages, and blocks, that lanes should leave to workers, out of
	 * messages with more than `level` blocks left. */
	struct amount wanted;
};

/* left[] is how many blocks of each lane are not hashed yet.  `leaving` is what
 * lanes are about to offer to workers. */
struct dispatch_plan
dispatch_plan(struct dispatch *, const uint64_t *left, struct amount leaving);

/* Return the next job for a lane, or NULL. */
struct job *
dispatch_next_for_lane(struct dispatch *);

/* Return a message on offer that an idle lane can finish in time, or NULL.
 * The lane must be at the start of a buffer. */
struct message *
dispatch_accept(struct dispatch *);

/* Put back a job that was taken: it must be the oldest first, or lacks a
 * descriptor.  Nothing of it is open. */
void
dispatch_put_back(struct dispatch *, struct job *, bool lacks);

/* Offer a started message to workers, or to a lane as long as one
 * could finish it in time, and then to workers. */
void
dispatch_offer(struct dispatch *, struct message *, bool for_lane);

/* Return true if all work is given out and no more will come.  Then the lanes
 * end, and from now on workers offer them nothing. */
bool
dispatch_end_lanes(struct dispatch *);

void
dispatch_note_launch(struct dispatch *, const struct share_launch *);

/* Let a worker begin the job of a failed device again. */
void
dispatch_begin_again(struct dispatch *, struct job *);

/* Give all jobs to the workers: the device has failed, or has no thread. */
void
dispatch_lose_device(struct dispatch *);

#endif
