/* SPDX-License-Identifier: MIT */
/*
 * qpurun: runs programs for the QPUs of VideoCore IV in the emulator, with
 * files as memory.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/debugger/debugger.h"
#include "qpu/emulator/emulator.h"
#include "qpu/emulator/timing.h"
#include "qpu/trace/timeline.h"
#include "src/base/stream.h"
#include "src/tools/qpurun/line_editing.h"
#include "src/tools/qpurun/message.h"
#include "src/tools/qpurun/options.h"
#include "src/tools/qpurun/report.h"

struct run {
	struct run_options options;
	struct trace_lines lines;
	struct run_report report;
	struct trace trace;
	struct debugger debugger;
	struct timeline timeline;
};

static bool
read_lines(struct run *run)
{
	struct diag why;
	FILE *stream;
	bool good;

	if (!run->options.lines)
		return true;
	stream = fopen(run->options.lines, "r");
	if (!stream)
		return complain(run->options.lines, ERROR_LINES,
				strerror(errno));
	good = qpu_linemap_read(&run->lines.map, stream, &why);
	fclose(stream);
	if (!good)
		fprintf(stderr, "qpurun: %s:%u: %s [E%u]\n", run->options.lines,
			why.line, why.text, ERROR_LINES);
	return good;
}

/* Everything that can be wrong with files and addresses shows here. */
static struct machine *
prepare(struct run *run)
{
	struct diag why;
	struct machine *machine = NULL;

	if (!read_lines(run))
		return NULL;
	for (size_t i = 0; i < run->options.nimages; i++)
		if (!run_image_read(&run->options.images[i], &why)) {
			complain_diag(&why);
			return NULL;
		}
	machine = machine_create(&run->options.machine, &why);
	if (!machine) {
		complain("", ERROR_MACHINE, why.text);
		return NULL;
	}
	for (size_t i = 0; i < run->options.nimages; i++) {
		struct run_image *image = &run->options.images[i];

		if (machine_add_memory(machine, image->addr, image->bytes,
				       image->room, &why))
			continue;
		complain(image->spec, ERROR_MACHINE, why.text);
		machine_destroy(machine);
		return NULL;
	}
	return machine;
}

static void
observe_step(void *context, const struct machine_step *step)
{
	struct run *run = context;

	if (run->trace.stream)
		trace_step(&run->trace, step);
	if (run->timeline.of.stream)
		timeline_step(&run->timeline, step);
	if (run->options.debug)
		control_observe(&run->debugger.control, step);
}

static void
observe_finding(void *context, const struct machine_finding *finding)
{
	struct run *run = context;

	fflush(stdout);
	run_report_finding(&run->report, finding);
	if (run->options.debug)
		control_hazard(&run->debugger.control, finding);
}

static bool
open_debugger(struct run *run, struct machine *machine)
{
	FILE *commands = run->options.script ? fopen(run->options.script, "r") :
					       stdin;

	if (!commands)
		return complain(run->options.script, ERROR_SCRIPT,
				strerror(errno));
	const struct debugger_settings settings = {
		.machine = machine,
		.lines = &run->lines,
		.commands = commands,
		.out = stdout,
		.edit = line_editing,
	};
	debugger_open(&run->debugger, &settings);
	run->debugger.control.most = run->options.max_instructions;
	return true;
}

static bool
create(const char *name, unsigned error, FILE **stream)
{
	*stream = fopen(name, "w");
	return *stream || complain(name, error, strerror(errno));
}

static void
open_timeline(struct run *run, const struct machine *machine, FILE *stream)
{
	const struct timeline_settings settings = {
		.stream = stream,
		.machine = machine,
		.lines = &run->lines,
		.clock_mhz = machine_timing_default.clock_mhz,
		.process = 1,
		.name = "VideoCore IV (modelled)",
		.first = true,
	};

	timeline_begin(stream);
	timeline_open(&run->timeline, &settings);
}

static bool
close_timeline(struct timeline *timeline)
{
	const bool good = timeline_flush(timeline);

	timeline_end(timeline->of.stream);
	return stream_close(timeline->of.stream) && good;
}

