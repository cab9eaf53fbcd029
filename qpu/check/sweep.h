/* SPDX-License-Identifier: MIT */
/*
 * sweep: how good the four functions of the SFU are, over many operands.
 */
#ifndef QPU_CHECK_SWEEP_H
#define QPU_CHECK_SWEEP_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* Print errors to `report`, results to `raw`; false when the device failed. */
bool
sweep_print(struct rig *rig, FILE *report, FILE *raw);

#endif
