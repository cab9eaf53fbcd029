/* SPDX-License-Identifier: MIT */
/*
 * device_choice: does --device=auto use the device beside the CPU, or the CPU
 * alone?
 *
 * Both are estimated from the sizes of the first files, with the speeds that are
 * expected of this board (share.h); opening the
 * device takes its time, too.  As soon as the device would save a twentieth of
 * the time it is chosen: later files make it better still, or go to the CPU in
 * any case.
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
	int patience_ms;
};

/* Up to `most` jobs may be taken in advance; none if memory is short. */
void
first_jobs_init(struct first_jobs *, struct source *origin, unsigned most);

/*
 * Take the next job in advance; it stays here.  NULL: there are as many as are
 * allowed, or the origin has ended or would have to be waited for.  Waits up to
 * 0.1 s in all for a list that is still being written.
 */
struct job *
first_jobs_take(struct first_jobs *);

static inline bool
first_jobs_is_full(const struct first_jobs *self)
{
	return self->njobs == self->most;
}

void
first_jobs_close(struct first_jobs *);

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
