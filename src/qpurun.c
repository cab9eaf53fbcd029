/* SPDX-License-Identifier: MIT */
/*
 * qpurun: runs programs for the QPUs of VideoCore IV in the emulator, with
 * files as memory.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/emu_timing.h"
#include "qpu/emulator.h"
#include "src/runimage.h"
#include "src/runreport.h"

enum { IMAGES_MAX = 256 };

/* Messages beside those of runimage.h. */
enum {
	ERROR_ADDRESSES = 310,
	ERROR_NUMBER,
	ERROR_PROGRAMS,
	ERROR_MACHINE,
	ERROR_LINES,
	ERROR_TRACE,
	ERROR_DEADLOCK = 320,
	ERROR_LIMIT,
	ERROR_FAULT,
	ERROR_HAZARDS,
};

enum {
	OPTION_CODE = 0x100, OPTION_MEM, OPTION_UNIFORMS, OPTION_LAUNCH,
	OPTION_TIMED, OPTION_CHECK, OPTION_SEED, OPTION_MAX, OPTION_TRACE,
	OPTION_COUNTERS, OPTION_PROFILE, OPTION_LINES,
};

struct run {
	struct run_image images[IMAGES_MAX];
	size_t nimages;
	struct machine_program programs[MACHINE_QPUS];
	unsigned nprograms;
	bool from_uniforms;		/* programs still lack their code */
	struct machine_options options;
	uint64_t max_instructions;
	const char *trace, *lines_file;
	bool counters;
	struct run_lines lines;
	struct run_report report;
};

const char *argp_program_version = PACKAGE_STRING;

