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
 * A source in which a line stands within a number of blocks; one block more is
 * an error with this column and text.
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
	{ "an operator", "", ".int -1", 62, 7,
	  "expression is nested too deeply" },
	{ "a function of a number", "", ".int abs 1", 62, 10,
	  "expression is nested too deeply" },
	/* The expression of the function is one level further in. */
	{ "a call", ".set f(x) 1\n", ".int f(1)", 61, 11,
	  "expression is nested too deeply" },
	{ "a call without an expression", ".func f()\n.byte 1\n1\n.endf\n",
	  ".byte f()", 61, 7, "expression is nested too deeply" },
};

/* The program's only error, or null. */
static const struct qpu_message *
only_error(const struct qpu_asm_program *program)
{
	const struct qpu_message *found = NULL;

	for (size_t i = 0; i < program->nmessages; i++)
		if (program->messages[i].severity == QPU_SEVERITY_ERROR)
			found = &program->messages[i];
	return program->nerrors == 1 ? found : NULL;
}

static void
note_messages(const struct qpu_asm_program *program)
{
	for (size_t i = 0; i < program->nmessages; i++)
		tap_note("%u:%u: %s [%s]", program->messages[i].line,
			 program->messages[i].column, program->messages[i].text,
			 program->messages[i].rule);
}

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	return qpu_asm_text("t", text, strlen(text), NULL, program);
}

/* Return true if it is refused with this error alone, number 124. */
static bool
is_refused(const char *text, unsigned column, const char *message)
{
	struct qpu_asm_program program;
	const bool good = assemble(text, &program);
	const struct qpu_message *diag = only_error(&program);
	const bool same = !good && diag && strcmp(diag->rule, "E124") == 0 &&
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

/* The line within a number of blocks, and other lines after it. */
static void
nest(size_t row, unsigned blocks, const char *after, char text[SIZE])
{
	strcpy(text, nested[row].before);
	/* .local has no expression, which would need a level. */
	for (unsigned i = 0; i < blocks; i++)
		strcat(text, ".local\n");
	strcat(text, nested[row].line);
	strcat(text, "\n");
	for (unsigned i = 0; i < blocks; i++)
		strcat(text, ".endloc\n");
	strcat(text, after);
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
	   "%s within one more is refused, and nothing more is run",
	   nested[row].what);
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
	   "one repetition more is refused, and what follows it is not run");
	ok(is_taken(".rep i, 1048573\n.endr\n.set x, 1"),
	   "the last of all lines and repetitions may be a line");
	ok(is_refused(".rep i, 1048574\n.endr\n.set x, 1", 0, message),
	   "a line can be the one too many");
	ok(is_refused(".rep i, 1048576\n.endr\n", 0, message),
	   ".rep takes a count of 2^20, which is too many to run");
	assemble(".set y, 1\n.rep i, 1000000\n.set x, 1\n.endr", &program);
	ok(program.nmessages == 1 && program.messages[0].line == 3,
	   "the message names the line that is one too many");
	qpu_asm_free(&program);
	assemble(".rep i, 1000000\n.set x, 1\n.endr", &program);
	ok(program.nmessages == 1 && program.messages[0].line == 1,
	   "the message names the .rep whose repetition is one too many");
	qpu_asm_free(&program);
	assemble(".macro m\n.rep i, 1048576\n.endr\n.endm\nm\nm", &program);
	ok(program.nmessages == 2 && program.nerrors == 1 &&
		   program.messages[1].severity == QPU_SEVERITY_NOTE &&
		   program.messages[1].line == 5,
	   "in a macro the message is followed by its call, and by no other one");
	qpu_asm_free(&program);
}

/* Sources that place a byte or a word. */
static const char *const places[] = {
	"nop",
	".byte 1, 2, 3",
	".quad 1",
	".bit 1, 1",
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
	ok(is_taken(text), "'%s' fits after 131070 words", places[row]);
	snprintf(text, sizeof(text), ":x nop\n.clone :x, 131071\n%s\nfrob",
		 places[row]);
	ok(is_refused(text, 0, "the program is too long"),
	   "'%s' does not fit after 131072 words", places[row]);
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
	   "one copied word more is refused");
	ok(is_refused(":x nop\n.clone :x, 0x7fffffffffffffff", 0,
		      "the program is too long"),
	   "2^63 copied words less one are refused");
	ok(is_refused("brr -, :y\nnop\nnop\nnop\n:x nop\n"
		      ".clone :x, 131072\n:y nop",
		      0, "the program is too long"),
	   "a label after the limit is not said to be undefined");
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
	return tap_done();
}
