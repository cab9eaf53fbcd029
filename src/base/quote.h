/* SPDX-License-Identifier: MIT */
/*
 * quote: names as GNU's diagnostics show them.
 *
 * The text is overwritten and owns the result, which is good until the text
 * changes; short of memory the result is the name itself, unquoted.  What is
 * printable depends on the thread's locale, if it has one of its own
 * (uselocale(3)), and otherwise on the user's.
 */
#ifndef SRC_BASE_QUOTE_H
#define SRC_BASE_QUOTE_H

#include <locale.h>
#include <stdbool.h>

#include "src/base/text.h"

/*
 * As a shell would read it back, quotes only where needed: a file that cannot
 * be read and, in check mode, a file with its verdict, and a list ('standard
 * input', too, for its blank).  no such -> 'no such', it's -> "it's", the
 * newline -> ''$'\n'.
 */
const char *
quote_name(struct text *text, const char *name);

/*
 * The same with quotes in any case, as GNU has it inside a sentence:
 * extra operand 'x', cannot open 'x' for reading.
 */
const char *
quote_name_always(struct text *text, const char *name);

/* Add the name to a text as quote_name shows it.  False: memory is short, and
 * the text is unchanged. */
bool
quote_add(struct text *text, const char *name);

/*
 * The locale that the environment names (LC_ALL, LC_CTYPE, LC_MESSAGES, LANG): its
 * characters and messages; a category that cannot be loaded is that of "C".
 *
 * A run in which all goes well needs none, and to load one takes as long as to
 * hash a file of some 100 KiB.  So the process stays in the locale "C", and
 * this one is loaded when it is first asked for.  Any thread may ask.
 */
locale_t
user_locale(void);

#endif
