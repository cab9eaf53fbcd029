/* SPDX-License-Identifier: MIT */
/*
 * completion: words for the cursor of a shell, from a program's tables of options
 * (option.h): .words, names of files if .argument begins with FILE, and
 * directories if it begins with DIR.
 *
 * The scripts of src/completion/ run "PROGRAM --completion WORD..." with the
 * words of the command line up to the cursor; the last one is to be completed and
 * may be empty.  The answer is made from the program's tables of
 * options.  It has a line for each word that may stand there instead of the
 * last one, with a tab and a description where there is one; or one of
 *
 *	:file PREFIX		names of files, after the prefix
 *	:directory PREFIX	names of directories, after the prefix
 *	:words N		a command and its words, from word N on (from 0)
 */
#ifndef SRC_BASE_COMPLETION_H
#define SRC_BASE_COMPLETION_H

#include "src/base/option.h"

struct completion {
	const char *word; /* to be completed */
};

/* Offer the first `len` bytes of the word to be completed with this text after
 * them, if the word begins like that; doc is its description, or NULL. */
void
completion_offer(const struct completion *, size_t len, const char *text,
		 const char *doc);

/* Offer the words of a table, as option_parse_words takes them, for the list
 * that begins after `len` bytes of the word to be completed. */
void
completion_offer_words(const struct completion *, size_t len,
		       const struct option_row *table);

/* Return true if the command line is a request of a shell. */
bool
completion_is_asked(int argc, char **argv);

/* Print the answer, and return the exit status.  tables ends with NULL.  With
 * in_order the first operand is a command with its own words. */
int
completion_answer(const struct option_row *const *tables, bool in_order,
		  int argc, char **argv);

#endif
