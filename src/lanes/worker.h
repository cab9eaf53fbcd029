/* SPDX-License-Identifier: MIT */
/*
 * worker: one engine of a CPU and the lanes that feed it, on one thread.
 *
 * A lane holds one message from its first block to its last; then it gets the
 * next message at once, whatever the other lanes have left to do.  Jobs come
 * from the sequencer, or beside a device from the supply of the run; README.md draws
 * the loop.
 */
#ifndef SRC_LANES_WORKER_H
#define SRC_LANES_WORKER_H

#include "src/base/diag.h"

struct run;
struct worker;

/* NULL and a reason when the engine or memory is not available. */
struct worker *
worker_new(struct run *, unsigned index, struct diag *why_not);

/* Work until the source has ended and this worker's lanes are done. */
void
worker_run(struct worker *);

/* Report the work done, and free the worker.  NULL is allowed. */
void
worker_free(struct worker *);

#endif
