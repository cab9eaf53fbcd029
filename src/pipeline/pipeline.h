/* SPDX-License-Identifier: MIT */
/*
 * pipeline: runs a source's jobs through an engine on as many threads as
 * there is work for, and returns the results in order.
 */
#ifndef SRC_PIPELINE_PIPELINE_H
#define SRC_PIPELINE_PIPELINE_H

#include <stdbool.h>

#include "cpu/libcrypto.h"
#include "src/base/engine.h"
#include "src/lanes/source.h"
#include "src/pipeline/worker.h"

struct pipeline_config {
	const struct engine *engine;
	const char *options;	       /* the engine's options, "" if none */
	const struct engine *fallback; /* continues when a device fails */
	/* CPU workers take regular files, too, beside a device. */
	bool shared;
	/* What to expect of a device; lanes 0: what it says itself. */
	struct engine_speed speed;
	/* At most, >= 1; without the one that feeds a device. */
	unsigned threads;
	/* One file is read to its end before the next one is opened; on the
	 * CPU, with one thread. */
	bool one_at_a_time;
	const struct libcrypto *crypto; /* for --verify; NULL = off */
	/* Where /sys, /proc and /dev are; NULL: as usual; else for tests. */
	const char *root;
};

/*
 * Runs until the source ends, and sums up the reports of all workers.  False
 * and a reason: the engine or memory for the first worker is not available,
 * and nothing was taken from the source.
 */
bool
pipeline_run(const struct pipeline_config *, struct source *,
	     struct worker_report *, struct diag *why_not);

#endif
