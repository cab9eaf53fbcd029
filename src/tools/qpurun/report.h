/* SPDX-License-Identifier: MIT */
/*
 * report: what a run of the emulated machine looked like, as text: findings,
 * counters and profile.
 */
#ifndef SRC_TOOLS_QPURUN_REPORT_H
#define SRC_TOOLS_QPURUN_REPORT_H

#include <stdio.h>

#include "qpu/emulator/emulator.h"
#include "qpu/trace/notice.h"
#include "src/tools/qpurun/image.h"

struct run_report {
	struct notices notices;
	unsigned findings; /* hazards, not warnings */
};

/* Print a finding, once for its rule and source line. */
void
run_report_finding(struct run_report *report,
		   const struct machine_finding *finding);

/* Where each program stands after a deadlock or fault, by source line. */
void
run_report_places(const struct run_report *report,
		  const struct machine *machine);

/* The hardware's counters by name; functional mode knows only some. */
void
run_report_counters(const struct machine *machine, bool timed);

/* The code with what it cost, then the same by source line. */
bool
run_report_profile(const struct machine *machine, bool timed,
		   const struct trace_lines *lines,
		   const struct run_image *images, size_t nimages);

#endif
