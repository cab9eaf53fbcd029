/* SPDX-License-Identifier: MIT */
/*
 * qpuasm: assembles programs for the QPUs of VideoCore IV.
 *
 * Reads vc4asm's syntax, also after m4 -s; checks the result against the
 * hazards of the hardware; writes nothing unless all is well.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/linemap.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"
#include "src/base/stream.h"
#include "src/tools/hazard_report.h"

enum {
	MAX_FILES = 32,
	OPTION_LIST = 0x100,
	OPTION_LINES,
	OPTION_FORMAT,
	OPTION_NO_CHECK,
	OPTION_IGNORE,
};

enum format { FORMAT_BIN, FORMAT_HEX, FORMAT_C };

/* The values of an option that may be repeated. */
struct output_names {
	const char *rows[MAX_FILES];
	size_t n;
};

struct asm_options {
	const char *source;
	const char *output;
	const char *list;
	const char *lines;
	enum format format;
	bool check;
	struct hazard_ignored ignored;
	struct output_names includes;
	struct output_names preloads;
};

const char *argp_program_version = "qpuasm (" PACKAGE ") " PACKAGE_VERSION;

static const struct argp_option option_rows[] = {
	{ .name = "output",
	  .key = 'o',
	  .arg = "FILE",
	  .doc = "write the program to FILE" },
	{ .name = "format",
	  .key = OPTION_FORMAT,
	  .arg = "bin|hex|c",
	  .doc = "format of the program: bin, 64-bit little-endian words "
		 "(default); hex, one hexadecimal word per line; c, rows of a C "
		 "array of 32-bit words" },
	{ .name = "list",
	  .key = OPTION_LIST,
	  .arg = "FILE",
	  .doc = "write a listing to FILE: address, word, source line" },
	{ .name = "lines",
	  .key = OPTION_LINES,
	  .arg = "FILE",
	  .doc = "write a table of addresses and source lines to FILE, for "
		 "qpurun" },
	{ .name = "include",
	  .key = 'I',
	  .arg = "DIR",
	  .doc = "search DIR for included files" },
	{ .name = "preload",
	  .key = 'i',
	  .arg = "FILE",
	  .doc = "assemble FILE before the source" },
	{ .name = "ignore",
	  .key = OPTION_IGNORE,
	  .arg = "RULE,...",
	  .doc = "do not report these rules and warnings, such as R5,W200" },
	{ .name = "no-check",
	  .key = OPTION_NO_CHECK,
	  .doc = "do not check for hazards" },
	{ .name = NULL },
};

/* Here and below, argp_error ends the program. */
static void
parse_format(const char *text, struct argp_state *state,
	     struct asm_options *options)
{
	static const char *const names[] = {
		[FORMAT_BIN] = "bin",
		[FORMAT_HEX] = "hex",
		[FORMAT_C] = "c",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(text, names[i]) == 0) {
			options->format = i;
			return;
		}
	argp_error(state, "unknown format '%s'", text);
}

static void
add_name(const char *text, struct argp_state *state, struct output_names *names)
{
	if (names->n == MAX_FILES)
		argp_error(state, "more than %d times the same option",
			   MAX_FILES);
	else
		names->rows[names->n++] = text;
}

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct asm_options *options = state->input;

	switch (key) {
	case 'o': options->output = text; break;
	case 'I': add_name(text, state, &options->includes); break;
	case 'i': add_name(text, state, &options->preloads); break;
	case OPTION_FORMAT: parse_format(text, state, options); break;
	case OPTION_LIST: options->list = text; break;
	case OPTION_LINES: options->lines = text; break;
	case OPTION_NO_CHECK: options->check = false; break;
	case OPTION_IGNORE:
		if (!hazard_report_ignore(text, &options->ignored))
			argp_error(state, "'%s' is not a list of rules", text);
		break;
	case ARGP_KEY_ARG:
		if (options->source)
			argp_error(state, "only one source can be given");
		options->source = text;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no source given"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static bool
write_bin(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++) {
		uint8_t bytes[8];

		qpu_word_store(bytes, program->words[i].word);
		fwrite(bytes, 1, sizeof(bytes), stream);
	}
	return true;
}

static bool
write_hex(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++)
		fprintf(stream, "%016llx\n",
			(unsigned long long)program->words[i].word);
	return true;
}

/* Rows for between the braces of an array. */
static bool
write_c(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++) {
		const uint64_t word = program->words[i].word;

		fprintf(stream, "\t0x%08x, 0x%08x,\n", (uint32_t)word,
			(uint32_t)(word >> 32));
	}
	return true;
}

