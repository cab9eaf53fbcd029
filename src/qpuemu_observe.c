/* SPDX-License-Identifier: MIT */
/*
 * The trace of a virtual board (qpu/virtual/observe.h), written as qpurun
 * writes it.  Part of the object that qpuemu puts into programs.
 */
#include "config.h"

#include "qpu/virtual/observe.h"
#include "src/runreport.h"

/* One per process, as is the machine. */
static const struct run_lines no_lines;
static struct run_report report = { .lines = &no_lines };

bool
observe_trace(struct machine *machine, const char *path)
{
	report.trace = fopen(path, "ae");
	if (!report.trace)
		return false;
	machine_on_step(machine, run_report_step, &report);
	return true;
}

void
observe_flush(void)
{
	if (report.trace)
		fflush(report.trace);
}
