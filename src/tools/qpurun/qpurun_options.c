/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/qpurun_options.h"

#include <stdlib.h>

#include "qpu/debugger/operand.h"
#include "src/tools/arguments.h"

const char *argp_program_version = "qpurun (" PACKAGE ") " PACKAGE_VERSION;

bool
complain(const char *where, const char *text)
{
	fprintf(stderr, "qpurun: %s%s%s\n", where, *where ? ": " : "", text);
	return false;
}

static bool
refuse(struct diag *why, const char *text, const char *reason)
{
	diag_set(why, "%s", reason);
	snprintf(why->file, sizeof(why->file), "%s", text);
	return false;
}

static bool
add_image(struct run_options *options, const char *text, bool code,
	  struct diag *why)
{
	if (options->nimages == RUN_IMAGES_MAX)
		return refuse(why, text, "too many images");
	return run_image_parse(text, code, &options->images[options->nimages++],
			       why);
}

static bool
add_code(void *options, const char *text, struct diag *why)
{
	return add_image(options, text, true, why);
}

static bool
add_memory(void *options, const char *text, struct diag *why)
{
	return add_image(options, text, false, why);
}

static bool
add_programs(struct run_options *options, const char *text, bool pairs,
	     struct diag *why)
{
	const char *at = text, *end;

	if (options->nprograms)
		return refuse(why, text, "programs are given twice");
	options->from_uniforms = !pairs;
	for (;; at = end + 1) {
		struct machine_program *program =
			&options->programs[options->nprograms];

		if (options->nprograms++ == MACHINE_QPUS)
			return refuse(why, text, "more programs than 12 QPUs");
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
	return refuse(why, text,
		      pairs ? "not hexadecimal UNIF:PC,UNIF:PC,..." :
			      "not hexadecimal ADDR,ADDR,...");
}

static bool
add_uniforms(void *options, const char *text, struct diag *why)
{
	return add_programs(options, text, false, why);
}

static bool
add_launch(void *options, const char *text, struct diag *why)
{
	return add_programs(options, text, true, why);
}

static bool
ignore_rules(void *rules, const char *list, struct diag *why)
{
	return machine_rules_parse(list, rules, why);
}

static const struct option_row option_rows[] = {
	{ .name = "code",
	  .kind = OPTION_PARSED,
	  .parse = add_code,
	  .argument = "FILE@ADDR",
	  .doc = "put a program at a hexadecimal bus address; --uniforms starts the "
		 "first one given" },
	{ .name = "mem",
	  .kind = OPTION_PARSED,
	  .parse = add_memory,
	  .argument = "FILE@ADDR[:rw]",
	  .doc = "put a file into memory; with :rw write it back after the run; "
		 "ZERO:SIZE@ADDR gives SIZE bytes of zeros" },
	{ .name = "uniforms",
	  .kind = OPTION_PARSED,
	  .parse = add_uniforms,
	  .argument = "ADDR,...",
	  .doc = "start one QPU for each address of uniforms" },
	{ .name = "launch",
	  .kind = OPTION_PARSED,
	  .parse = add_launch,
	  .argument = "UNIF:PC,...",
	  .doc = "start one QPU for each pair of uniforms and program, as the mailbox "
		 "does" },
	{ .name = "timed",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct run_options, machine.timed),
	  .doc = "use the cycle model" },
	{ .name = "check",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct run_options, machine.check),
	  .doc = "fill undefined state with noise, choose QPUs and their turns at "
		 "random, and report hazards; exit with 1 if there are any" },
	{ .name = "ignore",
	  .kind = OPTION_PARSED,
	  OPTION_FIELD(struct run_options, machine.ignore),
	  .parse = ignore_rules,
	  .argument = "RULE,...",
	  .doc = "do not report these rules, such as R5 or C32" },
	{ .name = "seed",
	  .kind = OPTION_NUMBER,
	  OPTION_FIELD(struct run_options, machine.seed),
	  .argument = "N",
	  .doc = "choose another noise and interleaving for --check" },
	{ .name = "max-instructions",
	  .kind = OPTION_NUMBER,
	  OPTION_FIELD(struct run_options, max_instructions),
	  .argument = "N",
	  .doc = "stop after N instructions of all QPUs together (default "
		 "10000000000)" },
	{ .name = "trace",
	  .kind = OPTION_TEXT,
	  OPTION_FIELD(struct run_options, trace),
	  .argument = "FILE",
	  .doc = "write each executed instruction, its results and the flags" },
	{ .name = "counters",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct run_options, counters),
	  .doc = "print the hardware's event counters" },
	{ .name = "profile",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct run_options, machine.profile),
	  .doc = "print the program with the cost of each instruction" },
	{ .name = "lines",
	  .kind = OPTION_TEXT,
	  OPTION_FIELD(struct run_options, lines),
	  .argument = "FILE",
	  .doc = "read the line map of the first --code, as qpuasm --lines writes it" },
	{ .name = "debug",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct run_options, debug),
	  .doc = "stop before the first instruction and take commands from standard "
		 "input" },
	{ .name = NULL }
};

/* A reason that is about nothing else is about the option. */
static void
complain_option(const struct option_row *option, const struct diag *why)
{
	char name[32];

	snprintf(name, sizeof(name), "--%s", option->name);
	complain(*why->file ? why->file : name, why->text);
}

/* Give the first --code to the programs that --uniforms starts. */
static bool
settle_programs(struct run_options *options)
{
	for (size_t i = options->nimages; i-- > 0;)
		if (options->images[i].code)
			options->code = &options->images[i];
	if (!options->nprograms)
		return complain("",
				"nothing to start: --uniforms or --launch is "
				"needed");
	if (!options->code && (options->from_uniforms || options->lines))
		return complain("", "--code is needed");
	for (unsigned i = 0; options->from_uniforms && i < options->nprograms;
	     i++)
		options->programs[i].code = options->code->addr;
	return true;
}

void
run_options_parse(int argc, char **argv, struct run_options *options)
{
	static const struct arguments arguments = {
		.options = option_rows,
		.doc = "Run QPU programs in an emulated VideoCore IV.",
		.too_many = "unexpected argument '%s'",
		.complain = complain_option,
	};

	*options = (struct run_options){
		.max_instructions = UINT64_C(10000000000),
	};
	arguments_parse(&arguments, argc, argv, options);
	options->machine.lockstep = options->debug;
	options->machine.mailbox = true;
	if (!settle_programs(options))
		exit(EXIT_FAILURE);
}

void
run_options_free(struct run_options *options)
{
	for (size_t i = 0; i < options->nimages; i++)
		run_image_free(&options->images[i]);
}
