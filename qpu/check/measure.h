/* SPDX-License-Identifier: MIT */
/*
 * measure: one timing on one device.
 */
#ifndef QPU_CHECK_MEASURE_H
#define QPU_CHECK_MEASURE_H

#include <stdbool.h>

#include "qpu/check/rig.h"
#include "qpu/check/timing.h"
#include "qpu/device/device.h"

struct measure {
	double round_ns;
	double launch_us;   /* all that does not depend on the rounds, */
	double short_us;    /* and if the device knows it to be short */
	unsigned ncounters; /* of a round, as far as the device counts */
	struct {
		const char *name;
		double value;
	} counters[DEVICE_COUNTERS];
};

/* `rounds` of the short run.  False when the device failed. */
bool
measure(struct rig *rig, const struct timing *timing, unsigned rounds,
	struct measure *result, struct diag *why);

#endif
