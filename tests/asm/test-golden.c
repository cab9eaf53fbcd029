/* SPDX-License-Identifier: MIT */
/*
 * Promise: each source gives the words, or the messages, that stand in the
 * golden files beside this one.
 *
 * The input of a case is a source; the messages or words of a line stand behind
 * it, each after " -> ".  Its sections are
 *
 *	messages	LINE:COLUMN: SEVERITY: TEXT [NUMBER], as they come
 *	words		LINE: WORD INSTRUCTION: the line that a word comes
 *			from, its 64 bits, and their text if they are no data;
 *			equal words of one line are counted
 *	@options	lines: errors N, include DIRECTORY, preload FILE,
 *			name PATH (of the source, else "t")
 *	@PATH		a file of this name
 *
 * A file other than the source is named before the line.  Words, or messages,
 * stand in their section if they do not come in the order of the lines, as those
 * of a macro.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

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

/* What a line gives: ":COLUMN: ..." or ": ..." after its place. */
struct result {
	char place[300], text[600];
	size_t line; /* 0 for a line of another file */
};

struct results {
	const char *section;
	struct result *rows;
	size_t n;
	bool listed;
};

static struct result *
add_result(struct results *results, const struct setting *setting,
	   const char *file, size_t line)
{
	const bool own = strcmp(file, setting->name) == 0;
	struct result *row;

	results->rows = realloc(results->rows,
				(results->n + 1) * sizeof(*results->rows));
	if (!results->rows)
		exit(99);
	row = &results->rows[results->n++];
	/* The line, and the file if it is another. */
	snprintf(row->place, sizeof(row->place), "%s%s%zu", own ? "" : file,
		 own ? "" : ":", line);
	row->line = own ? line : 0;
	return row;
}

static size_t
add_messages(struct results *results, const struct setting *setting,
	     const struct qpu_asm_program *program)
{
	static const char *const severities[] = {
		[QPU_SEVERITY_ERROR] = "error",
		[QPU_SEVERITY_WARNING] = "warning",
		[QPU_SEVERITY_NOTE] = "note",
	};
	size_t nerrors = 0;

	for (size_t i = 0; i < program->nmessages; i++) {
		const struct qpu_message *from = &program->messages[i];
		struct result *row =
			add_result(results, setting, from->file, from->line);
		char column[16] = "", number[16] = "";

		if (from->column)
			snprintf(column, sizeof(column), ":%u", from->column);
		if (*from->rule)
			snprintf(number, sizeof(number), " [%s]", from->rule);
		snprintf(row->text, sizeof(row->text), "%s: %s: %s%s", column,
			 severities[from->severity], from->text, number);
		nerrors += from->severity == QPU_SEVERITY_ERROR;
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
add_words(struct results *results, const struct setting *setting,
	  const struct qpu_asm_program *program)
{
	size_t n;

	for (size_t i = 0; i < program->nwords; i += n) {
		const struct qpu_asm_word *word = &program->words[i];
		struct result *row =
			add_result(results, setting, word->file, word->line);
		char times[32] = "", text[QPU_DISASM_SIZE] = "";
		struct qpu_inst inst;

		for (n = 1; i + n < program->nwords; n++)
			if (!same_word(word, &program->words[i + n]))
				break;
		if (word->is_inst && qpu_unpack(word->word, &inst))
			qpu_disasm(&inst, NULL, text);
		if (n > 1)
			snprintf(times, sizeof(times), " (%zu times)", n);
		snprintf(row->text, sizeof(row->text), ": %016" PRIx64 "%s%s%s",
			 word->word, *text ? " " : "", text, times);
	}
}

/* All of them from lines of the source, in their order. */
static bool
can_be_listed(const struct results *results)
{
	size_t last = 1;

	for (size_t i = 0; i < results->n; i++) {
		if (results->rows[i].line < last)
			return false;
		last = results->rows[i].line;
	}
	return true;
}

static void
list_line(const struct results *results, size_t line, struct golden_output *out)
{
	for (size_t i = 0; i < results->n && results->listed; i++)
		if (results->rows[i].line == line)
			golden_printf(out, "", " -> %s",
				      results->rows[i].text +
					      strspn(results->rows[i].text,
						     ": "));
}

static void
print_listing(const char *source, const struct results *messages,
	      const struct results *words, struct golden_output *out)
{
	size_t number = 1;

	for (const char *line = source, *end; *line; line = end + 1, number++) {
		end = line + strcspn(line, "\n");
		golden_write(out, "", line, end - line);
		list_line(messages, number, out);
		list_line(words, number, out);
		golden_write(out, "", "\n", 1);
		if (!*end)
			break;
	}
}

static void
print_results(const struct results *results, struct golden_output *out)
{
	for (size_t i = 0; i < results->n && !results->listed; i++)
		golden_printf(out, results->section, "%s%s\n",
			      results->rows[i].place, results->rows[i].text);
}

/* The source: what stands in the listing before the results. */
static char *
source_of(const struct golden_case *c)
{
	char *source = strdup(c->input.text), *to = source;

	for (const char *from = source; *from; from++) {
		if (strncmp(from, " -> ", 4) == 0)
			from += strcspn(from, "\n");
		*to++ = *from;
	}
	*to = '\0';
	return source;
}

static void
assemble(const struct golden_case *c, struct golden_output *out)
{
	struct results messages = { .section = "messages" };
	struct results words = { .section = "words" };
	struct setting setting;
	struct qpu_asm_program program;
	char *source = source_of(c);

	read_options(golden_section(c, "@options"), &setting);
	write_files(c);
	const bool good = qpu_asm_text(setting.name, source, strlen(source),
				       &setting.options, &program);
	const size_t shown = add_messages(&messages, &setting, &program);
	add_words(&words, &setting, &program);
	messages.listed = can_be_listed(&messages);
	words.listed = can_be_listed(&words);
	print_listing(source, &messages, &words, out);
	print_results(&messages, out);
	print_results(&words, out);
	if (good == (program.nerrors > 0) || good != (program.words != NULL) ||
	    shown > program.nerrors)
		golden_printf(out, "messages", "%zu errors, %s words\n",
			      program.nerrors, program.words ? "and" : "no");
	if (shown < program.nerrors)
		golden_printf(out, "messages", "%zu more errors\n",
			      program.nerrors - shown);
	qpu_asm_free(&program);
	free(messages.rows);
	free(words.rows);
	free(source);
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
