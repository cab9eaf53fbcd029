/* SPDX-License-Identifier: MIT */
/*
 * device_choice: does --device=auto use the device beside the CPU, or the CPU
 * alone?
 *
 * Both are estimated from the sizes of the first files, with the speeds that are
 * expected of this board (share.h); opening the device takes its time, too.  As
 * soon as the device would save a twentieth of the time it is chosen: later files
 * make it better still, or go to the CPU in any case.
 */
#ifndef SRC_PIPELINE_DEVICE_CHOICE_H
#define SRC_PIPELINE_DEVICE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/lanes/source.h"

/* A source that takes some of the first jobs of another one in advance, to look
 * at them. */
struct first_jobs {
	struct source source; /* same jobs as the other one */
	struct source *origin;
	struct job *jobs; /* taken in advance */
	unsigned most;
	unsigned njobs;
	unsigned next;
};

/* Up to `most` jobs may be taken in advance; none if memory is short. */
void
first_jobs_init(struct first_jobs *, struct source *origin, unsigned most);

void
first_jobs_close(struct first_jobs *);

/* Files that are looked at before the choice, at most. */
enum { DEVICE_CHOICE_FILES = 4096 };

struct device_choice {
	bool device;
	/* Regular files that are not empty, among those looked at. */
	uint64_t files;
	double cpu_seconds, both_seconds;
};

/* Look at jobs that `ahead` takes in advance, and choose.  That takes a tenth of
 * a second at most, of a list that is still being written, too. */
void
device_choose(struct first_jobs *ahead, const struct engine_speed *,
	      unsigned cores, struct device_choice *);

#endif
