/* SPDX-License-Identifier: MIT */
/*
 * rates: how fast the CPU fills, writes and reads each kind of memory that it
 * can share with the QPUs.
 */
#ifndef QPU_CHECK_RATES_H
#define QPU_CHECK_RATES_H

#include <stdio.h>

/* The driver's device has to be open, since it holds the firmware's memory. */
void
rates_print(FILE *report);

#endif
