/* SPDX-License-Identifier: MIT */
/*
 * run_report: what a run of the emulated machine has cost, as text on standard
 * output: counters and profile.
 */
#ifndef SRC_TOOLS_QPURUN_RUN_REPORT_H
#define SRC_TOOLS_QPURUN_RUN_REPORT_H

#include <stdbool.h>

#include "qpu/emulator/emulator.h"
#include "qpu/trace/trace.h"
#include "src/tools/qpurun/image.h"

/* Print the hardware's counters; only some of them count without --timed. */
void
run_report_counters(const struct machine *machine, bool timed);

/*
 * Print the code with what it cost, then the same by source line.  False when
 * memory is short.
 */
bool
run_report_profile(const struct machine *machine, bool timed,
		   const struct trace_lines *lines,
		   const struct run_image *images, size_t nimages);

#endif
