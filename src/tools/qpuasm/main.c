/* SPDX-License-Identifier: MIT */
/*
 * qpuasm: assembles programs for the QPUs of VideoCore IV.
 *
 * Reads vc4asm's syntax, also after m4 -s; checks the result against the
 * hazards of the hardware; writes nothing unless all is well.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/qpu.h"
#include "src/base/outfile.h"
#include "src/tools/arguments.h"
#include "src/tools/hazard_report.h"

enum format { FORMAT_BIN, FORMAT_HEX, FORMAT_C };

/* The one who starts the program. */
enum starter { FOR_MAILBOX, FOR_DRM };

struct asm_options {
	const char *output;
	const char *list;
	const char *lines;
	enum format format;
	enum starter starter;
	unsigned level;	  /* of -O, or 0 */
	unsigned seconds; /* for it, or 0 for the usual passes */
	bool check;
	struct qpu_program *program; /* hazard_report_ignore */
	struct option_texts includes;
	struct option_texts preloads;
};

const char *argp_program_version = "qpuasm (" PACKAGE ") " PACKAGE_VERSION;

static const char *const formats[] = {
	[FORMAT_BIN] = "bin",
	[FORMAT_HEX] = "hex",
	[FORMAT_C] = "c",
	NULL,
};

static const char *const starters[] = {
	[FOR_MAILBOX] = "mailbox",
	[FOR_DRM] = "drm",
	NULL,
};

static const struct option_row option_rows[] = {
	{ .name = "output",
	  .letter = 'o',
	  .kind = OPTION_TEXT,
	  OPTION_FIELD(struct asm_options, output),
	  .argument = "FILE",
	  .doc = "write the program to FILE" },
	{ .name = "format",
	  .kind = OPTION_WORD,
	  OPTION_FIELD(struct asm_options, format),
	  .words = formats,
	  .argument = "bin|hex|c",
	  .doc = "format of the program: bin, 64-bit little-endian words "
		 "(default); hex, one hexadecimal word per line; c, rows of a C "
		 "array of 32-bit words" },
	{ .name = "list",
	  .kind = OPTION_TEXT,
	  OPTION_FIELD(struct asm_options, list),
	  .argument = "FILE",
	  .doc = "write a listing to FILE: address, word, source line" },
	{ .name = "lines",
	  .kind = OPTION_TEXT,
	  OPTION_FIELD(struct asm_options, lines),
	  .argument = "FILE",
	  .doc = "write a table of addresses and source lines to FILE, for "
		 "qpurun" },
	{ .name = "include",
	  .letter = 'I',
	  .kind = OPTION_TEXTS,
	  OPTION_FIELD(struct asm_options, includes),
	  .argument = "DIR",
	  .doc = "search DIR for included files" },
	{ .name = "preload",
	  .letter = 'i',
	  .kind = OPTION_TEXTS,
	  OPTION_FIELD(struct asm_options, preloads),
	  .argument = "FILE",
	  .doc = "assemble FILE before the source" },
	{ .name = "for",
	  .kind = OPTION_WORD,
	  OPTION_FIELD(struct asm_options, starter),
	  .words = starters,
	  .argument = "mailbox|drm",
	  .doc = "who starts the program: the firmware's mailbox (default), or "
		 "the kernel's driver vc4, which has rules of its own" },
	{ .name = "optimise",
	  .letter = 'O',
	  .kind = OPTION_UNSIGNED,
	  OPTION_FIELD(struct asm_options, level),
	  .min = 1,
	  .max = 2,
	  .argument = "LEVEL",
	  .alone = "1",
	  .doc = "make the program shorter: 1, by the order of instructions "
		 "(default); 2, by other registers, too" },
	{ .name = "effort",
	  .kind = OPTION_UNSIGNED,
	  OPTION_FIELD(struct asm_options, seconds),
	  .min = 1,
	  .max = 86400,
	  .argument = "SECONDS",
	  .doc = "with -O, search for so long" },
	{ .name = "ignore",
	  .kind = OPTION_PARSED,
	  OPTION_FIELD(struct asm_options, program),
	  .parse = hazard_report_ignore,
	  .argument = "RULE,...",
	  .doc = "do not report these rules and warnings, such as R5,W200" },
	{ .name = "no-check",
	  .kind = OPTION_CLEAR,
	  OPTION_FIELD(struct asm_options, check),
	  .doc = "do not check for hazards" },
	{ .name = NULL },
};

/* Write to a stream; its errors show when it is closed.  Return false, with
 * errno, if memory is short. */
typedef bool
writer(const struct qpu_program *program, FILE *stream);

static bool
write_bin(const struct qpu_program *program, FILE *stream)
{
	for (size_t i = 0; i < qpu_program_words(program); i++)
		for (unsigned bit = 0; bit < 64; bit += 8)
			putc(qpu_program_word(program, i)->word >> bit & 0xff,
			     stream);
	return true;
}

static bool
write_hex(const struct qpu_program *program, FILE *stream)
{
	for (size_t i = 0; i < qpu_program_words(program); i++)
		fprintf(stream, "%016llx\n",
			(unsigned long long)qpu_program_word(program, i)->word);
	return true;
}

