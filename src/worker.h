/* SPDX-License-Identifier: MIT */
/*
 * worker: one engine, its batches, and the lanes that feed it.
 *
 * A lane holds one message from its first block to its last and is refilled
 * with the next message at once.  A worker runs on one thread.
 */
#ifndef SRC_WORKER_H
#define SRC_WORKER_H

#include <stdbool.h>

#include "cpu/engine.h"
#include "cpu/libcrypto.h"
#include "src/order.h"

/* What a worker has to tell in the end. */
struct worker_report {
	uint64_t blocks;	/* hashed */
	struct engine_stats engine;	/* qpus 0: it does not tell */
	const struct engine *failed;	/* and was replaced, or NULL */
	struct diag why;
};

struct worker_config {
	const struct engine *engine;
	const char *words;		/* the engine's options, "" if none */
	const struct engine *fallback;	/* takes over when a device fails */
	/* When no more jobs come and fewer lanes than these are left, other
	 * workers are to take them over; 0 = never. */
	unsigned worth;
	bool readahead;			/* may a thread read for another? */
	const struct libcrypto *crypto;	/* for --verify; NULL = off */
	struct disks *disks;		/* to be claimed; NULL = none */
	/* Called when there may be work for one more worker. */
	void (*grow)(void *crew);
	/* Called once by a worker that ends. */
	void (*ended)(void *crew, const struct worker_report *);
	void *crew;
};

struct worker;

/* NULL and a reason when the engine or memory is not to be had. */
struct worker *
worker_new(const struct worker_config *, struct order *, unsigned index,
	   struct diag *why_not);

/* Work until the source has ended and this worker's lanes are done. */
void
worker_run(struct worker *);

void
worker_free(struct worker *);

#endif
