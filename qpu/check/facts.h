/* SPDX-License-Identifier: MIT */
/*
 * facts: what the report says about the machine.  It says nothing about its
 * owner: no names, no serial number, no addresses.
 */
#ifndef QPU_CHECK_FACTS_H
#define QPU_CHECK_FACTS_H

#include <stdbool.h>
#include <stdio.h>

/* Print facts of this project, the kernel, the board and its firmware, and what
 * is in the way of its firmware's way to the QPUs if that is the one to ask. */
void
facts_print(const char *device, bool by_firmware, FILE *report);

/* One line about the V3D's power and clock, and about the supply's voltage, as
 * the firmware sees them; `when` is a moment ("enabled").  Nothing where the
 * firmware cannot be asked. */
void
facts_print_v3d(const char *when, FILE *report);

#endif