/* The rows of an array of C, without its braces. */
static bool
write_c(const struct qpu_program *program, FILE *stream)
{
	for (size_t i = 0; i < qpu_program_words(program); i++) {
		const uint64_t word = qpu_program_word(program, i)->word;

		fprintf(stream, "\t0x%08x, 0x%08x,\n", (uint32_t)word,
			(uint32_t)(word >> 32));
	}
	return true;
}

/* The lines of a word, below each other; a nop that -O has added has none. */
static void
write_origins(const struct qpu_program *program, size_t i, FILE *stream)
{
	const struct qpu_word *word, *last = NULL;

	for (size_t k = 0; (word = qpu_program_origin(program, i, k)); k++) {
		if (last && last->line == word->line &&
		    strcmp(last->file, word->file) == 0)
			continue;
		fprintf(stream, "%s  %s:%u: %s\n", k ? "\t\t\t" : "",
			word->file, word->line, word->text);
		last = word;
	}
	if (!last)
		putc('\n', stream);
}

static bool
write_list(const struct qpu_program *program, FILE *stream)
{
	for (size_t i = 0; i < qpu_program_words(program); i++) {
		const struct qpu_word *word = qpu_program_word(program, i);

		fprintf(stream, "%05zx  %08x %08x", 8 * i,
			(uint32_t)(word->word >> 32), (uint32_t)word->word);
		write_origins(program, i, stream);
	}
	return true;
}

static bool
write_lines(const struct qpu_program *program, FILE *stream)
{
	return qpu_program_write_lines(program, stream) != QPU_NO_MEMORY;
}

/* A file that is to be written. */
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

/* Return true if an output is one of the files that were read. */
static bool
is_source(const struct output *output, const struct qpu_program *program)
{
	struct stat file, from;
	const char *source;

	if (!output->stream || output->stream == stdout ||
	    fstat(fileno(output->stream), &file) != 0 || !S_ISREG(file.st_mode))
		return false;
	for (size_t i = 0; (source = qpu_program_source(program, i)); i++) {
		if ((strcmp(source, "-") ? stat(source, &from) :
					   fstat(STDIN_FILENO, &from)) ||
		    file.st_dev != from.st_dev || file.st_ino != from.st_ino)
			continue;
		fprintf(stderr, "qpuasm: cannot write '%s': it is a source\n",
			output->path);
		return true;
	}
	return false;
}

/* Open the file without a change: its content stays until all are open. */
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
write_output(struct output *output, const struct qpu_program *program)
{
	struct stat status;

	if (!output->stream)
		return true;
	const int fd = fileno(output->stream);
	const bool empty = output->stream == stdout || fstat(fd, &status) ||
			   !S_ISREG(status.st_mode) || ftruncate(fd, 0) == 0;
	const bool good = empty && output->write(program, output->stream) &&
			  outfile_flush(output->stream);

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

/* Write all files.  After a failure none is left that was not there before. */
static bool
write_all(const struct asm_options *options)
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
		       !is_source(&outputs[i], options->program);
	for (size_t i = 0; i < n && good; i++)
		good = write_output(&outputs[i], options->program);
	for (size_t i = 0; i < n; i++)
		good &= close_output(&outputs[i], good);
	return good;
}

static enum qpu_status
assemble(const struct asm_options *options, const char *source)
{
	struct qpu_program *program = options->program;
	const unsigned rules = (options->check ? QPU_HAZARDS : 0) |
			       (options->starter == FOR_DRM ? QPU_DRM : 0);
	enum qpu_status status = program ? QPU_OK : QPU_NO_MEMORY;

	for (size_t i = 0; i < options->includes.n && status == QPU_OK; i++)
		status =
			qpu_program_include(program, options->includes.rows[i]);
	for (size_t i = 0; i < options->preloads.n && status == QPU_OK; i++)
		status =
			qpu_program_preload(program, options->preloads.rows[i]);
	if (status == QPU_OK)
		status = qpu_program_assemble_file(program, source);
	if (status == QPU_OK && options->level)
		status = qpu_program_optimise(program, options->level,
					      options->seconds);
	if (status == QPU_OK && rules)
		status = qpu_program_validate(program, rules);
	return status;
}

int
main(int argc, char **argv)
{
	static const struct arguments arguments = {
		.options = option_rows,
		.operands = "FILE",
		.doc = "Assemble FILE for the QPUs of VideoCore IV, and check "
		       "the program for hazards.  Without an output option "
		       "nothing is written.  FILE - is standard input; as an "
		       "output, - is standard output.",
		.least = 1,
		.too_few = "no source given",
		.most = 1,
		.too_many = "only one source can be given",
	};
	struct asm_options options = { .check = true,
				       .program = qpu_program_new() };
	const char *source = *arguments_parse(&arguments, argc, argv, &options);
	const enum qpu_status status = assemble(&options, source);
	bool good = hazard_report("qpuasm", options.program, status, source);

	good = good && write_all(&options);
	qpu_program_free(options.program);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
