/* SPDX-License-Identifier: MIT */
/*
 * pi_steps: what the owner of a Raspberry Pi has to do until its QPUs can be
 * used by way of the firmware, in an order that needs one reboot at most.
 *
 * Steps that edit config.txt come first.  If there are any, the last step ends
 * with the reboot, which also makes new groups of the user count.
 */
#ifndef QPU_DRIVER_PI_STEPS_H
#define QPU_DRIVER_PI_STEPS_H

#include "qpu/driver/pi_board.h"

/* `text` is a sentence without a full stop and, each on a line of its own, the
 * commands that do what it says; "" is none. */
struct pi_step {
	struct diag text;
	char commands[512];
};

/* The steps for findings[0..n), n <= PI_FINDINGS.  Returns their number. */
unsigned
pi_steps(const struct pi_finding findings[], unsigned n,
	 struct pi_step steps[PI_FINDINGS]);

#endif
