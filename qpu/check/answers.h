/* SPDX-License-Identifier: MIT */
/*
 * answers: all experiments on a device, one line each, in words.
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
 * Verdicts to `report`, words to `raw`, of those experiments that are risky or
 * those that are not.  False when the device failed.
 */
bool
answers_print(struct rig *rig, bool risky, FILE *report, FILE *raw);

#endif
