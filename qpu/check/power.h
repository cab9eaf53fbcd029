/* SPDX-License-Identifier: MIT */
/*
 * power: what the firmware answers when the QPUs are switched on and off, and
 * what IDENT0, the first register of the V3D, shows then.
 */
#ifndef QPU_CHECK_POWER_H
#define QPU_CHECK_POWER_H

#include <stdio.h>

/* Enable twice and disable twice.  Nothing but a line where the firmware cannot
 * be asked. */
void
power_print(FILE *report);

#endif
