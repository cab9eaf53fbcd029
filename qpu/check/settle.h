/* SPDX-License-Identifier: MIT */
/*
 * settle: the report is written to disk before anything is tried that may stop
 * the machine.
 */
#ifndef QPU_CHECK_SETTLE_H
#define QPU_CHECK_SETTLE_H

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
