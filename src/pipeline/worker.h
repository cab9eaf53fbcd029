/* SPDX-License-Identifier: MIT */
/*
 * worker: one engine of a CPU and the lanes that feed it, on one thread.
 *
 * A lane holds one message from its first block to its last; then it gets the
 * next message at once, whatever the other lanes have left to do.
 */
#ifndef SRC_PIPELINE_WORKER_H
#define SRC_PIPELINE_WORKER_H

#include <stdbool.h>

#include "cpu/libcrypto.h"
#include "src/base/engine.h"
#include "src/lanes/fifo_registry.h"
#include "src/lanes/sequencer.h"

/* The result of a worker's run. */
struct worker_report {
	uint64_t blocks;	     /* hashed */
	struct engine_stats engine;  /* rows for --stats, if it has any */
	const struct engine *failed; /* and was replaced, or NULL */
	struct diag why;
};

struct worker_config {
	const struct engine *engine;
	const char *options;	       /* the engine's options, "" if none */
	const struct engine *fallback; /* continues when a device fails */
	/* Regular files are shared with the CPU workers, as their speeds are;
	 * else a feeder keeps them for its device. */
	bool shared;
	struct engine_speed speed; /* of a feeder's device */
	struct dispatch *dispatch; /* gives out jobs; NULL = no device does */
	bool readahead;		   /* may a thread read for another? */
	bool one_lane;		   /* one message at a time */
	const struct libcrypto *crypto; /* for --verify; NULL = off */
	struct disks *disks;		/* to be claimed; NULL = none */
	struct fifo_registry *fifos;
	/* Called when there may be work for one more worker. */
	void (*grow)(void *pool);
	/* Called once by a worker that ends. */
	void (*ended)(void *pool, const struct worker_report *);
	void *pool;
};

struct dispatch;
struct worker;

/* NULL and a reason when the engine or memory is not available. */
struct worker *
worker_new(const struct worker_config *, struct sequencer *, unsigned index,
	   struct diag *why_not);

/* Work until the source has ended and this worker's lanes are done. */
void
worker_run(struct worker *);

void
worker_free(struct worker *);

#endif
