/* SPDX-License-Identifier: MIT */
/*
 * option: the table of a program's options, or of the words after the colon
 * of --device.  A row says what an option is called, what its value may be, in
 * which field it is stored, and what --help says of it:
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

/* The type of an option's field, and what becomes of it. */
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

/* Sets the field.  value is NULL for an option that takes none.  False, and
 * the reason, for a value that is not valid. */
typedef bool
option_parser(void *field, const char *value, struct diag *why);

struct completion;

struct option_row {
	const char *name; /* without "--"; NULL ends a table */
	char letter;	  /* of the short option, or 0 */
	enum option_kind kind;
	size_t field;	   /* its offset: OPTION_FIELD below */
	uint64_t min, max; /* of a number; max 0: the most that fits */
	unsigned constant; /* OPTION_CONSTANT */
	option_parser *parse;
	/* NULL, or the valid values, which end with NULL; for .parse how values
	 * may begin, as shells offer them.  They may also be
	 * members of rows of a table of stride bytes: .words =
	 * &profile_rows[0].name, .stride = sizeof(*profile_rows). */
	const char *const *words;
	size_t stride;
	const char *argument; /* the value's name in --help; NULL: no value */
	const char *alone;    /* NULL, or the value of the name without one */
	const char *doc;      /* for --help; NULL: not shown there */
	/* NULL, or what offers values to a shell (completion.h) for the word
	 * after `len` bytes, where .words are not enough. */
	void (*offer)(const struct completion *, size_t len);
	/* Return true if the field of OPTION_PARSED has another value than
	 * without the option.  NULL: no conflict names the option. */
	bool (*is_given)(const void *field);
};

#define OPTION_FIELD(type, member) .field = offsetof(type, member)

/* The row with a name of len bytes, or NULL. */
const struct option_row *
option_find(const struct option_row *table, const char *name, size_t len);

/* The word of that index, or NULL after the last one. */
const char *
option_word(const struct option_row *option, size_t index);

/* Set the option's field in the struct that `fields` points to.  value is NULL
 * where the option takes none.  False, and the reason: it is not valid. */
bool
option_set(const struct option_row *option, void *fields, const char *value,
	   struct diag *why);

/* Return true if the option's field has what the option sets. */
bool
option_is_given(const struct option_row *option, const void *fields);

/* Set the fields that a text like "qpus=5,timed" names.  False, and the
 * reason, for the first word that is not valid: "'x' is none of ...", with all
 * rows' names and arguments, or what .parse says of its value.  A value is gone after its option was set, so
 * OPTION_TEXT is not for words. */
bool
option_parse_words(const struct option_row *table, void *fields,
		   const char *text, struct diag *why);

/* The reason that it gives for a word of len bytes: "'WORD' is none of NAME,
 * NAME=ARGUMENT and NAME". */
void
option_refuse_word(const struct option_row *table, const char *word, size_t len,
		   struct diag *why);

#endif
