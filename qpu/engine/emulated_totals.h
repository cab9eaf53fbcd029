/* SPDX-License-Identifier: MIT */
/*
 * emulated_totals: what an emulated machine counts, as totals of a device.
 */
#ifndef QPU_ENGINE_EMULATED_TOTALS_H
#define QPU_ENGINE_EMULATED_TOTALS_H

#include <stdbool.h>

#include "qpu/device/device.h"

struct machine;

/* All but busy_ms. */
void
emulated_totals(struct machine *, bool timed, struct device_totals *);

#endif
