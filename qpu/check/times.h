/* SPDX-License-Identifier: MIT */
/*
 * times: how long things take on a device, and what the cycle model says.
 */
#ifndef QPU_CHECK_TIMES_H
#define QPU_CHECK_TIMES_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"
#include "qpu/check/timing.h"

/*
 * Print the rows' times to `report`, counters to `raw`; `model` is the emulated
 * device, timed.  False when the device failed.
 */
bool
times_print(struct rig *rig, struct rig *model, const struct timing *rows,
	    FILE *report, FILE *raw);

#endif
