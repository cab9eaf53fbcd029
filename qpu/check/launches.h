/* SPDX-License-Identifier: MIT */
/*
 * launches: what a launch by way of the firmware costs, the clock by launches of
 * known length, and whether the words that one leaves are right.
 */
#ifndef QPU_CHECK_LAUNCHES_H
#define QPU_CHECK_LAUNCHES_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* Where the device's memory comes from, and its bus alias. */
void
launches_print_memory(struct rig *, FILE *report);

/* With `quick` a hundredth of the launches.  False when the device failed. */
bool
launches_print(struct rig *, bool quick, FILE *report);

/*
 * What a result of the mul ALU becomes in a part of a register of file A.  The
 * programs of this project stand on that, and few others have it.
 */
bool
launches_print_packs(struct rig *, FILE *report);

#endif
