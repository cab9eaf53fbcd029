/* SPDX-License-Identifier: MIT */
/*
 * feeder: keeps a device busy that takes chained messages (engine.h), on one
 * thread.
 *
 * README.md draws its loop.  When a launch fails, nothing that the device could
 * write to is hashed any more: all jobs that have not ended begin again on the CPU,
 * from their files.
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
feeder_lose_device(struct feeder *);

/* Work until the source has ended and all streams are empty. */
void
feeder_run(struct feeder *);

/* Report the work done, and free the feeder.  NULL is allowed. */
void
feeder_free(struct feeder *);

#endif
