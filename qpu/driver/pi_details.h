/* SPDX-License-Identifier: MIT */
/*
 * pi_details: what this Raspberry Pi is, and what is still to be done before
 * its QPUs can be used.
 *
 * Asks the firmware, if /dev/vcio can be opened, questions that change nothing;
 * what cannot be found out is left out.
 */
#ifndef QPU_DRIVER_PI_DETAILS_H
#define QPU_DRIVER_PI_DETAILS_H

#include "src/base/facts.h"

/* No rows on a machine that is no Raspberry Pi. */
void
pi_details_add(struct facts *);

#endif
