/* SPDX-License-Identifier: MIT */
/*
 * feeder: keeps a device busy that takes chained messages (engine.h), on one
 * thread.
 *
 * A launch takes some 14 ms, in which nothing of ours runs on the device.  So at
 * most one launch is in flight, and while it runs the feeder prepares the next
 * one: each lane (lane.h) has one buffer in the launch and one to fill.
 *
 *	in flight  | launch n                         | launch n + 1
 *	feeder     | sizes, plan, fill the back ones |w|s| collect n | sizes, ...
 *
 * submit comes before collect, so that lines are written while the device
 * hashes; what a launch has computed counts when its wait has returned ENGINE_OK,
 * since only then its checks are done.
 *
 * Failure.  submit or wait returns something else: then nothing that the device
 * could write to is used any more, neither buffers nor the states in them.  What
 * earlier launches have ended was collected before.  All other jobs of the
 * lanes go back to the dispatch and begin again from their files, on the CPU;
 * the lanes are closed in the handover under its lock, so that no worker leaves a
 * message to a lane after that; and the feeder ends.
 *
 * Why it ends.  It sleeps, in sequencer_wait, only when no launch is in flight,
 * no lane has a block, and it has planned once since the last launch: so
 * nothing waits for a lane but jobs that lack a token, which come back from older
 * jobs, and each change wakes it.  It ends at the end of the source,
 * when no file waits and all lanes are empty; from then on what waits for a lane is
 * for workers.  README.md says why each message gets on.
 */
#ifndef SRC_FEED_FEEDER_H
#define SRC_FEED_FEEDER_H

#include "src/base/diag.h"

struct feeder;
struct run;

/*
 * Open the engine of the run's configuration, which must chain, and allocate the
 * buffers: then the feeder supplies the workers of the run.  On failure return
 * NULL with a reason; a device without memory for its buffers is reported as
 * failed.
 */
struct feeder *
feeder_new(struct run *, unsigned index, struct diag *why_not);

/* Give all jobs to the workers: there is no thread for the feeder. */
void
feeder_detach_device(struct feeder *);

/* Work until the source has ended and all lanes are empty. */
void
feeder_run(struct feeder *);

/* Report the work done, and free the feeder.  NULL is allowed. */
void
feeder_free(struct feeder *);

#endif
