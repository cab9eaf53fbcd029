/* SPDX-License-Identifier: MIT */
/*
 * option: the table of a program's options, or of the words after the colon
 * of --device.  A row has an option's name, its valid values, the field that
 * stores it, and its text in --help:
 *
 *	{ .name = "format",
 *	  .kind = OPTION_WORD,
 *	  OPTION_FIELD(struct asm_options, format),
 *	  .words = formats,
 *	  .argument = "bin|hex",
 *	  .doc = "format of the program: bin (default) or hex" }
 *
 * The tools give such a table to arguments_parse (src/tools/arguments.h), which
 * runs argp; devices give it to option_parse_words; the program's own options
 * are in src/options.c.
 */
#ifndef SRC_BASE_OPTION_H
#define SRC_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

/* The type of an option's field, and the value that it gets. */
enum option_kind {
	OPTION_FLAG,	 /* bool: true.  No value. */
	OPTION_CLEAR,	 /* bool: false.  No value. */
	OPTION_CONSTANT, /* unsigned or enum: .constant.  No value. */
	OPTION_UNSIGNED, /* unsigned: a decimal number from .min to .max */
	OPTION_NUMBER,	 /* uint64_t: the same; 0x begins a hexadecimal one */
	OPTION_TEXT,  /* const char *: the value, one of .words if it has any */
	OPTION_TEXTS, /* struct option_texts: one value more */
	OPTION_WORD,  /* unsigned or enum: which of .words the value is */
	OPTION_PARSED /* any type: what .parse makes of the value */
};

enum { OPTION_TEXTS_MAX = 32 };

/* The values of an option that may be repeated, in order. */
struct option_texts {
	const char *rows[OPTION_TEXTS_MAX];
	size_t n;
};

/* Set the field.  value is NULL for an option that takes none.  Return false and
 * the reason if the value is not valid. */
typedef bool
option_parser(void *field, const char *value, struct diag *why);

struct completion;

struct option_row {
	const char *name; /* without "--"; NULL ends a table */
	char letter;	  /* of the short option, or 0 */
	enum option_kind kind;
	size_t field;	   /* its offset: OPTION_FIELD below */
	uint64_t min, max; /* of a number; with max 0 the largest that fits */
	unsigned constant; /* OPTION_CONSTANT */
	option_parser *parse;
	/* The valid values, which end with NULL, or NULL without a list; with
	 * .parse the values that shells offer.  They may be members of rows of a
	 * table of stride bytes: .words = &profile_rows[0].name, .stride =
	 * sizeof(*profile_rows). */
	const char *const *words;
	size_t stride;
	const char
		*argument; /* the value's name in --help, NULL if it has none */
	const char *alone; /* the value of the bare name, or NULL */
	const char *doc;   /* for --help; NULL hides the option */
	/* Offer values to a shell (completion.h) for the word after `len` bytes;
	 * NULL if .words are enough. */
	void (*offer)(const struct completion *, size_t len);
	/* Return true if the field of OPTION_PARSED has another value than
	 * without the option.  Needed by options that conflict with others. */
	bool (*is_given)(const void *field);
};

#define OPTION_FIELD(type, member) .field = offsetof(type, member)

/* Find the row with a name of len bytes.  Return NULL if there is none. */
const struct option_row *
option_find(const struct option_row *table, const char *name, size_t len);

/* Return the word of that index, or NULL after the last one. */
const char *
option_word(const struct option_row *option, size_t index);

/* Set the option's field in the struct that `fields` points to.  value is NULL
 * if the option takes none.  Return false and the reason if it is not valid. */
bool
option_set(const struct option_row *option, void *fields, const char *value,
	   struct diag *why);

/* Return true if the option's field has what the option sets. */
bool
option_is_given(const struct option_row *option, const void *fields);

/* Set the fields that a text like "qpus=5,timed" names.  Return false and the
 * reason for the first word that is not valid: "'x' is none of ...", with all
 * rows' names and arguments, or the reason of .parse.  The text of a value is gone
 * afterwards, so OPTION_TEXT is not for words. */
bool
option_parse_words(const struct option_row *table, void *fields,
		   const char *text, struct diag *why);

/* Set the reason for a word of len bytes that is not valid: "'WORD' is none of
 * NAME, NAME=ARGUMENT and NAME". */
void
option_refuse_word(const struct option_row *table, const char *word, size_t len,
		   struct diag *why);

#endif
