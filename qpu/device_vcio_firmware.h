/* SPDX-License-Identifier: MIT */
/*
 * firmware: the way to it, for one user at a time, and what it tells without
 * anything being changed.
 */
#ifndef QPU_DEVICE_VCIO_FIRMWARE_H
#define QPU_DEVICE_VCIO_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/diag.h"

/* /dev/vcio, locked against other users until it is closed; -1 = not to be
 * had. */
int
firmware_open(struct diag *why_not);

/* Is it one with QPUs?  *clock_hz becomes theirs, 0 when it does not say. */
bool
firmware_ask(int vcio, uint32_t *clock_hz, struct diag *why_not);

#endif
