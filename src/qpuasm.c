/* SPDX-License-Identifier: MIT */
/*
 * qpuasm: assembles programs for the QPUs of VideoCore IV.
 *
 * Reads vc4asm's syntax, also after m4 -s; checks the result against the
 * hazards of the hardware; writes nothing unless all is well.
 */
#include "config.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm.h"
#include "qpu/linemap.h"
#include "qpu/pack.h"
#include "qpu/validate.h"
#include "src/qpureport.h"

enum { MAX_INCLUDES = 32, OPTION_LIST = 0x100, OPTION_LINES, OPTION_FORMAT,
       OPTION_NO_CHECK };

enum format { FORMAT_BIN, FORMAT_HEX, FORMAT_C };

struct options {
	const char *source;
	const char *output;
	const char *list;
	const char *lines;
	enum format format;
	bool check;
	const char *includes[MAX_INCLUDES];
	size_t nincludes;
};

const char *argp_program_version = PACKAGE_STRING;

static const struct argp_option option_rows[] = {
	{ "output", 'o', "FILE", 0, "write the program to FILE", 0 },
	{ "format", OPTION_FORMAT, "bin|hex|c", 0,
	  "form of the program: little-endian words (bin, the default), one "
	  "hexadecimal word a line, or rows of a C array of 32-bit words", 0 },
	{ "list", OPTION_LIST, "FILE", 0,
	  "write a listing: address, word, source line", 0 },
	{ "lines", OPTION_LINES, "FILE", 0,
	  "write the table of addresses and source lines that qpurun reads",
	  0 },
	{ "include", 'I', "DIR", 0, "look for .include files in DIR too", 0 },
	{ "no-check", OPTION_NO_CHECK, NULL, 0,
	  "do not look for hazards", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t
parse_format(const char *text, struct argp_state *state,
	     struct options *options)
{
	static const char *const names[] = {
		[FORMAT_BIN] = "bin", [FORMAT_HEX] = "hex", [FORMAT_C] = "c",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(text, names[i]) == 0) {
			options->format = i;
			return 0;
		}
	argp_error(state, "unknown format '%s'", text);
	return EINVAL;
}

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = text;
		return 0;
	case 'I':
		if (options->nincludes == MAX_INCLUDES)
			argp_error(state, "too many include directories");
		else
			options->includes[options->nincludes++] = text;
		return 0;
	case OPTION_FORMAT:
		return parse_format(text, state, options);
	case OPTION_LIST:
		options->list = text;
		return 0;
	case OPTION_LINES:
		options->lines = text;
		return 0;
	case OPTION_NO_CHECK:
		options->check = false;
		return 0;
	case ARGP_KEY_ARG:
		if (options->source)
			argp_error(state, "one source only");
		options->source = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no source given");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool
write_bin(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++) {
		uint8_t bytes[8];

		qpu_word_store(bytes, program->words[i].word);
		fwrite(bytes, 1, sizeof(bytes), stream);
	}
	return !ferror(stream);
}

static bool
write_hex(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++)
		fprintf(stream, "%016llx\n",
			(unsigned long long)program->words[i].word);
	return !ferror(stream);
}

/* Rows for between the braces of an array. */
static bool
write_c(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++) {
		const uint64_t word = program->words[i].word;

		fprintf(stream, "\t0x%08x, 0x%08x,\n",
			(unsigned)(word & 0xffffffff), (unsigned)(word >> 32));
	}
	return !ferror(stream);
}

static bool
write_list(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++) {
		const struct qpu_asm_word *word = &program->words[i];

		fprintf(stream, "%05zx  %08x %08x  %s:%u: %s\n", 8 * i,
			(unsigned)(word->word >> 32),
			(unsigned)(word->word & 0xffffffff), word->file,
			word->line, word->text);
	}
	return !ferror(stream);
}

static bool
write_lines(const struct qpu_asm_program *program, FILE *stream)
{
	struct qpu_linemap map = { .rows = NULL };
	bool good = true;

	for (size_t i = 0; i < program->nwords && good; i++) {
		const struct qpu_asm_word *word = &program->words[i];

		if (word->is_inst)
			good = qpu_linemap_add(&map, 8 * i, word->file,
					       word->line, word->text);
	}
	good = good && qpu_linemap_write(&map, stream);
	qpu_linemap_free(&map);
	return good;
}

typedef bool writer(const struct qpu_asm_program *program, FILE *stream);

static bool
write_file(const char *path, writer *write,
	   const struct qpu_asm_program *program)
{
	FILE *stream = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
	bool good = stream && write(program, stream);

	if (stream && (stream == stdout ? fflush(stdout) : fclose(stream)))
		good = false;
	if (!good)
		fprintf(stderr, "qpuasm: cannot write '%s': %m\n", path);
	return good;
}

static bool
write_all(const struct options *options,
	  const struct qpu_asm_program *program)
{
	static writer *const writers[] = {
		[FORMAT_BIN] = write_bin,
		[FORMAT_HEX] = write_hex,
		[FORMAT_C] = write_c,
	};

	return (!options->output || write_file(options->output,
				writers[options->format], program)) &&
	       (!options->list ||
		write_file(options->list, write_list, program)) &&
	       (!options->lines ||
		write_file(options->lines, write_lines, program));
}

int
main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_rows,
		.parser = parse_option,
		.args_doc = "FILE",
		.doc = "Assemble a QPU program.  FILE is - for standard "
		       "input; so is an output for standard output.",
	};
	struct options options = { .check = true };
	struct qpu_asm_program program;

	argp_err_exit_status = EXIT_FAILURE;
	argp_parse(&argp, argc, argv, 0, NULL, &options);

	const struct qpu_asm_options asm_options = {
		.include_dirs = options.includes,
		.ninclude_dirs = options.nincludes,
	};
	bool good = qpu_asm_file(options.source, &asm_options, &program);
	qpu_report_messages("qpuasm", &program);
	if (good && options.check)
		good = qpu_report_hazards(&program);
	good = good && write_all(&options, &program);
	qpu_asm_free(&program);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
