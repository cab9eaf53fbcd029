/* SPDX-License-Identifier: MIT */
/*
 * power: of the virtual board's QPUs, which its firmware switches.  Called with the
 * board's lock held.
 */
#ifndef QPU_PI_POWER_H
#define QPU_PI_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/virtual_board.h"

/* Switch the QPUs on or off.  0, or the firmware's answer when it refuses. */
uint32_t
power_enable(const struct board *, bool on);

bool
power_is_on(const struct board *);

/* From now on, until they are reset, programs run that do not end, and may write
 * to all memory that there is by now. */
void
power_hang(struct board_shared *);

#endif
