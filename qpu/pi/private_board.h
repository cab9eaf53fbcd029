/* SPDX-License-Identifier: MIT */
/*
 * private_board: a virtual Raspberry Pi that no other process sees, for a device of
 * this one.
 */
#ifndef QPU_PI_PRIVATE_BOARD_H
#define QPU_PI_PRIVATE_BOARD_H

#include "qpu/pi/virtual_board.h"

/* Make a private board of a Raspberry Pi 1, whose GPU has the device's memory, and a
 * page before each of its blocks.  Return NULL with the reason on failure. */
struct board *
board_new(const struct emulated_options *, struct diag *why);
void
board_free(struct board *);

#endif
