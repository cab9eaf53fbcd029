/* SPDX-License-Identifier: MIT */
/*
 * hang: what the firmware does with a program that never ends, and what
 * switching the QPUs off and on again makes good.  It may need the power off,
 * so it runs only if that is wanted.
 */
#ifndef QPU_CHECK_HANG_H
#define QPU_CHECK_HANG_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* `device` is what the rig was opened with; it is opened again.  False when the
 * device does not come back. */
bool
hang_print(struct rig *, const char *device, FILE *report);

#endif
