/* SPDX-License-Identifier: MIT */
/*
 * pi_details: what this Raspberry Pi is, and what is still to be done before
 * its QPUs can be used.
 *
 * The firmware is asked questions that change nothing, if /dev/vcio can be opened;
 * what cannot be found out is left out.
 */
#ifndef QPU_DRIVER_PI_DETAILS_H
#define QPU_DRIVER_PI_DETAILS_H

#include "qpu/ways/pi_board.h"
#include "src/base/facts.h"

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

/* No rows on a machine that is no Raspberry Pi. */
void
pi_details_add(struct facts *);

#endif
