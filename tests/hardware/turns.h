/* SPDX-License-Identifier: MIT */
/*
 * turns: launches by mailbox and by registers in turn, with memory that another
 * core has written to, and while somebody asks the firmware.
 */
#ifndef TESTS_HARDWARE_TURNS_H
#define TESTS_HARDWARE_TURNS_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/hardware/rig.h"

/* With `quick` fewer and shorter ones.  False when the device failed. */
bool
turns_print(struct rig *, bool quick, FILE *report);

#endif
