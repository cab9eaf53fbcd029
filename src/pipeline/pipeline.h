/* SPDX-License-Identifier: MIT */
/*
 * pipeline: runs a source's jobs through an engine on as many threads as
 * there is work for, and returns the results in order.
 */
#ifndef SRC_PIPELINE_PIPELINE_H
#define SRC_PIPELINE_PIPELINE_H

#include <stdbool.h>

#include "src/lanes/run.h"
#include "src/lanes/source.h"

/*
 * Run until the source ends, and sum up the reports of all workers.  Return
 * false with the reason if the engine or memory for the first worker is not
 * available: then nothing was taken from the source.
 */
bool
pipeline_run(const struct pipeline_config *, struct source *,
	     struct run_report *, struct diag *why_not);

#endif
