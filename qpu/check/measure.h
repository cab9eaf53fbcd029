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
	double launch_us;   /* of all that does not depend on the rounds */
	double short_us;    /* the same if the device knows it to be short */
	unsigned ncounters; /* 0 if the device does not count */
	struct {
		const char *name;
		double value;
	} counters[DEVICE_COUNTERS];
};

/* The short run has `rounds`.  False when the device failed. */
bool
measure(struct rig *rig, const struct timing *timing, unsigned rounds,
	struct measure *result, struct diag *why);

#endif
