/* SPDX-License-Identifier: MIT */
/*
 * rates: how fast the CPU fills, writes and reads memory that it shares with the
 * QPUs.
 */
#ifndef QPU_CHECK_RATES_H
#define QPU_CHECK_RATES_H

#include <stdio.h>

enum { RATES_BYTES = 1 << 20 };

/* One line about RATES_BYTES of a memory, and one about the program's own. */
void
rates_print(const char *name, void *memory, FILE *report);

#endif
