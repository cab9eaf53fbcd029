/* SPDX-License-Identifier: MIT */
/*
 * device_choice: decides whether --device=auto uses the device beside the CPU,
 * or the CPU alone.
 *
 * Both are estimated from the sizes of the first files, with the speeds that
 * are expected of this board (schedule.h); the time to open the device counts.
 * As soon as the device would save a twentieth of the time it is chosen: later
 * files make it better still, or go to the CPU in any case.
 */
#ifndef SRC_PIPELINE_DEVICE_CHOICE_H
#define SRC_PIPELINE_DEVICE_CHOICE_H

#include "src/lanes/run.h"

/* Jobs that are looked at before the choice, at most. */
enum { DEVICE_CHOICE_JOBS = 4096 };

/* Look at the first jobs, and choose.  That takes a tenth of a second at most,
 * even if the list is still being written. */
void
device_choose(struct sequencer *, const struct engine_speed *, unsigned cores,
	      struct device_choice *);

#endif
