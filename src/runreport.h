/* SPDX-License-Identifier: MIT */
/*
 * runreport: what a run of the emulated machine looked like, as text: trace,
 * findings, counters and profile.
 */
#ifndef SRC_RUNREPORT_H
#define SRC_RUNREPORT_H

#include <stdio.h>

#include "qpu/emulator.h"
#include "qpu/linemap.h"
#include "src/runimage.h"

/* Names a code address by source line, where there is a map. */
struct run_lines {
	struct qpu_linemap map;
	uint32_t base;		/* of the code the map is about */
};

struct run_report {
	const struct run_lines *lines;
	FILE *trace;
	unsigned findings;
};

/* For machine_on_step and machine_on_finding; context is the run_report. */
void run_report_step(void *report, const struct machine_step *step);
void run_report_finding(void *report, const struct machine_finding *finding);

/* The hardware's counters by name; functional mode knows only some. */
void run_report_counters(const struct machine *machine, bool timed);

/* The code with what it cost, then the same by source line. */
bool run_report_profile(const struct machine *machine, bool timed,
			const struct run_lines *lines,
			const struct run_image *images, size_t nimages);

#endif
