/* SPDX-License-Identifier: MIT */
/*
 * settle: the report is written to disk before anything is tried that may stop
 * the machine.
 */
#ifndef TESTS_HARDWARE_SETTLE_H
#define TESTS_HARDWARE_SETTLE_H

#include <stdio.h>
#include <unistd.h>

/* fsync fails if the report is a pipe. */
static inline void
settle(FILE *report)
{
	fflush(report);
	(void)fsync(fileno(report));
}

#endif
