/* SPDX-License-Identifier: MIT */
/*
 * Promise: what is nested, repeated or placed too often is refused with one
 * error, and just below each limit all is well.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <stdlib.h>

#include "tests/support/tap.h"

enum { SIZE = 1 << 16 };

/*
 * A source in which a line stands within so many blocks, the line of the first
 * error and its column, and what it says.
 */
static const struct {
	const char *what;
	const char *before; /* the first block */
	const char *line;
	unsigned most; /* blocks around it */
	unsigned column;
	const char *message;
} nested[] = {
	{ "a block", "", ".local\n.endloc", 63, 0,
	  "blocks are nested too deeply" },
	{ "a choice", "", ".ifset x\n.else\n.endif", 63, 0,
	  "blocks are nested too deeply" },
	{ "a macro", ".macro m\n.endm\n", "m", 63, 1,
	  "calls are nested too deeply" },
	{ "a file", "", ".include \"/dev/null\"", 63, 10,
	  "files include each other without end" },
	{ "an expression", "", ".int 1", 63, 6,
	  "expression is nested too deeply" },
	{ "a parenthesis", "", ".int (1)", 62, 7,
	  "expression is nested too deeply" },
	{ "an operator", "", ".int -1", 62, 6,
	  "expression is nested too deeply" },
	{ "a function of a number", "", ".int abs 1", 62, 6,
	  "expression is nested too deeply" },
	/* The expression of the function is one level further in. */
	{ "a call", ".set f(x) 1\n", ".int f(1)", 61, 11,
	  "expression is nested too deeply" },
	{ "a call without an expression", ".func f()\n.byte 1\n1\n.endf\n",
	  ".byte f()", 61, 7, "expression is nested too deeply" },
};

/* The program's only error, or null. */
static const struct diag *
only_error(const struct qpu_asm_program *program)
{
	const struct diag *found = NULL;

	for (size_t i = 0; i < program->nmessages; i++)
		if (program->messages[i].severity == ASM_ERROR)
			found = &program->messages[i].diag;
	return program->nerrors == 1 ? found : NULL;
}

static void
note_messages(const struct qpu_asm_program *program)
{
	for (size_t i = 0; i < program->nmessages; i++)
		tap_note("%u:%u: %s [%u]", program->messages[i].diag.line,
			 program->messages[i].diag.column,
			 program->messages[i].diag.text,
			 program->messages[i].diag.rule);
}

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	return qpu_asm_text("t", text, strlen(text), NULL, program);
}

/* Is it refused with this error alone, number 124? */
static bool
is_refused(const char *text, unsigned column, const char *message)
{
	struct qpu_asm_program program;
	const bool good = assemble(text, &program);
	const struct diag *diag = only_error(&program);
	const bool same = !good && diag && diag->rule == 124 &&
			  diag->column == column &&
			  strcmp(diag->text, message) == 0;

	if (!same)
		note_messages(&program);
	qpu_asm_free(&program);
	return same;
}

static bool
is_taken(const char *text)
{
	struct qpu_asm_program program;
	const bool good = assemble(text, &program) && !program.nerrors;

	if (!good)
		note_messages(&program);
	qpu_asm_free(&program);
	return good;
}

/* The line within so many blocks, and behind it one that is wrong. */
static void
nest(size_t row, unsigned blocks, const char *behind, char text[SIZE])
{
	strcpy(text, nested[row].before);
	/* .local has no expression, which would need a level. */
	for (unsigned i = 0; i < blocks; i++)
		strcat(text, ".local\n");
	strcat(text, nested[row].line);
	strcat(text, "\n");
	for (unsigned i = 0; i < blocks; i++)
		strcat(text, ".endloc\n");
	strcat(text, behind);
}

static void
check_nested(size_t row)
{
	static char text[SIZE];

	nest(row, nested[row].most, "", text);
	ok(is_taken(text), "%s within %u blocks is taken", nested[row].what,
	   nested[row].most);
	nest(row, nested[row].most + 1, "frob\n", text);
	ok(is_refused(text, nested[row].column, nested[row].message),
	   "within one more it is refused, and all is over");
}

