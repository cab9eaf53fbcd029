/* SPDX-License-Identifier: MIT */
/*
 * registers: the V3D's, to start programs without the firmware.
 */
#ifndef QPU_DEVICE_VCIO_REGISTERS_H
#define QPU_DEVICE_VCIO_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/device.h"
#include "qpu/soc.h"

struct registers {
	volatile uint32_t *base;	/* NULL = none */
};

/* Through an open /dev/mem.  False: they cannot be mapped. */
bool
registers_map(struct registers *, int mem, const struct soc *);

void
registers_unmap(struct registers *);

/* Is the V3D there, and does it have power? */
bool
registers_answer(const struct registers *);

/*
 * Start programs[0..n) and wait until all have ended: false when they have
 * not after timeout_ms.  While it waits others may use the CPU.
 */
bool
registers_run(const struct registers *, const struct device_program *programs,
	      unsigned n, unsigned timeout_ms);

#endif
