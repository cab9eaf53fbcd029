/* SPDX-License-Identifier: MIT */
/*
 * gdb_words: commands of gdb that mean the same here (debugger.h).
 */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <stdio.h>
#include <string.h>

static bool
begins(const char *name, const char *part)
{
	return strncmp(name, part, strlen(part)) == 0;
}

/* Words of gdb, and commands that mean the same; the first row that begins with
 * what was typed is meant. */
static const struct {
	const char *word, *name;
} gdb_words[] = {
	{ "x", "memory" },
	{ "bt", "where" },
	{ "backtrace", "where" },
	{ "thread", "qpu" },
	{ "stepi", "step" },
	{ "nexti", "step" },
	{ "info registers", "registers" },
	{ "info breakpoints", "break" },
	{ "info threads", "where" },
	{ "finish", NULL },
};

/* Turn the format of "p/f" or "x/4x" into the words that follow the arguments. */
static bool
take_format(const char *format, char words[32])
{
	const size_t digits = strspn(format, "0123456789");
	const char *const form = strchr("xduf", format[digits]);
	int n = 0;

	if (digits > 9 || (format[digits] && (!form || format[digits + 1])))
		return false;
	if (digits)
		n = snprintf(words, 32, " %.*s", (int)digits, format);
	if (format[digits])
		snprintf(words + n, 32 - n, " %s",
			 *form == 'x' ? "hex" :
			 *form == 'f' ? "float" :
					"int");
	return true;
}

bool
debugger_from_gdb(const char *typed, char line[DEBUGGER_LINE])
{
	const char *rest = typed + strcspn(typed, " \t/");
	char name[32], words[32] = "";
	const char *found = NULL;

	if (begins(typed, "info "))
		rest = typed + 5 + strcspn(typed + 5, " \t");
	snprintf(name, sizeof(name), "%.*s", (int)(rest - typed), typed);
	if (*rest == '/') {
		char format[16];
		const size_t n = strcspn(++rest, " \t");

		snprintf(format, sizeof(format), "%.*s", (int)n, rest);
		if (!take_format(format, words))
			return false;
		rest += n;
		found = name;
	}
	for (size_t i = 0; i < sizeof(gdb_words) / sizeof(*gdb_words); i++) {
		const char *const word = gdb_words[i].word;
		/* Only "info reg" can be abbreviated. */
		const bool info = strncmp(word, "info ", 5) == 0;

		if (info ? strlen(name) > 5 && begins(word, name) :
			   strcmp(word, name) == 0) {
			found = gdb_words[i].name;
			if (!found)
				return false;
			break;
		}
	}
	snprintf(line, DEBUGGER_LINE, "%s%s%s", found ? found : name, rest,
		 words);
	return true;
}
