/* SPDX-License-Identifier: MIT */
/*
 * gdb_words: commands of gdb, put into ours.
 *
 * A count and a form stand behind the operand here: x/4f ADDR is memory ADDR 4
 * float, and p/f r3 is print r3 float.
 */
#ifndef QPU_DEBUGGER_GDB_WORDS_H
#define QPU_DEBUGGER_GDB_WORDS_H

#include <stdbool.h>

#include "src/base/diag.h"

enum { GDB_LINE = 256 };

/*
 * The name of the command that a line begins with, and what follows it: both as
 * they were, or ours for gdb's; `line` is room for the latter.  False for a word of
 * gdb that has no equal: `why` then says what to use instead.
 */
bool
gdb_translate(char *word, const char **name, char **rest, char line[GDB_LINE],
	      struct diag *why);

#endif
