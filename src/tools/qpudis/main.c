/* SPDX-License-Identifier: MIT */
/*
 * qpudis: disassembles programs for the QPUs of VideoCore IV.
 *
 * Assembling the output gives the same bits: each line is assembled before it
 * is written, and a word that its text does not reproduce becomes data with
 * the text in a comment.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"
#include "src/base/outfile.h"
#include "src/tools/arguments.h"
#include "src/tools/hazard_report.h"

enum { MAX_WORDS = 1 << 17 };

struct dis_options {
	bool check;
	uint64_t ignored; /* hazard_report_ignore */
};

struct program {
	uint64_t *words;
	struct qpu_inst *insts;
	bool *is_inst;
	bool *is_target;
	size_t n;
};

const char *argp_program_version = "qpudis (" PACKAGE ") " PACKAGE_VERSION;

static const struct option_row option_rows[] = {
	{ .name = "check",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct dis_options, check),
	  .doc = "check for hazards; exit with 1 when there is an error" },
	{ .name = "ignore",
	  .kind = OPTION_PARSED,
	  OPTION_FIELD(struct dis_options, ignored),
	  .parse = hazard_report_ignore,
	  .argument = "RULE,...",
	  .doc = "with --check, do not report these rules, such as R5,R12" },
	{ .name = NULL },
};

static bool
fail(const char *file, const char *what)
{
	fprintf(stderr, "qpudis: %s: %s\n", file, what);
	return false;
}

static bool
read_words(FILE *stream, const char *file, struct program *program)
{
	size_t capacity = 0;
	uint8_t bytes[8];
	size_t len;

	while ((len = fread(bytes, 1, sizeof(bytes), stream)) == 8) {
		if (program->n == MAX_WORDS)
			return fail(file, "the program is too long");
		if (program->n == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			uint64_t *larger = realloc(program->words,
						   capacity * sizeof(*larger));
			if (!larger)
				return fail(file, "out of memory");
			program->words = larger;
		}
		program->words[program->n++] = qpu_word_load(bytes);
	}
	if (ferror(stream))
		return fail(file, "cannot be read");
	if (len)
		return fail(file, "not a whole number of 8-byte words");
	return true;
}

/* The index of the word that a relative branch goes to, or n. */
static size_t
find_target(const struct program *program, size_t i)
{
	const struct qpu_inst *inst = &program->insts[i];
	const int64_t target = 8 * ((int64_t)i + 4) + (int32_t)inst->imm;

	/* Only branches are relative. */
	if (!program->is_inst[i] || !inst->rel || target < 0 || target % 8 ||
	    target / 8 >= (int64_t)program->n)
		return program->n;
	return target / 8;
}

static bool
decode(const char *file, struct program *program)
{
	const size_t n = program->n;

	program->insts = calloc(n + 1, sizeof(*program->insts));
	program->is_inst = calloc(n + 1, sizeof(*program->is_inst));
	program->is_target = calloc(n + 1, sizeof(*program->is_target));
	if (!program->insts || !program->is_inst || !program->is_target)
		return fail(file, "out of memory");
	for (size_t i = 0; i < n; i++)
		program->is_inst[i] =
			qpu_unpack(program->words[i], &program->insts[i]);
	for (size_t i = 0; i < n; i++)
		program->is_target[find_target(program, i)] = true;
	return true;
}

static bool
text_gives(const char *text, uint64_t word)
{
	struct qpu_asm_program line;
	const bool same = qpu_asm_text("", text, strlen(text), NULL, &line) &&
			  line.nwords == 1 && line.words[0].word == word;

	qpu_asm_free(&line);
	return same;
}

static void
print_word(const struct program *program, size_t i)
{
	const uint64_t word = program->words[i];
	const size_t target = find_target(program, i);
	char text[QPU_DISASM_SIZE] = "";
	char label[32];

	if (program->is_target[i])
		printf(":L%zx\n", 8 * i);
	if (program->is_inst[i])
		qpu_disasm(&program->insts[i], NULL, text);
	if (!program->is_inst[i] || !text_gives(text, word)) {
		printf("\t.int 0x%08x, 0x%08x%s%s\n", (uint32_t)word,
		       (uint32_t)(word >> 32), *text ? "\t# " : "", text);
		return;
	}
	if (target < program->n) {
		snprintf(label, sizeof(label), "r:L%zx", 8 * target);
		qpu_disasm(&program->insts[i], label, text);
	}
	printf("\t%s\n", text);
}

static bool
run(const char *file, const struct dis_options *options,
    struct program *program)
{
	FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");

	if (!stream) {
		fprintf(stderr, "qpudis: cannot read '%s': %m\n", file);
		return false;
	}
	bool good = read_words(stream, file, program);
	fclose(stream);
	if (!good || !decode(file, program))
		return false;
	for (size_t i = 0; i < program->n; i++)
		print_word(program, i);
	if (!outfile_flush(stdout))
		return fail("standard output", "cannot be written");
	return !options->check ||
	       hazard_report_words(file, program->insts, program->is_inst,
				   program->n, options->ignored);
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
	static struct program program; /* its memory is held to the end */
	struct dis_options options = { .check = false };
	const char *file = *arguments_parse(&arguments, argc, argv, &options);

	return run(file, &options, &program) ? EXIT_SUCCESS : EXIT_FAILURE;
}
