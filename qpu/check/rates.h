/* SPDX-License-Identifier: MIT */
/*
 * rates: how fast the CPU fills, writes and reads each kind of memory that it
 * can share with the QPUs.
 */
#ifndef TESTS_HARDWARE_RATES_H
#define TESTS_HARDWARE_RATES_H

#include <stdio.h>

/* While the driver's device is open: the firmware's memory is claimed there. */
void
rates_print(FILE *report);

#endif
