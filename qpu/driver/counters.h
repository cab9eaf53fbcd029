/* SPDX-License-Identifier: MIT */
/*
 * counters: the V3D's performance counters, where its registers are mapped.
 */
#ifndef QPU_DRIVER_COUNTERS_H
#define QPU_DRIVER_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/device/device.h"
#include "qpu/driver/registers.h"

enum { COUNTERS = 16 }; /* that can count at the same time */

struct counters {
	bool any; /* a launch was counted */
	uint64_t totals[COUNTERS];
};

/* Before and after a launch; the V3D must have power. */
void
counters_begin(const struct registers *);
void
counters_end(const struct registers *, struct counters *);

/* Append the totals to *device_totals, if any launch was counted. */
void
counters_tell(const struct counters *, struct device_totals *);

#endif
