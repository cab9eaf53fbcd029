/* SPDX-License-Identifier: MIT */
/*
 * hammer: many launches back to back, and memory that is used again and again.
 *
 * Launches by mailbox are reported to work once and to fail the thousandth
 * time.  The first failure ends the launches.
 */
#ifndef QPU_CHECK_HAMMER_H
#define QPU_CHECK_HAMMER_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* Print how much memory there is, in which pieces, and how long it takes to
 * get. */
void
hammer_print_memory(struct rig *, FILE *report);

/* With `quick` a hundredth of the launches.  False when the device failed. */
bool
hammer_print_launches(struct rig *, bool quick, FILE *report);

#endif