static const struct argp_option option_rows[] = {
	{ "code", OPTION_CODE, "FILE@ADDR", 0,
	  "program at a hexadecimal bus address; --uniforms starts the first",
	  0 },
	{ "mem", OPTION_MEM, "FILE@ADDR[:rw]", 0,
	  "memory; :rw writes it back to the file after the run; "
	  "ZERO:SIZE@ADDR is SIZE bytes of zeros", 0 },
	{ "uniforms", OPTION_UNIFORMS, "ADDR,...", 0,
	  "start one QPU for each address of uniforms", 0 },
	{ "launch", OPTION_LAUNCH, "UNIF:PC,...", 0,
	  "start one QPU for each pair, as the mailbox does", 0 },
	{ "timed", OPTION_TIMED, NULL, 0, "use the cycle model", 0 },
	{ "check", OPTION_CHECK, NULL, 0,
	  "noise in undefined state, random interleaving, report hazards; "
	  "exit with 1 when there are any", 0 },
	{ "seed", OPTION_SEED, "N", 0, "of noise and interleaving", 0 },
	{ "max-instructions", OPTION_MAX, "N", 0,
	  "stop after N instructions of all QPUs (default 10000000000)", 0 },
	{ "trace", OPTION_TRACE, "FILE", 0,
	  "write each instruction with what it wrote, and the flags", 0 },
	{ "counters", OPTION_COUNTERS, NULL, 0,
	  "print the hardware's counters", 0 },
	{ "profile", OPTION_PROFILE, NULL, 0,
	  "print the program with what each instruction cost", 0 },
	{ "lines", OPTION_LINES, "FILE", 0,
	  "line map of the first --code, as qpuasm --lines writes it", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static bool
complain(const char *where, unsigned number, const char *text)
{
	fprintf(stderr, "qpurun: %s%s%s [E%u]\n", where, *where ? ": " : "",
		text, number);
	return false;
}

static bool
complain_diag(const struct diag *why)
{
	return complain(why->file, why->rule, why->text);
}

static bool
add_image(struct run *run, const char *text, bool code)
{
	struct diag why;

	if (run->nimages == IMAGES_MAX)
		return complain(text, RUN_IMAGE_MEMORY, "too many images");
	return run_image_parse(text, code, &run->images[run->nimages++],
			       &why) || complain_diag(&why);
}

static bool
add_programs(struct run *run, const char *text, bool pairs)
{
	const char *at = text, *end;

	if (run->nprograms)
		return complain(text, ERROR_PROGRAMS, "programs are given "
				"twice");
	run->from_uniforms = !pairs;
	for (;; at = end + 1) {
		struct machine_program *program =
			&run->programs[run->nprograms];

		if (run->nprograms++ == MACHINE_QPUS)
			return complain(text, ERROR_PROGRAMS,
					"more programs than 12 QPUs");
		if (!run_address_parse(at, &end, &program->uniforms) ||
		    (pairs && (*end != ':' ||
			       !run_address_parse(end + 1, &end,
						  &program->code))))
			break;
		if (!*end)
			return true;
		if (*end != ',')
			break;
	}
	return complain(text, ERROR_ADDRESSES, pairs ?
			"not hexadecimal UNIF:PC,UNIF:PC,..." :
			"not hexadecimal ADDR,ADDR,...");
}

static bool
parse_number(const char *text, uint64_t *number)
{
	char *stop;

	errno = 0;
	*number = strtoull(text, &stop, 0);
	if (*text >= '0' && *text <= '9' && !*stop && !errno)
		return true;
	return complain(text, ERROR_NUMBER, "not a number");
}

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct run *run = state->input;
	bool good = true;

	switch (key) {
	case OPTION_CODE:
	case OPTION_MEM:
		good = add_image(run, text, key == OPTION_CODE);
		break;
	case OPTION_UNIFORMS:
	case OPTION_LAUNCH:
		good = add_programs(run, text, key == OPTION_LAUNCH);
		break;
	case OPTION_TIMED:
		run->options.timed = true;
		break;
	case OPTION_CHECK:
		run->options.check = true;
		break;
	case OPTION_SEED:
		good = parse_number(text, &run->options.seed);
		break;
	case OPTION_MAX:
		good = parse_number(text, &run->max_instructions);
		break;
	case OPTION_TRACE:
		run->trace = text;
		break;
	case OPTION_COUNTERS:
		run->counters = true;
		break;
	case OPTION_PROFILE:
		run->options.profile = true;
		break;
	case OPTION_LINES:
		run->lines_file = text;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option", text);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (!good)
		exit(EXIT_FAILURE);
	return 0;
}

/* --uniforms starts the first program given. */
static bool
settle_programs(struct run *run)
{
	const struct run_image *code = NULL;

	for (size_t i = run->nimages; i-- > 0; )
		if (run->images[i].code)
			code = &run->images[i];
	if (!run->nprograms)
		return complain("", ERROR_PROGRAMS, "nothing to start: "
				"--uniforms or --launch is needed");
	if (!code && (run->from_uniforms || run->lines_file))
		return complain("", ERROR_PROGRAMS, "--code is needed");
	if (code)
		run->lines.base = code->addr;
	for (unsigned i = 0; run->from_uniforms && i < run->nprograms; i++)
		run->programs[i].code = code->addr;
	return true;
}

static bool
read_lines(struct run *run)
{
	struct diag why;
	FILE *stream;
	bool good;

	if (!run->lines_file)
		return true;
	stream = fopen(run->lines_file, "r");
	if (!stream)
		return complain(run->lines_file, ERROR_LINES,
				strerror(errno));
	good = qpu_linemap_read(&run->lines.map, stream, &why);
	fclose(stream);
	if (!good)
		fprintf(stderr, "qpurun: %s:%u: %s [E%u]\n", run->lines_file,
			why.line, why.text, ERROR_LINES);
	return good;
}

/* Everything that can be wrong with files and addresses shows here. */
static struct machine *
prepare(struct run *run)
{
	struct diag why;
	struct machine *machine = NULL;

	if (!settle_programs(run) || !read_lines(run))
		return NULL;
	for (size_t i = 0; i < run->nimages; i++)
		if (!run_image_read(&run->images[i], &why)) {
			complain_diag(&why);
			return NULL;
		}
	machine = machine_create(&run->options, &why);
	if (!machine) {
		complain("", ERROR_MACHINE, why.text);
		return NULL;
	}
	for (size_t i = 0; i < run->nimages; i++) {
		struct run_image *image = &run->images[i];

		if (machine_add_memory(machine, image->addr, image->bytes,
				       image->room, &why))
			continue;
		complain(image->spec, ERROR_MACHINE, why.text);
		machine_destroy(machine);
		return NULL;
	}
	return machine;
}

static bool
observe(struct run *run, struct machine *machine)
{
	run->report.lines = &run->lines;
	machine_on_finding(machine, run_report_finding, &run->report);
	if (!run->trace)
		return true;
	run->report.trace = fopen(run->trace, "w");
	if (!run->report.trace)
		return complain(run->trace, ERROR_TRACE, strerror(errno));
	machine_on_step(machine, run_report_step, &run->report);
	return true;
}

static bool
run_programs(struct run *run, struct machine *machine)
{
	struct diag why;

	if (!machine_launch(machine, run->programs, run->nprograms, &why))
		return complain("", ERROR_MACHINE, why.text);
	switch (machine_run(machine, run->max_instructions, 0, &why)) {
	case MACHINE_DONE:
		return true;
	case MACHINE_LIMIT:
		return complain("instruction limit", ERROR_LIMIT, why.text);
	case MACHINE_DEADLOCK:
		return complain("", ERROR_DEADLOCK, why.text);
	default:
		return complain("fault", ERROR_FAULT, why.text);
	}
}

static void
print_summary(const struct run *run, const struct machine *machine)
{
	if (!run->options.timed && !run->counters)
		return;
	printf("%" PRIu64 " instructions", machine_instructions(machine));
	if (run->options.timed)
		printf(", %" PRIu64 " clocks = %.1f us at %u MHz (modelled)",
		       machine_clocks(machine),
		       (double)machine_clocks(machine) /
		       emu_timing_default.clock_mhz,
		       emu_timing_default.clock_mhz);
	putchar('\n');
}

/* What the run left behind; all of it is tried. */
static bool
finish(struct run *run, struct machine *machine)
{
	struct diag why;
	bool good = true;

	for (size_t i = 0; i < run->nimages; i++)
		if (run->images[i].writable &&
		    !run_image_write(&run->images[i], &why))
			good = complain_diag(&why);
	if (run->report.trace && fclose(run->report.trace))
		good = complain(run->trace, ERROR_TRACE, strerror(errno));
	print_summary(run, machine);
	if (run->counters)
		run_report_counters(machine, run->options.timed);
	if (run->options.profile &&
	    !run_report_profile(machine, run->options.timed, &run->lines,
				run->images, run->nimages))
		good = complain("", RUN_IMAGE_MEMORY, "out of memory");
	if (run->report.findings)
		good = complain("", ERROR_HAZARDS, "the program has hazards");
	if (fflush(stdout))
		good = complain("standard output", ERROR_TRACE,
				strerror(errno));
	return good;
}

int
main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_rows,
		.parser = parse_option,
		.doc = "Run QPU programs in an emulated VideoCore IV.",
	};
	struct run run = { .max_instructions = UINT64_C(10000000000) };
	struct machine *machine;
	bool good = false;

	argp_err_exit_status = EXIT_FAILURE;
	argp_parse(&argp, argc, argv, 0, NULL, &run);
	machine = prepare(&run);
	if (machine && observe(&run, machine)) {
		good = run_programs(&run, machine);
		good &= finish(&run, machine);
	}
	machine_destroy(machine);
	for (size_t i = 0; i < run.nimages; i++)
		run_image_free(&run.images[i]);
	qpu_linemap_free(&run.lines.map);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
