/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/observe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "qpu/trace/notice.h"
#include "qpu/trace/timeline.h"
#include "qpu/virtual/board/costs.h"
#include "qpu/virtual/board/debugging.h"
#include "src/base/stream.h"

static struct {
	bool opened, failed;
	struct trace_lines lines;
	struct trace trace;
	struct timeline timeline;
	struct notices notices;
} observer;

const struct trace_lines *
observe_lines(void)
{
	return &observer.lines;
}

/* qpuemu has read it before, to complain. */
static void
read_lines(const char *path)
{
	struct diag why;
	FILE *stream = fopen(path, "re");

	if (!stream || !qpu_linemap_read(&observer.lines.map, stream, &why))
		board_say("%s: no line map can be read there", path);
	if (stream)
		fclose(stream);
}

/* Append to a file of all processes. */
static FILE *
append(const char *path)
{
	FILE *stream = fopen(path, "ae");

	if (!stream)
		board_say("%s: %s", path, strerror(errno));
	return stream;
}

static void
name_process(const struct board *board, const struct machine *machine,
	     FILE *stream)
{
	const unsigned process = (unsigned)getpid();
	char name[64];
	const struct timeline_settings settings = {
		.stream = stream,
		.machine = machine,
		.lines = &observer.lines,
		.clock_mhz = board->shared->options.v3d_mhz,
		.process = process,
		.name = name,
		.first = !board->shared->timeline_begun,
	};

	snprintf(name, sizeof(name), "VideoCore IV of process %u (modelled)",
		 process);
	timeline_open(&observer.timeline, &settings);
	board->shared->timeline_begun = true;
}

static void
step(void *context, const struct machine_step *step)
{
	(void)context;
	if (observer.trace.stream)
		trace_step(&observer.trace, step);
	if (observer.timeline.of.stream)
		timeline_step(&observer.timeline, step);
	debugging_observe(step);
}

static void
open_files(const struct board_options *options)
{
	observer.trace.lines = observer.notices.lines = &observer.lines;
	if (*options->lines)
		read_lines(options->lines);
	if (*options->trace)
		observer.trace.stream = append(options->trace);
	if (*options->timeline)
		observer.timeline.of.stream = append(options->timeline);
	observer.opened = true;
}

void
observe_machine(struct machine *machine, const struct board *board)
{
	const struct board_options *options = &board->shared->options;

	if (!observer.opened)
		open_files(options);
	if (observer.timeline.of.stream)
		name_process(board, machine, observer.timeline.of.stream);
	observe_steps(machine, false);
}

void
observe_steps(struct machine *machine, bool debugged)
{
	const bool wanted = debugged || observer.trace.stream ||
			    observer.timeline.of.stream;

	machine_on_step(machine, wanted ? step : NULL, NULL);
}

void
observe_launch(bool first, uint32_t code)
{
	if (first || code < observer.lines.base)
		observer.lines.base = code;
}

bool
observe_finding(const struct machine_finding *finding)
{
	char text[NOTICE_SIZE];

	if (notice_finding(&observer.notices, finding, text))
		board_say("%s", text);
	debugging_hazard(finding);
	return !finding->warning;
}

void
observe_places(const struct machine *machine)
{
	struct machine_place places[MACHINE_QPUS];
	const unsigned n = machine_places(machine, places);
	char text[NOTICE_SIZE];

	for (unsigned i = 0; i < n; i++)
		if (notice_place(&observer.notices, &places[i], text))
			board_say("%s", text);
}

void
observe_flush(struct machine *machine, const struct board *board)
{
	bool good = true;

	if (observer.trace.stream)
		good = stream_flush(observer.trace.stream);
	if (observer.timeline.of.stream)
		good = timeline_flush(&observer.timeline) && good;
	if (board->shared->options.costs)
		good = costs_collect(machine, board->dir, &observer.lines) &&
		       good;
	if (!good && !observer.failed)
		board_say("trace, timeline or profile is not whole: %s",
			  strerror(errno));
	observer.failed = observer.failed || !good;
}
