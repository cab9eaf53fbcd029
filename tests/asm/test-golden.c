/* SPDX-License-Identifier: MIT */
/*
 * Promise: each source gives the words, or the messages, that stand in the
 * golden files beside this one.
 *
 * The input of a case is a source.  Its sections are
 *
 *	messages	LINE:COLUMN: SEVERITY: TEXT [NUMBER], as they come
 *	words		LINE: WORD INSTRUCTION: the line that a word comes
 *			from, its 64 bits, and their text if they are no data;
 *			equal words of one line are counted
 *	@options	lines: errors N, include DIRECTORY, preload FILE,
 *			name PATH (of the source, else "t")
 *	@PATH		a file of this name
 *
 * A file other than the source is named before the line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { MOST = 4, ALL_ERRORS = 1000 };

struct setting {
	char text[512]; /* the options, cut into lines */
	const char *name;
	const char *includes[MOST], *preloads[MOST];
	struct qpu_asm_options options;
};

static void
set_option(struct setting *setting, char *line)
{
	struct qpu_asm_options *options = &setting->options;
	char *value = strchr(line, ' ');

	if (!value || options->ninclude_dirs == MOST ||
	    options->npreloads == MOST) {
		printf("Bail out! %s: no such option\n", line);
		exit(99);
	}
	*value++ = '\0';
	if (strcmp(line, "errors") == 0)
		options->error_limit = strtoul(value, NULL, 10);
	else if (strcmp(line, "include") == 0)
		setting->includes[options->ninclude_dirs++] = value;
	else if (strcmp(line, "preload") == 0)
		setting->preloads[options->npreloads++] = value;
	else
		setting->name = value;
}

static void
read_options(const char *text, struct setting *setting)
{
	char *rest = setting->text;

	*setting = (struct setting){
		.name = "t",
		.options = { .error_limit = ALL_ERRORS },
	};
	setting->options.include_dirs = setting->includes;
	setting->options.preloads = setting->preloads;
	snprintf(setting->text, sizeof(setting->text), "%s", text ? text : "");
	for (char *line; (line = strsep(&rest, "\n")) && *line;)
		set_option(setting, line);
}

static void
write_files(const struct golden_case *c)
{
	for (unsigned i = 0; i < c->n_sections; i++) {
		const struct golden_section *s = &c->sections[i];

		if (*s->name == '@' && strcmp(s->name, "@options") != 0)
			scratch_file(s->name + 1, s->text, s->len);
	}
}

/* The place of a message or word: the line, and the file if it is another. */
static void
print_place(char text[300], const struct setting *setting, const char *file,
	    size_t line)
{
	const bool own = strcmp(file, setting->name) == 0;

	snprintf(text, 300, "%s%s%zu", own ? "" : file, own ? "" : ":", line);
}

static size_t
print_messages(const struct setting *setting,
	       const struct qpu_asm_program *program, struct golden_output *out)
{
	static const char *const severities[] = {
		[ASM_ERROR] = "error",
		[ASM_WARNING] = "warning",
		[ASM_NOTE] = "note",
	};
	size_t nerrors = 0;

	for (size_t i = 0; i < program->ndiagnostics; i++) {
		const struct asm_diagnostic *row = &program->diagnostics[i];
		const struct diag *diag = &row->diag;
		char place[300], column[16] = "", number[16] = "";

		print_place(place, setting, diag->file, diag->line);
		if (diag->column)
			snprintf(column, sizeof(column), ":%u", diag->column);
		if (diag->rule)
			snprintf(number, sizeof(number), " [%c%u]",
				 row->severity == ASM_ERROR ? 'E' : 'W',
				 diag->rule);
		golden_printf(out, "messages", "%s%s: %s: %s%s\n", place,
			      column, severities[row->severity], diag->text,
			      number);
		nerrors += row->severity == ASM_ERROR;
	}
	return nerrors;
}

static bool
same_word(const struct qpu_asm_word *a, const struct qpu_asm_word *b)
{
	return a->word == b->word && a->is_inst == b->is_inst &&
	       a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void
print_words(const struct setting *setting,
	    const struct qpu_asm_program *program, struct golden_output *out)
{
	size_t n;

	for (size_t i = 0; i < program->nwords; i += n) {
		const struct qpu_asm_word *word = &program->words[i];
		char place[300], times[32] = "", text[QPU_DISASM_SIZE] = "";
		struct qpu_inst inst;

		for (n = 1; i + n < program->nwords; n++)
			if (!same_word(word, &program->words[i + n]))
				break;
		print_place(place, setting, word->file, word->line);
		if (word->is_inst && qpu_unpack(word->word, &inst))
			qpu_disasm(&inst, NULL, text);
		if (n > 1)
			snprintf(times, sizeof(times), " (%zu times)", n);
		golden_printf(out, "words", "%s: %016" PRIx64 "%s%s%s\n", place,
			      word->word, *text ? " " : "", text, times);
	}
}

static void
assemble(const struct golden_case *c, struct golden_output *out)
{
	struct setting setting;
	struct qpu_asm_program program;

	read_options(golden_section(c, "@options"), &setting);
	write_files(c);
	const bool good = qpu_asm_text(setting.name, c->input.text,
				       c->input.len, &setting.options,
				       &program);
	const size_t shown = print_messages(&setting, &program, out);
	print_words(&setting, &program, out);
	if (good == (program.nerrors > 0) || good != (program.words != NULL) ||
	    shown > program.nerrors)
		golden_printf(out, "messages", "%zu errors, %s words\n",
			      program.nerrors, program.words ? "and" : "no");
	if (shown < program.nerrors)
		golden_printf(out, "messages", "%zu more errors\n",
			      program.nerrors - shown);
	qpu_asm_free(&program);
	scratch_empty();
}

int
main(void)
{
	static const char *const files[] = {
		"directives", "encoding", "expressions",
		"files",      "refusals", "syntax",
	};
	const char *source = getenv("srcdir");
	char *top = realpath(source ? source : ".", NULL);

	if (!top || setenv("srcdir", top, 1) != 0)
		return 99;
	free(top);
	scratch_enter();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char path[64];

		snprintf(path, sizeof(path), "tests/asm/%s.golden", files[i]);
		golden_run(path, assemble);
	}
	return tap_done();
}
