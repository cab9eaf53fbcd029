/* SPDX-License-Identifier: MIT */
/*
 * pipeline: runs a source's jobs through an engine on as many threads as
 * there is work for, and gives the results back in order.
 */
#ifndef SRC_PIPELINE_H
#define SRC_PIPELINE_H

#include <stdbool.h>

#include "cpu/engine.h"
#include "cpu/libcrypto.h"
#include "src/source.h"
#include "src/worker.h"

struct pipeline_config {
	const struct engine *engine;
	const char *words;		/* the engine's options, "" if none */
	const struct engine *fallback;	/* takes over when a device fails */
	/* Lanes with which a device is as fast as the CPU: what is left in
	 * fewer of them goes to the CPU; 0 = stay with the device. */
	unsigned worth;
	/* At most, >= 1; the one that feeds a device does not count. */
	unsigned threads;
	const struct libcrypto *crypto;	/* for --verify; NULL = off */
	const char *sysfs;		/* NULL: where it is; else for tests */
};

/*
 * Runs until the source ends, and tells what all workers have done.  False and a reason: the engine or memory for
 * the first worker is not to be had, and nothing was taken from the source.
 */
bool
pipeline_run(const struct pipeline_config *, struct source *,
	     struct worker_report *, struct diag *why_not);

#endif
