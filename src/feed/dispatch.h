/* SPDX-License-Identifier: MIT */
/*
 * dispatch: which jobs go to the lanes of a device, and which to the CPU's
 * workers that run beside it.  It is the supply of the workers (job_supply.h).
 *
 * Jobs are taken from the sequencer ahead of need, and the sizes of their
 * files are looked up by name.
 * - Regular files with a size go into the work_split.  The feeder takes them
 *   for its lanes; if the work is shared, workers take some as well.
 * - Other regular files (empty ones, those in /proc) and names that cannot be
 *   looked up go to workers, in order.
 * - Inputs that may make us wait or take what belongs to an earlier one
 *   (standard input, FIFOs, devices) go to a worker when they are the oldest:
 *   so nothing that a worker or lane holds ever waits for a later job.  The
 *   same goes for jobs that are put back.
 * - A message that has been begun may change hands (struct migration).  Lanes
 *   offer one to a worker that will soon be free; a worker that has another one
 *   to go on with offers its own to an idle lane, if that can finish it in time.
 *   A message that must be the oldest goes to a worker when it is.
 *
 * A size that proves wrong costs time, never a digest.
 *
 * Lock: its own, inside each function.  A worker that accepts a message takes
 * the sequencer's meanwhile, which holds no other lock.
 */
#ifndef SRC_FEED_DISPATCH_H
#define SRC_FEED_DISPATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/feed/work_split.h"
#include "src/lanes/job_supply.h"
#include "src/lanes/message.h"
#include "src/lanes/sequencer.h"

struct dispatch_worker {
	bool is_there;
	bool wants_work;   /* has a free lane, and not enough to do */
	uint64_t assigned; /* blocks that it has to hash, about */
	uint64_t begun_ns; /* when it last took jobs */
};

/* Jobs that wait in the order of their arrival, linked by `next`. */
struct job_queue {
	struct job *first;
	struct job **end;
	unsigned n;
};

/*
 * Messages that have been begun and change hands, between the lanes of the
 * device and the workers.  A lane knows only after a launch from which state
 * others have to go on: it first announces its message, so that workers are not
 * given too much, and then offers it or, if it has ended meanwhile, withdraws
 * it.
 *
 *     held by a lane --announce--> announced --withdraw--> ends in its lane
 *                                      |
 *                                      | offer
 *                                      v
 *     held by a worker --offer---> on offer --accept--> held by the other
 */
struct migration {
	/* Messages on offer; the lanes take those of workers. */
	struct message *for_workers, *for_lanes;
	unsigned nfor_workers, nfor_lanes;
	uint64_t blocks; /* of those for workers, to be read */
	unsigned nannounced;
	uint64_t announced;  /* their blocks, when they were announced */
	bool lanes_are_gone; /* everything is for workers */
};

struct dispatch {
	struct job_supply supply;
	pthread_mutex_t lock;
	struct sequencer *sequencer;
	bool shared;  /* workers take regular files with a size, too */
	bool looking; /* a thread is looking up sizes, and then signals: */
	pthread_cond_t looked;
	/* Of the thread that is looking: sizes ever looked up, and how often
	 * the feeder has asked for many. */
	uint64_t looked_up;
	unsigned looks;
	bool ended; /* no job will come any more */
	unsigned nlanes;
	/* What it takes to look up a size, where the device is a model: then
	 * no clock is looked at, so that every run is planned alike.  0: there
	 * is a clock. */
	double look_seconds;
	struct work_speeds speeds;
	struct work_amount seen; /* all that the work_split ever had */
	struct work_split split;
	struct dispatch_worker workers[SEQUENCER_WORKERS];
	unsigned nworkers;	    /* places in use: the highest index + 1 */
	unsigned nwanting;	    /* workers that want work */
	struct job_queue plain;	    /* for workers, at any time */
	struct job *must_be_oldest; /* for workers; by number */
	struct migration migration;
	/* Lanes with nothing to do after the last filling, and how many blocks
	 * each of them could finish in time. */
	unsigned idle_lanes;
	uint64_t lane_capacity;
};

/* What a feeder's next launch should take. */
struct dispatch_plan {
	struct work_plan work;
	/* What lanes should offer to the workers: at least that many messages,
	 * and messages with that many blocks in all. */
	unsigned wanted_messages;
	uint64_t wanted_blocks;
	bool may_spawn; /* one more worker could take such a message */
};

/*
 * For nlanes lanes of a device and at most that many CPU workers, one for each
 * core.  `speed` is what to expect of them.
 */
void
dispatch_init(struct dispatch *, struct sequencer *, unsigned nlanes,
	      unsigned workers, bool shared, const struct engine_speed *speed);

void
dispatch_destroy(struct dispatch *);

/* For those who look ahead ---------------------------------------------------- */

/* Keep a job until it is the oldest; they are sorted by number.  Lock held. */
void
dispatch_keep_until_oldest(struct dispatch *, struct job *);

/* The rates for messages such as those seen so far.  Lock held. */
void
dispatch_rates(const struct dispatch *, struct work_rates *);

/* For the feeder ------------------------------------------------------------ */

/* Is there work that no free worker could take? */
bool
dispatch_wants_workers(struct dispatch *);

/* Plan a launch; left[] is how many blocks of each lane are not hashed yet. */
void
dispatch_plan(struct dispatch *, const uint64_t *left, struct dispatch_plan *);

/* The next job for a lane, or NULL. */
struct job *
dispatch_next_for_lane(struct dispatch *);

/* Does a worker offer a message to a lane? */
bool
dispatch_has_offer(struct dispatch *);

/* A message that a worker offers to a lane which begins a buffer, or NULL. */
struct message *
dispatch_accept(struct dispatch *);

/* Lanes have been filled; that many have nothing to do. */
void
dispatch_note_filling(struct dispatch *, unsigned idle_lanes);

/* Put back a job that was taken: it must be the oldest first, or lacks a
 * descriptor. */
void
dispatch_put_back(struct dispatch *, struct job *);

/* Announce the message of a lane, which is offered to the workers when a launch
 * has ended. */
void
dispatch_announce(struct dispatch *, struct message *);

/* Offer the message that a lane has announced, with its state. */
void
dispatch_offer(struct dispatch *, struct message *);

/* Withdraw the message that a lane has announced: it ends there. */
void
dispatch_withdraw(struct dispatch *, struct message *);

/*
 * Has everything been given to somebody, and will no more come?  Then the lanes
 * end, and from then on workers offer them nothing.
 */
bool
dispatch_end_lanes(struct dispatch *);

/*
 * A launch of that many blocks in all, and in its longest lane, took `ns`; or
 * the filling for the next one did, if that took longer.
 */
void
dispatch_note_launch(struct dispatch *, uint64_t blocks, uint32_t longest,
		     uint64_t ns, uint64_t filling_ns);

/* The job of a device that has failed begins again: a worker takes it. */
void
dispatch_begin_again(struct dispatch *, struct job *);

/* The device has failed, or there is no thread to feed it: workers do all. */
void
dispatch_lose_device(struct dispatch *);

#endif
