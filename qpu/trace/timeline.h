/* SPDX-License-Identifier: MIT */
/*
 * timeline: a timed run as trace events in JSON, which browsers' and Perfetto's
 * viewers open: complete events ("X") in a row for each QPU, one for the load
 * DMA and one for the store DMA.
 *
 * In the row of a QPU its instructions follow each other, those of one source
 * line together, and its stalls by cause stand between them; durations add up
 * to the time of the program.  Times are microseconds of the cycle model, as
 * the format wants them; args.clocks has clocks.
 */
#ifndef QPU_TRACE_TIMELINE_H
#define QPU_TRACE_TIMELINE_H

#include <stdbool.h>

#include "qpu/trace/trace.h"

/* The event that is still open in the row of a QPU, and totals so far. */
struct timeline_row {
	bool named;
	const struct qpu_linemap_row *line; /* of the open event */
	uint32_t pc;
	uint64_t word;
	uint64_t start, end; /* end == start: no open event */
	uint64_t last;	     /* clock of the last instruction */
	uint64_t stalled[MACHINE_STALLS];
	uint64_t load_end, store_end;
};

/* How a process and its clocks are shown. */
struct timeline_process {
	unsigned number;
	const char *name;
	unsigned clock_mhz;
	bool first; /* no other process has written to the timeline */
};

struct timeline_settings {
	FILE *stream;
	const struct machine *machine; /* timed, and has not run yet */
	const struct trace_lines *lines;
	struct timeline_process process;
};

struct timeline {
	struct timeline_settings of;
	struct timeline_row rows[MACHINE_QPUS];
	bool lost; /* an event, because memory was short */
};

/* Write what stands before and after the events of all processes. */
void
timeline_begin(FILE *stream);
void
timeline_end(FILE *stream);

void
timeline_open(struct timeline *timeline, const struct timeline_settings *);

/* Pass this to machine_on_step() with a struct timeline as its context. */
void
timeline_step(void *timeline, const struct machine_step *step);

/* Write what is open.  False, with errno, if not all events were written. */
bool
timeline_flush(struct timeline *timeline);

#endif
