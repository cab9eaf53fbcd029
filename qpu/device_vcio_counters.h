/* SPDX-License-Identifier: MIT */
/*
 * counters: what the V3D counts while programs run, if its registers are to
 * be had.
 */
#ifndef QPU_DEVICE_VCIO_COUNTERS_H
#define QPU_DEVICE_VCIO_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/device.h"
#include "qpu/device_vcio_registers.h"

enum { COUNTERS = 16 };		/* that there are at a time */

struct counters {
	bool any;		/* a launch was counted */
	uint64_t totals[COUNTERS];
};

/* Before and after a launch; the V3D has power. */
void
counters_begin(const struct registers *);
void
counters_end(const struct registers *, struct counters *);

/* They go behind what is there; nothing, unless a launch was counted. */
void
counters_tell(const struct counters *, struct device_totals *);

#endif
