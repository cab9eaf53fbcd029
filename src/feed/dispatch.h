/* SPDX-License-Identifier: MIT */
/*
 * dispatch: which jobs go to the lanes of a device, and which to the CPU's
 * workers that run beside it.
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
 *   same goes for jobs that are given back.
 * - A rest is a message that has been begun.  Lanes leave one to a worker that
 *   will soon be free; a worker with another one to go on with leaves its own to
 *   a lane that stands idle, if that will be done with it in time.  One that has
 *   to wait for its turn goes to a worker when it is the oldest, too.
 *
 * A size that proves wrong costs time, never a digest.
 *
 * Lock: its own, inside each function.  No other lock is taken meanwhile.
 */
#ifndef SRC_FEED_DISPATCH_H
#define SRC_FEED_DISPATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/feed/job_queue.h"
#include "src/feed/rests.h"
#include "src/feed/work_split.h"
#include "src/lanes/sequencer.h"

struct dispatch_worker {
	bool is_there;
	bool is_hungry; /* has a free lane, and not enough to do */
	uint64_t held;	/* blocks, about */
};

struct dispatch {
	pthread_mutex_t lock;
	struct sequencer *sequencer;
	bool shared;  /* workers take regular files with a size, too */
	bool looking; /* somebody is looking up sizes, and then signals: */
	pthread_cond_t looked;
	bool ended; /* no job will come any more */
	unsigned nlanes;
	struct work_speeds speeds;
	struct work_amount seen; /* of the work_split, so far */
	struct work_split split;
	struct dispatch_worker workers[EXCHANGE_WORKERS];
	unsigned nhungry;
	struct job_queue plain; /* for workers, at any time */
	struct job *in_turn;	/* for workers, when oldest; by number */
	struct rests rests;
	/* So many lanes had nothing to do after the last filling, and with so
	 * many blocks they would be done in time. */
	unsigned idle_lanes;
	uint64_t level;
};

/* What a feeder's next launch should take. */
struct dispatch_plan {
	struct work_plan work;
	/* Workers would go on with so many rests, and with so many blocks of
	 * them if that is more; one more worker could be spawned for that. */
	unsigned rests;
	uint64_t rest_blocks;
	bool may_spawn;
};

/*
 * For so many lanes of a device, and CPU workers, at most: as many as there
 * are cores.  `speed` is what to expect of them.
 */
void
dispatch_init(struct dispatch *, struct sequencer *, unsigned nlanes,
	      unsigned workers, bool shared, const struct engine_speed *speed);

void
dispatch_destroy(struct dispatch *);

/*
 * Look up sizes, for some milliseconds, until `most` files wait for lanes.
 * *view is what the sequencer showed last.  `busy` as in sequencer_take.
 */
void
dispatch_look_ahead(struct dispatch *, unsigned worker, unsigned busy,
		    unsigned most, struct sequencer_view *view);

/* Up to max jobs for a CPU worker, as sequencer_take. */
unsigned
dispatch_take(struct dispatch *, unsigned worker, unsigned busy,
	      struct ticket *tickets, unsigned max,
	      struct sequencer_view *view);

/* Is there work that no free worker could take? */
bool
dispatch_wants_workers(struct dispatch *);

/* The rest of a message for a CPU worker that has not enough to do, or whose
 * turn has come, or NULL; head as in the view. */
struct lane_transfer *
dispatch_take_rest(struct dispatch *, unsigned worker, uint64_t head);

/* Any rest, for a worker that lacks the descriptor which it holds, or NULL. */
struct lane_transfer *
dispatch_take_any_rest(struct dispatch *, unsigned worker, uint64_t head);

/* A worker leaves to a lane the rest of a message that it has begun. */
void
dispatch_leave_rest(struct dispatch *, unsigned worker, struct lane_transfer *);

/* A worker finds nothing to hash in what it holds.  False: it holds nothing
 * that counts, and so has been given all that there is. */
bool
dispatch_note_standstill(struct dispatch *, unsigned worker);

/* Plan a launch; left[] is how many blocks of each lane are not hashed yet. */
void
dispatch_plan(struct dispatch *, const uint64_t *left, struct dispatch_plan *);

/* For a lane that begins a buffer: the rest of a message, or NULL. */
bool
dispatch_has_rest_for_lane(struct dispatch *);
struct lane_transfer *
dispatch_rest_for_lane(struct dispatch *);

/* Lanes have been filled; so many have nothing to do. */
void
dispatch_note_filling(struct dispatch *, unsigned idle_lanes);

/* The next job for a lane, or NULL. */
struct job *
dispatch_for_lane(struct dispatch *);

/* A job that was taken but has to wait for its turn, or for a descriptor. */
void
dispatch_return(struct dispatch *, struct job *);

/* A lane will leave the rest of its message, of so many blocks as it is now, to
 * a worker, and then does, or (NULL) does not. */
void
dispatch_promise_rest(struct dispatch *, uint64_t blocks);
void
dispatch_give_rest(struct dispatch *, struct lane_transfer *,
		   uint64_t promised);

/* A message that a worker has begun has to wait for its turn. */
void
dispatch_return_rest(struct dispatch *, struct lane_transfer *);

/* Has everything been given to somebody, and will no more come?  Then the lanes
 * end, and workers leave them nothing any more. */
bool
dispatch_end_lanes(struct dispatch *);

/* A launch of so many blocks in all, and in its longest lane, took `ns`; or the
 * filling for the next one did, if that took longer. */
void
dispatch_note_launch(struct dispatch *, uint64_t blocks, uint32_t longest,
		     uint64_t ns, uint64_t filling_ns);

/* A worker has hashed so many blocks in so much time.  It may leave a rest of
 * at most as many as are returned to a lane. */
uint64_t
dispatch_note_worker(struct dispatch *, unsigned worker, uint64_t blocks,
		     uint64_t ns);

/* The device has failed, and workers take what they can.  Its lanes go on at
 * a CPU's speed, or not at all. */
void
dispatch_lose_device(struct dispatch *, bool lanes_go_on);

#endif