static bool
observe(struct run *run, struct machine *machine)
{
	FILE *stream;

	run->report.notices.lines = run->trace.lines = &run->lines;
	machine_on_finding(machine, observe_finding, run);
	if (run->options.debug && !open_debugger(run, machine))
		return false;
	if (run->options.trace &&
	    !create(run->options.trace, ERROR_TRACE, &run->trace.stream))
		return false;
	if (run->options.timeline) {
		if (!create(run->options.timeline, ERROR_TIMELINE, &stream))
			return false;
		open_timeline(run, machine, stream);
	}
	if (run->options.debug || run->options.trace || run->options.timeline)
		machine_on_step(machine, observe_step, run);
	return true;
}

static bool
run_programs(struct run *run, struct machine *machine)
{
	struct diag why;

	if (!machine_launch(machine, run->options.programs,
			    run->options.nprograms, &why))
		return complain("", ERROR_MACHINE, why.text);
	if (run->options.debug) {
		debugger_launch(&run->debugger, true);
		return debugger_run(&run->debugger);
	}
	switch (machine_run(machine, run->options.max_instructions, 0, &why)) {
	case MACHINE_DONE: return true;
	case MACHINE_LIMIT:
		return complain("instruction limit", ERROR_LIMIT, why.text);
	case MACHINE_DEADLOCK: complain("", ERROR_DEADLOCK, why.text); break;
	default: complain("fault", ERROR_FAULT, why.text); break;
	}
	run_report_places(&run->report, machine);
	return false;
}

static void
print_summary(const struct run *run, const struct machine *machine)
{
	if (!run->options.machine.timed && !run->options.counters)
		return;
	printf("%" PRIu64 " instructions", machine_instructions(machine));
	if (run->options.machine.timed)
		printf(", %" PRIu64 " clocks = %.1f us at %u MHz (modelled)",
		       machine_clocks(machine),
		       (double)machine_clocks(machine) /
			       machine_timing_default.clock_mhz,
		       machine_timing_default.clock_mhz);
	putchar('\n');
}

/* What the run left behind; all of it is tried. */
static bool
finish(struct run *run, struct machine *machine)
{
	struct diag why;
	bool good = true;

	for (size_t i = 0; i < run->options.nimages; i++)
		if (run->options.images[i].writable &&
		    !run_image_write(&run->options.images[i], &why))
			good = complain_diag(&why);
	if (run->trace.stream && !stream_close(run->trace.stream))
		good = complain(run->options.trace, ERROR_TRACE,
				strerror(errno));
	if (run->timeline.of.stream && !close_timeline(&run->timeline))
		good = complain(run->options.timeline, ERROR_TIMELINE,
				strerror(errno));
	print_summary(run, machine);
	if (run->options.counters)
		run_report_counters(machine, run->options.machine.timed);
	if (run->options.machine.profile &&
	    !run_report_profile(machine, run->options.machine.timed,
				&run->lines, run->options.images,
				run->options.nimages))
		good = complain("", RUN_IMAGE_MEMORY, "out of memory");
	if (run->report.findings)
		good = complain("", ERROR_HAZARDS, "the program has hazards");
	if (!stream_flush(stdout))
		good = complain("standard output", ERROR_TRACE,
				strerror(errno));
	return good;
}

int
main(int argc, char **argv)
{
	struct run run = { .report = { .findings = 0 } };
	struct machine *machine;
	bool good = false;

	run_options_parse(argc, argv, &run.options);
	if (run.options.code)
		run.lines.base = run.options.code->addr;
	machine = prepare(&run);
	if (machine && observe(&run, machine)) {
		good = run_programs(&run, machine);
		good &= finish(&run, machine);
	} else if (run.trace.stream) {
		fclose(run.trace.stream);
	}
	debugger_close(&run.debugger);
	machine_destroy(machine);
	run_options_free(&run.options);
	notices_free(&run.report.notices);
	qpu_linemap_free(&run.lines.map);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
