/* SPDX-License-Identifier: MIT */
/*
 * registers: the V3D's registers, which start programs without the firmware, and
 * its performance counters.
 */
#ifndef QPU_DRIVER_REGISTERS_H
#define QPU_DRIVER_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/soc.h"
#include "qpu/ways/way.h"

struct registers {
	volatile uint32_t *base; /* NULL = none */
};

/* Map them through an open /dev/mem; false and errno. */
bool
registers_map(struct registers *, int mem, const struct soc *);

void
registers_unmap(struct registers *);

/* Are they mapped, and does the V3D have power? */
bool
registers_answer(const struct registers *);

/* Is no program queued or running?  A count of requests that is not the count
 * of ends is a program that has not ended. */
bool
registers_idle(const struct registers *);

/* Are they idle for 20 ms?  Async-signal-safe. */
bool
registers_stay_idle(const struct registers *);

/* Have they been reset: is the queue as it is after the power came on? */
bool
registers_reset(const struct registers *);

/* Clear the caches of the QPUs, for a run that the firmware starts. */
void
registers_clear_caches(const struct registers *);

/*
 * Before a launch by the firmware that follows a failure: no interrupt of the
 * failed launch is left, which would end this one at once, and all rows of the
 * VPM are for user programs.
 */
void
registers_tidy(const struct registers *);

/*
 * Start programs[0..n) and wait until all have ended; false when that takes
 * longer than timeout_ms.  Yields the CPU while it waits.
 */
bool
registers_run(const struct registers *, const struct device_program *programs,
	      unsigned n, unsigned timeout_ms);

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