static bool
write_list(const struct qpu_asm_program *program, FILE *stream)
{
	for (size_t i = 0; i < program->nwords; i++) {
		const struct qpu_asm_word *word = &program->words[i];

		fprintf(stream, "%05zx  %08x %08x  %s:%u: %s\n", 8 * i,
			(uint32_t)(word->word >> 32), (uint32_t)word->word,
			word->file, word->line, word->text);
	}
	return true;
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

/* False, with errno, when there is no memory. */
typedef bool
writer(const struct qpu_asm_program *program, FILE *stream);

/* A file to be written. */
struct output {
	const char *path; /* or null: none */
	writer *write;
	FILE *stream;
	bool created; /* it was not there before */
};

static bool
complain(const char *path)
{
	fprintf(stderr, "qpuasm: cannot write '%s': %m\n", path);
	return false;
}

static bool
is_file(const struct stat *file, const char *path)
{
	struct stat status;

	return strcmp(path, "-") != 0 && stat(path, &status) == 0 &&
	       status.st_dev == file->st_dev && status.st_ino == file->st_ino;
}

/* Is it a file that was read, or another output?  `others` are those before. */
static bool
is_in_use(const struct output *output, const struct output *others,
	  const struct qpu_asm_program *program)
{
	struct stat file;
	bool in_use;

	if (!output->stream || fstat(fileno(output->stream), &file) != 0 ||
	    !S_ISREG(file.st_mode) || output->stream == stdout)
		return false;
	in_use = qpu_asm_has_read(program, &file);
	for (; others < output; others++)
		in_use = in_use ||
			 (others->path && is_file(&file, others->path));
	if (in_use)
		fprintf(stderr,
			"qpuasm: cannot write '%s': it is a source or another "
			"output\n",
			output->path);
	return in_use;
}

/* What the file holds stays until all outputs are open. */
static bool
open_output(struct output *output)
{
	if (!output->path)
		return true;
	if (strcmp(output->path, "-") == 0) {
		output->stream = stdout;
		return true;
	}
	int fd = open(output->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		      0666);
	output->created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(output->path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		output->stream = fdopen(fd, "wb");
	return output->stream || complain(output->path);
}

static bool
write_output(struct output *output, const struct qpu_asm_program *program)
{
	struct stat status;

	if (!output->stream)
		return true;
	const int fd = fileno(output->stream);
	const bool empty = output->stream == stdout || fstat(fd, &status) ||
			   !S_ISREG(status.st_mode) || ftruncate(fd, 0) == 0;
	const bool good = empty && output->write(program, output->stream) &&
			  stream_flush(output->stream);

	return good || complain(output->path);
}

static bool
close_output(struct output *output, bool keep)
{
	bool good = true;

	if (output->stream && output->stream != stdout &&
	    fclose(output->stream) != 0)
		good = complain(output->path);
	if (output->created && !(keep && good))
		unlink(output->path);
	return good;
}

/* All files, or none that was not there before. */
static bool
write_all(const struct asm_options *options,
	  const struct qpu_asm_program *program)
{
	static writer *const writers[] = {
		[FORMAT_BIN] = write_bin,
		[FORMAT_HEX] = write_hex,
		[FORMAT_C] = write_c,
	};
	struct output outputs[] = {
		{ .path = options->output, .write = writers[options->format] },
		{ .path = options->list, .write = write_list },
		{ .path = options->lines, .write = write_lines },
	};
	const size_t n = sizeof(outputs) / sizeof(*outputs);
	bool good = true;

	for (size_t i = 0; i < n && good; i++)
		good = open_output(&outputs[i]) &&
		       !is_in_use(&outputs[i], outputs, program);
	for (size_t i = 0; i < n && good; i++)
		good = write_output(&outputs[i], program);
	for (size_t i = 0; i < n; i++)
		good &= close_output(&outputs[i], good);
	return good;
}

int
main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_rows,
		.parser = parse_option,
		.args_doc = "FILE",
		.doc = "Assemble FILE for the QPUs of VideoCore IV, and check "
		       "the program for hazards.  Without an output option "
		       "nothing is written.  FILE - is standard input; as an "
		       "output, - is standard output.",
	};
	struct asm_options options = { .check = true };
	struct qpu_asm_program program;

	argp_err_exit_status = EXIT_FAILURE;
	/* Wrong usage ends the program there; this is want of memory. */
	errno = argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (errno) {
		fprintf(stderr, "qpuasm: %m\n");
		return EXIT_FAILURE;
	}

	const struct qpu_asm_options asm_options = {
		.include_dirs = options.includes.rows,
		.ninclude_dirs = options.includes.n,
		.preloads = options.preloads.rows,
		.npreloads = options.preloads.n,
	};
	bool good = qpu_asm_file(options.source, &asm_options, &program);
	hazard_report_messages("qpuasm", &program, &options.ignored);
	if (good && options.check)
		good = hazard_report_program(options.source, &program,
					     &options.ignored);
	good = good && write_all(&options, &program);
	qpu_asm_free(&program);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
