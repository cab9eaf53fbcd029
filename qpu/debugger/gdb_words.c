/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/gdb_words.h"

#include <stdio.h>
#include <string.h>

#include "qpu/debugger/show.h"

enum { TOO_MANY = 1 << 21 }; /* more than a command takes */

/* Our commands for gdb's words, and others that may help. */
static const struct {
	const char *theirs, *ours, *advice;
} words[] = {
	{ "backtrace", "where", NULL },
	{ "bt", "where", NULL },
	{ "finish", NULL,
	  "tbreak *ADDR stops where the subroutine returns to" },
	{ "info", NULL, "registers, break and where tell it" },
	{ "info breakpoints", "break", NULL },
	{ "info display", "display", NULL },
	{ "info registers", "registers", NULL },
	{ "info threads", "where", NULL },
	{ "nexti", "step", NULL },
	{ "ni", "step", NULL },
	{ "run", NULL, "the programs are started: continue goes on" },
	{ "si", "step", NULL },
	{ "stepi", "step", NULL },
	{ "thread", "qpu", NULL },
	{ "watch", NULL, "until A != B runs until A is no longer B" },
	{ "x", "memory", NULL },
};

/* Take a count and a letter from after the slash of a name, as in x/4f; a size of
 * four bytes is what all have. */
static bool
take_format(char *name, unsigned *count, char *letter, struct diag *why)
{
	static const char known[] = "xdufi";
	char *at = strchr(name, '/');

	if (!at)
		return true;
	*at++ = '\0';
	for (; *at >= '0' && *at <= '9'; at++)
		if (*count < TOO_MANY)
			*count = 10 * *count + (unsigned)(*at - '0');
	for (; *at && (*at == 'w' || (!*letter && strchr(known, *at))); at++)
		if (*at != 'w')
			*letter = *at;
	if (*at)
		diag_set(why, "'%s' is not a count and x, d, u, f or i", at);
	return !*at;
}

/* Put the count and the form behind the operand, where they are here. */
static void
move_format(const char **name, char **rest, unsigned count, char letter,
	    char line[GDB_LINE])
{
	const char *const form = letter == 'f'			? "float" :
				 letter == 'd' || letter == 'u' ? "int" :
								  "hex";

	if (strcmp(*name, "memory"))
		snprintf(line, GDB_LINE, "%s %s", *rest, form);
	else if (letter == 'i')
		snprintf(line, GDB_LINE, "%s %u", *rest, count ? count : 1);
	else
		snprintf(line, GDB_LINE, "%s %u %s", *rest, count ? count : 1,
			 form);
	if (letter == 'i')
		*name = "disassemble";
	*rest = line;
}

/* The row of a word; `info` has another one, which may be shortened. */
static int
find_row(const char *name, const char *what)
{
	for (int i = 0; i < (int)(sizeof(words) / sizeof(*words)); i++) {
		const char *theirs = words[i].theirs;

		if (*what ? strncmp(theirs, "info ", 5) == 0 &&
				    strncmp(theirs + 5, what, strlen(what)) ==
					    0 :
			    strcmp(theirs, name) == 0)
			return i;
	}
	return -1;
}

bool
gdb_translate(char *word, const char **name, char **rest, char line[GDB_LINE],
	      struct diag *why)
{
	const bool has_format = strchr(word, '/');
	const char *what = "";
	unsigned count = 0;
	char letter = '\0';
	int row;

	*name = word;
	if (!take_format(word, &count, &letter, why))
		return false;
	if (strcmp(word, "i") == 0 || strcmp(word, "info") == 0) {
		what = show_next_word(rest);
		*name = "info";
	}
	row = find_row(*name, what);
	if (row < 0 && *what)
		row = find_row("info", "");
	if (row >= 0 && words[row].advice) {
		diag_set(why, "no command '%s': %s", words[row].theirs,
			 words[row].advice);
		return false;
	}
	if (row >= 0)
		*name = words[row].ours;
	for (char *at = *rest; (at = strchr(at, '$'));)
		*at = ' '; /* before the name of a register */
	*rest += strspn(*rest, " \t");
	if (strcmp(*name, "registers") == 0 && **rest == 'r')
		*name = "print"; /* info registers of one */
	if (letter == 'i' && strcmp(*name, "memory")) {
		diag_set(why, "i is for x; each stop shows the instruction");
		return false;
	}
	if (has_format)
		move_format(name, rest, count, letter, line);
	return true;
}
