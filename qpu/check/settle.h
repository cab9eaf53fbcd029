/* SPDX-License-Identifier: MIT */
/*
 * settle: what was written is on disk before something is tried that may take
 * the machine with it.
 */
#ifndef TESTS_HARDWARE_SETTLE_H
#define TESTS_HARDWARE_SETTLE_H

#include <stdio.h>
#include <unistd.h>

/* What cannot reach the disk may be a pipe. */
static inline void
settle(FILE *report)
{
	fflush(report);
	(void)fsync(fileno(report));
}

#endif