/* Lines and repetitions are counted together. */
static void
check_lines(void)
{
	static const char *const message = "too many lines to run";
	struct qpu_asm_program program;

	/* One line and 1048574 repetitions. */
	ok(is_taken(".rep i, 1048574\n.endr"),
	   "1048575 lines and repetitions are run");
	ok(is_refused(".rep i, 1048575\n.endr\nfrob", 0, message),
	   "one more is not, nor is what follows");
	ok(is_taken(".rep i, 1048573\n.endr\n.set x, 1"),
	   "the last one may be a line");
	ok(is_refused(".rep i, 1048574\n.endr\n.set x, 1", 0, message),
	   "and a line can be the one too many");
	ok(is_refused(".rep i, 1048576\n.endr\n", 0, message),
	   "a repetition may be as long as there are lines");
	assemble(".set y, 1\n.rep i, 1000000\n.set x, 1\n.endr", &program);
	ok(program.nmessages == 1 && program.messages[0].diag.line == 3,
	   "where a line is too many it is named");
	qpu_asm_free(&program);
	assemble(".rep i, 1000000\n.set x, 1\n.endr", &program);
	ok(program.nmessages == 1 && program.messages[0].diag.line == 1,
	   "and where a repetition is, its .rep");
	qpu_asm_free(&program);
	assemble(".macro m\n.rep i, 1048576\n.endr\n.endm\nm\nm", &program);
	ok(program.nmessages == 2 && program.nerrors == 1 &&
		   program.messages[1].severity == ASM_NOTE &&
		   program.messages[1].diag.line == 5,
	   "within a macro, its call follows, and no other one");
	qpu_asm_free(&program);
}

/* What places a byte or a word. */
static const char *const places[] = {
	"nop",
	".byte 1, 2, 3",
	".short 1",
	".int 1, 2",
	".quad 1",
	".float 1",
	".half 1, 2",
	".bit 1, 1",
	".word 1",
	".double 1",
	".align 16, 8",
	".align 4, 2",
	".bit 1, 1, 1, 1, 1, 1, 1, 1, 1",
	".clone :x, 2",
	":y .int 1",
};

/* 131072 words are the most; .clone makes all but the last one or two. */
static void
check_words(size_t row)
{
	char text[256];

	snprintf(text, sizeof(text), ":x nop\n.clone :x, 131069\n%s",
		 places[row]);
	ok(is_taken(text), "'%s' fits behind 131070 words", places[row]);
	snprintf(text, sizeof(text), ":x nop\n.clone :x, 131071\n%s\nfrob",
		 places[row]);
	ok(is_refused(text, 0, "the program is too long"),
	   "behind 131072 it does not");
}

static void
check_clones(void)
{
	struct qpu_asm_program program;

	ok(assemble(":x nop\n.clone :x, 131071", &program) &&
		   program.nwords == 131072,
	   "131072 words are a program");
	qpu_asm_free(&program);
	ok(is_refused(":x nop\n.clone :x, 131072", 0,
		      "the program is too long"),
	   "no more are");
	ok(is_refused(":x nop\n.clone :x, 0x7fffffffffffffff", 0,
		      "the program is too long"),
	   "however many are asked for");
}

/* So many errors of thirty are shown. */
static void
check_errors(size_t limit, size_t shown)
{
	const struct qpu_asm_options options = { .error_limit = limit };
	struct qpu_asm_program program;
	char text[256] = "";

	for (unsigned i = 0; i < 30; i++)
		strcat(text, "frob\n");
	ok(!qpu_asm_text("t", text, strlen(text), limit ? &options : NULL,
			 &program) &&
		   program.nerrors == 30 && program.nmessages == shown,
	   "of thirty errors %zu are shown, and all counted", shown);
	qpu_asm_free(&program);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(nested) / sizeof(*nested); i++)
		check_nested(i);
	check_lines();
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		check_words(i);
	check_clones();
	check_errors(0, 20);
	check_errors(1, 1);
	check_errors(29, 29);
	check_errors(30, 30);
	return tap_done();
}
