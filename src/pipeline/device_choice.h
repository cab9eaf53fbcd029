/* SPDX-License-Identifier: MIT */
/*
 * device_choice: does --device=auto use the device beside the CPU, or the CPU
 * alone?
 *
 * Both are estimated from the sizes of the first files, with the speeds that are
 * expected of this board (share_rates.h); opening the
 * device takes its time, too.  As soon as the device would save a twentieth of
 * the time it is chosen: later files make it better still, or go to the CPU in
 * any case.
 */
#ifndef SRC_PIPELINE_DEVICE_CHOICE_H
#define SRC_PIPELINE_DEVICE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/pipeline/first_jobs.h"

/* Files that are looked at before the choice, at most. */
enum { DEVICE_CHOICE_FILES = 4096 };

struct device_choice {
	bool device;
	/* Regular files that are not empty, among those looked at. */
	uint64_t files;
	uint64_t bytes; /* with padding */
	double cpu_seconds, both_seconds;
	/* The part of both_seconds that it takes to open the device; 0 if the
	 * list goes on after the files that were looked at: it pays in the long
	 * run. */
	double start_seconds;
};

/* Look at jobs that `ahead` takes in advance, and choose. */
void
device_choose(struct first_jobs *ahead, const struct engine_speed *,
	      unsigned cores, struct device_choice *);

#endif
