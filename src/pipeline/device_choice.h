/* SPDX-License-Identifier: MIT */
/*
 * device_choice: does --device=auto use the device beside the CPU, or the CPU
 * alone?
 *
 * Both are estimated from the sizes of the first files, as the work_split does
 * (work_split.h), with the speeds that are expected of this board; opening the
 * device takes its time, too.  As soon as the device would save a twentieth of
 * the time it is chosen: what comes behind these files makes it better still,
 * or goes to the CPU in any case.
 */
#ifndef SRC_PIPELINE_DEVICE_CHOICE_H
#define SRC_PIPELINE_DEVICE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/pipeline/lookahead.h"

/* Files that are looked at before the choice, at most. */
enum { DEVICE_CHOICE_FILES = 4096 };

struct device_choice {
	bool device;
	/* Regular files that are not empty, as far as was looked. */
	uint64_t files;
	uint64_t bytes; /* with padding */
	double cpu_seconds, both_seconds;
	/* Of both_seconds, to open the device; 0 if as many files as were
	 * looked at do not end the list: it pays in the long run. */
	double start_seconds;
};

/* Looks at what `ahead` takes, which then has the jobs. */
void
device_choose(struct lookahead *ahead, const struct engine_speed *,
	      unsigned cores, struct device_choice *);

#endif
