/* SPDX-License-Identifier: MIT */
/*
 * streams: how fast the TMUs deliver 192 streams, one for each lane, which begin
 * 4160 bytes apart as those of the program do; beside the cycle model's rate.
 */
#ifndef QPU_CHECK_STREAMS_H
#define QPU_CHECK_STREAMS_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"

/* Also prints the rates of the memory that they are in.  False when the device
 * failed. */
bool
streams_print(struct rig *, bool quick, FILE *report);

#endif
