/* SPDX-License-Identifier: MIT */
/*
 * power: whether the QPUs of the virtual board have power, and whether programs
 * hang on them, which outlives the process that has started them.  Called with
 * the board's lock held.
 */
#ifndef QPU_VIRTUAL_BOARD_POWER_H
#define QPU_VIRTUAL_BOARD_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/virtual/board/virtual_board.h"

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
