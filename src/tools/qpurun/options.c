/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/debugger/address.h"
#include "src/tools/qpurun/message.h"

enum {
	OPTION_CODE = 0x100,
	OPTION_MEM,
	OPTION_UNIFORMS,
	OPTION_LAUNCH,
	OPTION_TIMED,
	OPTION_CHECK,
	OPTION_SEED,
	OPTION_MAX,
	OPTION_TRACE,
	OPTION_COUNTERS,
	OPTION_PROFILE,
	OPTION_LINES,
	OPTION_IGNORE,
	OPTION_DEBUG,
	OPTION_DEBUG_SCRIPT,
	OPTION_TIMELINE,
};

const char *argp_program_version = "qpurun (" PACKAGE ") " PACKAGE_VERSION;

static const struct argp_option option_rows[] = {
	{ .name = "code",
	  .key = OPTION_CODE,
	  .arg = "FILE@ADDR",
	  .doc = "put a program at a hexadecimal bus address; --uniforms starts the "
		 "first one given" },
	{ .name = "mem",
	  .key = OPTION_MEM,
	  .arg = "FILE@ADDR[:rw]",
	  .doc = "put a file into memory; with :rw write it back after the run; "
		 "ZERO:SIZE@ADDR gives SIZE bytes of zeros" },
	{ .name = "uniforms",
	  .key = OPTION_UNIFORMS,
	  .arg = "ADDR,...",
	  .doc = "start one QPU for each address of uniforms" },
	{ .name = "launch",
	  .key = OPTION_LAUNCH,
	  .arg = "UNIF:PC,...",
	  .doc = "start one QPU for each pair of uniforms and program, as the mailbox "
		 "does" },
	{ .name = "timed", .key = OPTION_TIMED, .doc = "use the cycle model" },
	{ .name = "check",
	  .key = OPTION_CHECK,
	  .doc = "fill undefined state with noise, interleave QPUs at random and "
		 "report hazards; exit with 1 if there are any" },
	{ .name = "ignore",
	  .key = OPTION_IGNORE,
	  .arg = "RULE,...",
	  .doc = "do not report these rules, such as R5 or C32" },
	{ .name = "seed",
	  .key = OPTION_SEED,
	  .arg = "N",
	  .doc = "choose another noise and interleaving for --check" },
	{ .name = "max-instructions",
	  .key = OPTION_MAX,
	  .arg = "N",
	  .doc = "stop after N instructions of all QPUs together (default "
		 "10000000000)" },
	{ .name = "trace",
	  .key = OPTION_TRACE,
	  .arg = "FILE",
	  .doc = "write each executed instruction, its results and the flags" },
	{ .name = "counters",
	  .key = OPTION_COUNTERS,
	  .doc = "print the hardware's event counters" },
	{ .name = "profile",
	  .key = OPTION_PROFILE,
	  .doc = "print the program with the cost of each instruction" },
	{ .name = "lines",
	  .key = OPTION_LINES,
	  .arg = "FILE",
	  .doc = "read the line map of the first --code, as qpuasm --lines writes it" },
	{ .name = "debug",
	  .key = OPTION_DEBUG,
	  .doc = "stop before the first instruction and take commands from standard "
		 "input" },
	{ .name = "debug-script",
	  .key = OPTION_DEBUG_SCRIPT,
	  .arg = "FILE",
	  .doc = "take the commands of --debug from a file" },
	{ .name = "timeline",
	  .key = OPTION_TIMELINE,
	  .arg = "FILE",
	  .doc = "write what each QPU did when, as trace events in JSON that browsers "
		 "show; implies --timed" },
	{ .name = NULL },
};

static bool
add_image(struct run_options *options, const char *text, bool code)
{
	struct diag why;

	if (options->nimages == RUN_IMAGES_MAX)
		return complain(text, RUN_IMAGE_MEMORY, "too many images");
	return run_image_parse(text, code, &options->images[options->nimages++],
			       &why) ||
	       complain_diag(&why);
}

