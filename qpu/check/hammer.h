/* SPDX-License-Identifier: MIT */
/*
 * hammer: many launches back to back, and memory that is used again and again.
 *
 * What works once may fail the thousandth time: such reports exist of launches
 * by mailbox.  The first failure ends it.
 */
#ifndef QPU_CHECK_HAMMER_H
#define QPU_CHECK_HAMMER_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* How much memory there is, in which pieces, and how long it takes to get it. */
void
hammer_print_memory(struct rig *, FILE *report);

/* With `quick` a hundredth as often.  False when the device failed. */
bool
hammer_print_launches(struct rig *, bool quick, FILE *report);

#endif
