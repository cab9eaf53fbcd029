/* SPDX-License-Identifier: MIT */
/*
 * answers: all experiments on a device, one line of text each.
 *
 * A line's beginning is on disk before its program starts: should the machine
 * stop there, the report says where.
 */
#ifndef QPU_CHECK_ANSWERS_H
#define QPU_CHECK_ANSWERS_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/*
 * Run the experiments that are risky, or those that are not.  Their verdicts go
 * to `report`, their words to `raw`.  False when the device failed.
 */
bool
answers_print(struct rig *rig, bool risky, FILE *report, FILE *raw);

#endif