static bool
add_programs(struct run_options *options, const char *text, bool pairs)
{
	const char *at = text, *end;

	if (options->nprograms)
		return complain(text, ERROR_PROGRAMS,
				"programs are given "
				"twice");
	options->from_uniforms = !pairs;
	for (;; at = end + 1) {
		struct machine_program *program =
			&options->programs[options->nprograms];

		if (options->nprograms++ == MACHINE_QPUS)
			return complain(text, ERROR_PROGRAMS,
					"more programs than 12 QPUs");
		if (!bus_address_parse(at, &end, &program->uniforms) ||
		    (pairs &&
		     (*end != ':' ||
		      !bus_address_parse(end + 1, &end, &program->code))))
			break;
		if (!*end)
			return true;
		if (*end != ',')
			break;
	}
	return complain(text, ERROR_ADDRESSES,
			pairs ? "not hexadecimal UNIF:PC,UNIF:PC,..." :
				"not hexadecimal ADDR,ADDR,...");
}

static bool
parse_number(const char *option, const char *text, uint64_t *number)
{
	struct diag why;
	char *stop;

	errno = 0;
	*number = strtoull(text, &stop, 0);
	if (*text >= '0' && *text <= '9' && !*stop && !errno)
		return true;
	diag_set(&why, "'%s' is not a number", text);
	return complain(option, ERROR_NUMBER, why.text);
}

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct run_options *options = state->input;
	struct diag why;
	bool good = true;

	switch (key) {
	case OPTION_CODE:
	case OPTION_MEM:
		good = add_image(options, text, key == OPTION_CODE);
		break;
	case OPTION_UNIFORMS:
	case OPTION_LAUNCH:
		good = add_programs(options, text, key == OPTION_LAUNCH);
		break;
	case OPTION_TIMED: options->machine.timed = true; break;
	case OPTION_CHECK: options->machine.check = true; break;
	case OPTION_SEED:
		good = parse_number("--seed", text, &options->machine.seed);
		break;
	case OPTION_MAX:
		good = parse_number("--max-instructions", text,
				    &options->max_instructions);
		break;
	case OPTION_TRACE: options->trace = text; break;
	case OPTION_COUNTERS: options->counters = true; break;
	case OPTION_PROFILE: options->machine.profile = true; break;
	case OPTION_LINES: options->lines = text; break;
	case OPTION_TIMELINE:
		options->timeline = text;
		options->machine.timed = true;
		break;
	case OPTION_DEBUG_SCRIPT:
		options->script = text;
		__attribute__((fallthrough));
	case OPTION_DEBUG:
		options->debug = options->machine.lockstep = true;
		break;
	case OPTION_IGNORE:
		good = machine_rules_parse(text, &options->machine.ignore,
					   &why) ||
		       complain("--ignore", ERROR_RULE, why.text);
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", text);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	if (!good)
		exit(EXIT_FAILURE);
	return 0;
}

/* --uniforms starts the first program given. */
static bool
settle_programs(struct run_options *options)
{
	for (size_t i = options->nimages; i-- > 0;)
		if (options->images[i].code)
			options->code = &options->images[i];
	if (!options->nprograms)
		return complain("", ERROR_PROGRAMS,
				"nothing to start: "
				"--uniforms or --launch is needed");
	if (!options->code && (options->from_uniforms || options->lines))
		return complain("", ERROR_PROGRAMS, "--code is needed");
	for (unsigned i = 0; options->from_uniforms && i < options->nprograms;
	     i++)
		options->programs[i].code = options->code->addr;
	return true;
}

void
run_options_parse(int argc, char **argv, struct run_options *options)
{
	static const struct argp argp = {
		.options = option_rows,
		.parser = parse_option,
		.doc = "Run QPU programs in an emulated VideoCore IV.",
	};
	error_t error;

	*options = (struct run_options){
		.max_instructions = UINT64_C(10000000000),
	};
	argp_err_exit_status = EXIT_FAILURE;
	/* Wrong usage ends the program there; this is want of memory. */
	error = argp_parse(&argp, argc, argv, 0, NULL, options);
	if (error)
		complain("", RUN_IMAGE_MEMORY, strerror(error));
	if (error || !settle_programs(options))
		exit(EXIT_FAILURE);
}

void
run_options_free(struct run_options *options)
{
	for (size_t i = 0; i < options->nimages; i++)
		run_image_free(&options->images[i]);
}
