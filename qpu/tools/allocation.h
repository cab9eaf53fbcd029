/* SPDX-License-Identifier: MIT */
/*
 * allocation: a register for each value of a valid schedule.
 *
 * Lives are intervals and each place holds enough of them at any time (the
 * schedule counted), so taking any free register in order of birth works.
 */
#ifndef QPU_TOOLS_ALLOCATION_H
#define QPU_TOOLS_ALLOCATION_H

#include "qpu/tools/schedule.h"

struct allocation {
	const struct schedule *schedule;
	int reg[GRAPH_VALUES];
};

void allocation_make(struct allocation *allocation,
		     const struct schedule *schedule);

/*
 * Does the first slot of one section read a register that the last slot of
 * the other wrote?  That would be too early: returns the value, or -1.
 */
int allocation_crossing(const struct allocation *before,
			const struct allocation *after);

#endif
