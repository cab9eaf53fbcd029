/* SPDX-License-Identifier: MIT */
/*
 * qpudis: disassembles programs for the QPUs of VideoCore IV.
 *
 * Assembling the output gives the same bits (qpu/api/program.c).
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/disasm.h"
#include "qpu/qpu.h"
#include "src/base/outfile.h"
#include "src/tools/arguments.h"
#include "src/tools/hazard_report.h"

struct dis_options {
	bool check;
	unsigned level, seconds;     /* -O, --effort */
	bool setup;		     /* FILE is a set-up word */
	struct qpu_program *program; /* hazard_report_ignore */
};

const char *argp_program_version = "qpudis (" PACKAGE ") " PACKAGE_VERSION;

static const struct option_row option_rows[] = {
	{ .name = "check",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct dis_options, check),
	  .doc = "check for hazards; exit with 1 when there is an error" },
	{ .name = "optimise",
	  .letter = 'O',
	  .kind = OPTION_UNSIGNED,
	  OPTION_FIELD(struct dis_options, level),
	  .min = 1,
	  .max = 2,
	  .argument = "LEVEL",
	  .alone = "1",
	  .doc = "show the program as qpuasm -O makes it" },
	{ .name = "effort",
	  .kind = OPTION_UNSIGNED,
	  OPTION_FIELD(struct dis_options, seconds),
	  .min = 1,
	  .max = 86400,
	  .argument = "SECONDS",
	  .doc = "with -O, search for so long" },
	{ .name = "ignore",
	  .kind = OPTION_PARSED,
	  OPTION_FIELD(struct dis_options, program),
	  .parse = hazard_report_ignore,
	  .argument = "RULE,...",
	  .doc = "with --check, do not report these rules, such as R5,R12" },
	{ .name = "setup",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct dis_options, setup),
	  .doc = "explain FILE, a word for vr_setup or vw_setup such as "
		 "0x80904000, instead" },
	{ .name = NULL },
};

static bool
fail(const char *file, const char *what)
{
	fprintf(stderr, "qpudis: %s: %s\n", file, what);
	return false;
}

static bool
read_words(const char *file, struct qpu_program *program)
{
	static uint8_t bytes[QPU_PROGRAM_BYTES_MAX + QPU_INSTRUCTION_BYTES];
	FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
	const struct qpu_message *refusal;
	size_t len;
	bool good;

	if (!stream) {
		fprintf(stderr, "qpudis: cannot read '%s': %m\n", file);
		return false;
	}
	len = fread(bytes, 1, sizeof(bytes), stream);
	good = !ferror(stream);
	fclose(stream);
	if (!good)
		return fail(file, "cannot be read");
	if (qpu_program_load(program, file, bytes, len) == QPU_OK)
		return true;
	refusal =
		qpu_program_message(program, qpu_program_messages(program) - 1);
	return fail(file, refusal ? refusal->text : "out of memory");
}

static bool
run(const char *file, const struct dis_options *options)
{
	struct qpu_program *program = options->program;

	enum qpu_status status = QPU_OK;

	if (!read_words(file, program))
		return false;
	if (options->level)
		status = qpu_program_optimise(program, options->level,
					      options->seconds);
	if (status != QPU_OK)
		return hazard_report("qpudis", program, status, file);
	if (qpu_program_write_text(program, stdout) == QPU_NO_MEMORY)
		return fail(file, "out of memory");
	if (!outfile_flush(stdout))
		return fail("standard output", "cannot be written");
	if (options->check)
		status = qpu_program_validate(program, QPU_HAZARDS);
	return hazard_report("qpudis", program, status, file);
}

/* Say what a word means for either register. */
static bool
explain(const char *text)
{
	char *end;
	unsigned long long word;

	errno = 0;
	word = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno ||
	    word > UINT32_MAX)
		return fail(text, "not a word of 32 bits, such as 0x80904000");
	fputs("vr_setup  ", stdout);
	setup_word_show(stdout, false, word);
	fputs("vw_setup  ", stdout);
	setup_word_show(stdout, true, word);
	return outfile_flush(stdout) ||
	       fail("standard output", "cannot be written");
}

int
main(int argc, char **argv)
{
	static const struct arguments arguments = {
		.options = option_rows,
		.operands = "FILE",
		.doc = "Disassemble FILE, 64-bit little-endian words, into the "
		       "syntax of qpuasm.  FILE - is standard input.",
		.least = 1,
		.too_few = "no program given",
		.most = 1,
		.too_many = "only one program can be given",
	};
	struct dis_options options = { .program = qpu_program_new() };
	const char *file = *arguments_parse(&arguments, argc, argv, &options);
	const bool good = options.setup ? explain(file) : run(file, &options);

	qpu_program_free(options.program);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
