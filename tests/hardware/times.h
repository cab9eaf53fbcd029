/* SPDX-License-Identifier: MIT */
/*
 * times: how long things take on a device, and what the cycle model says.
 */
#ifndef TESTS_HARDWARE_TIMES_H
#define TESTS_HARDWARE_TIMES_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/hardware/rig.h"
#include "tests/hardware/timing.h"

/*
 * The rows' times to `report`, counters to `raw`; `model` is the emulated
 * device, timed.  False when the device failed.
 */
bool
times_print(struct rig *rig, struct rig *model, const struct timing *rows,
	    FILE *report, FILE *raw);

#endif
