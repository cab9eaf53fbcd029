/* SPDX-License-Identifier: MIT */
/*
 * feeder: keeps a device busy that takes chained messages (batch.h), on one
 * thread.
 *
 * Each lane is a stream.  While the device hashes the front buffers of all
 * streams, the feeder fills the back ones; when the launch has ended and
 * proved itself, the next one is submitted at once, and only then are the
 * digests of the one before collected.
 *
 * When a launch fails, the CPU repeats it from the states before it, and does
 * all further ones: what is in the buffers stays there.
 */
#ifndef SRC_PIPELINE_FEEDER_H
#define SRC_PIPELINE_FEEDER_H

#include "src/feed/dispatch.h"
#include "src/pipeline/worker.h"

struct feeder;

/*
 * Opens config->engine, which must chain, and config->fallback, and allocates
 * the buffers.  NULL and a reason when that fails; *failed: the device is
 * there, but not the memory for its buffers.
 */
struct feeder *
feeder_new(const struct worker_config *config, struct sequencer *,
	   unsigned index, unsigned max_workers, struct diag *why_not);

/* What CPU workers beside it get their jobs from. */
struct dispatch *
feeder_dispatch(struct feeder *);

/* There is no thread for it: the jobs go to the workers. */
void
feeder_lose_device(struct feeder *);

/* Work until the source has ended and all streams are empty. */
void
feeder_run(struct feeder *);

/* Reports what it has done.  NULL is allowed. */
void
feeder_free(struct feeder *);

#endif
