/* SPDX-License-Identifier: MIT */
/*
 * hang: what the firmware does with a program that never ends, and whether
 * switching the QPUs off and on again helps.  The machine may have to be
 * switched off afterwards, so this runs only on request.
 */
#ifndef QPU_CHECK_HANG_H
#define QPU_CHECK_HANG_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* The rig is opened again as `device`, as it was before.  False when the device
 * does not come back. */
bool
hang_print(struct rig *, const char *device, FILE *report);

#endif
