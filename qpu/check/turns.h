/* SPDX-License-Identifier: MIT */
/*
 * turns: launches by mailbox and by registers in turn, with memory that another
 * core has written to, and while somebody asks the firmware.
 */
#ifndef QPU_CHECK_TURNS_H
#define QPU_CHECK_TURNS_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* With `quick` there are fewer and shorter launches.  False when the device
 * failed. */
bool
turns_print(struct rig *, bool quick, FILE *report);

#endif
