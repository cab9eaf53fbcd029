/* SPDX-License-Identifier: MIT */
/*
 * facts: what the report says about the machine.  It says nothing about its
 * owner: no names, no serial number, no addresses.
 */
#ifndef QPU_CHECK_FACTS_H
#define QPU_CHECK_FACTS_H

#include <stdio.h>

/* Print facts of this project, the kernel, the board and its firmware. */
void
facts_print(const char *device, FILE *report);

#endif
