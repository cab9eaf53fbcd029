/* SPDX-License-Identifier: MIT */
/*
 * golden: tests that are text files.
 *
 * A file of cases is
 *
 *	# A comment; it and empty lines between cases are kept.
 *	=== a division by zero is refused
 *	ldi r0, 1 / 0
 *	--- messages: 1:11: error: division by zero [E121]
 *	--- words
 *	=== the next case ...
 *
 * After `===` stands the promise, which names the test; the lines up to the
 * first `---` are the input; each `---` names a section and the lines after it
 * are what is expected there; a section of one line has it beside the name,
 * after a colon and a blank.  Names of sections belong to the driver; one that
 * begins with '@' is not compared: it is a further input (options, a second
 * file, the reason why a row is as it is).  A line of a text that begins with ===
 * or ---, or a comment at the end of one, is written with a backslash before it.
 *
 * The driver makes the output of one case:
 *
 *	static void
 *	assemble(const struct golden_case *c, struct golden_output *out)
 *	{
 *		golden_printf(out, "messages", "%u:%u: ...\n", ...);
 *	}
 *	int main(int argc, char **argv)
 *	{
 *		golden_run("tests/asm/messages.golden", assemble);
 *		return tap_done();
 *	}
 *
 * golden_run() is one TAP case a case of the file.  A section that the case has
 * and the driver does not write is expected to be empty; one that the driver
 * writes and the case lacks fails.  A driver that writes the section "" writes
 * the input again, with what comes of each line beside it: then the input is
 * what is expected.  With UPDATE_GOLDEN=1 in the environment the file is
 * rewritten with what came out, to be reviewed as a change of the tree.
 */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

enum { GOLDEN_SECTIONS = 16 };

struct golden_section {
	const char *name;
	const char *text; /* whole lines, each with its newline */
	size_t len;
};

struct golden_case {
	const char *file, *name;
	unsigned line;		     /* of the name */
	struct golden_section input; /* its name is "" */
	struct golden_section sections[GOLDEN_SECTIONS];
	unsigned n_sections;
};

/* The text of a section, or NULL. */
const char *
golden_section(const struct golden_case *c, const char *name);

struct golden_output;

/* Add to a section of the output.  An output that does not end in a newline
 * gets one. */
void
golden_write(struct golden_output *out, const char *section, const char *text,
	     size_t len);
__attribute__((format(printf, 3, 4))) void
golden_printf(struct golden_output *out, const char *section,
	      const char *format, ...);

/* Call the function with each line of a text that is not empty, in order; it may
 * change its copy of the line. */
void
golden_each_line(const char *text,
		 void (*fn)(char *line, struct golden_output *out),
		 struct golden_output *out);

/*
 * Run a session: each line of the input is a command, or several with " & "
 * between them, with its answers after " -> ".  Lines that begin with a blank
 * are answers.  "9x COMMAND" runs nine times, and only the last answer is
 * printed.
 */
void
golden_session(const struct golden_case *c, void (*command)(char *line));

/* A table of commands ends with a row without a name. */
struct golden_command {
	const char *name;	  /* a word */
	void (*run)(char *words); /* what follows it; may be "" */
};

/* Return false if the line's command is not in the table. */
bool
golden_command(const struct golden_command *row, char *line);

/*
 * Run a session for each of several rows: after `begin`, run the commands of
 * the section @script for each line of the input, which is printed with their
 * answers. $1, $2 ... are the parts of the line, separated by " / ".  Without
 * that section this is one session.
 */
void
golden_rows(const struct golden_case *c, void (*begin)(void),
	    void (*command)(char *line));

/* Of the session: an answer, after the arrow or after a comma; and plain text. */
__attribute__((format(printf, 1, 2))) void
golden_answer(const char *format, ...);
__attribute__((format(printf, 1, 2))) void
golden_tell(const char *format, ...);

/* Answers are not told. */
extern bool golden_is_quiet;

/* Return the text printed since the session began. */
const char *
golden_told(void);

/* End the session; its text is compared with the input. */
void
golden_session_end(struct golden_output *out);

typedef void
golden_driver(const struct golden_case *c, struct golden_output *out);

/* Run all cases of a file, whose path is relative to the top of the sources
 * ($srcdir, set by make check; the current directory without it).  FILTER in
 * the environment runs only the cases whose names contain it. */
void
golden_run(const char *path, golden_driver *driver);

#endif
