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
 * Quote a name as a shell reads it back, only if needed: no such -> 'no such',
 * it's -> "it's", the newline -> ''$'\n'.  GNU does this for a file that cannot
 * be read and, in check mode, for files and lists ('standard input' has a blank).
 */
const char *
quote_name(struct text *text, const char *name);

/*
 * Do the same with quotes in any case, as GNU does inside a sentence: extra
 * operand 'x', cannot open 'x' for reading.
 */
const char *
quote_name_always(struct text *text, const char *name);

/* Add the name to a text as quote_name shows it.  Return false and leave the text
 * alone if memory is short. */
bool
quote_add(struct text *text, const char *name);

/*
 * Return the locale of the environment (LC_ALL, LC_CTYPE, LC_MESSAGES, LANG) with
 * its characters and messages; a category that cannot be loaded is "C".
 *
 * A run without errors needs none, and loading one takes as long as hashing a
 * file of some 100 KiB.  So the process stays in the locale "C", and the first
 * call of any thread loads this one.
 */
locale_t
user_locale(void);

#endif
