/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/option.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

const struct option_row *
option_find(const struct option_row *table, const char *name, size_t len)
{
	for (const struct option_row *row = table; row->name; row++)
		if (strlen(row->name) == len &&
		    memcmp(row->name, name, len) == 0)
			return row;
	return NULL;
}

const char *
option_word(const struct option_row *option, size_t index)
{
	const size_t stride = option->stride ? option->stride :
					       sizeof(*option->words);

	return *(const char *const *)((const char *)option->words +
				      index * stride);
}

/* Values ------------------------------------------------------------------ */

/* Parse a number from option->min to `most`. */
static bool
parse_number(const char *value, const struct option_row *option, uint64_t most,
	     uint64_t *number)
{
	const bool hexadecimal = option->kind == OPTION_NUMBER &&
				 strncmp(value, "0x", 2) == 0;
	char *end;

	/* strtoull would skip blanks and accept a sign. */
	if (!isdigit((unsigned char)*value))
		return false;
	errno = 0;
	*number = strtoull(value, &end, hexadecimal ? 16 : 10);
	return !*end && errno == 0 && *number >= option->min && *number <= most;
}

static bool
set_number(const struct option_row *option, void *field, const char *value,
	   struct diag *why)
{
	const bool is_long = option->kind == OPTION_NUMBER;
	const uint64_t most = option->max ? option->max :
			      is_long	  ? UINT64_MAX :
					    UINT_MAX;
	uint64_t number;

	if (!parse_number(value, option, most, &number)) {
		if (option->max)
			diag_set(why,
				 "'%s' is not a number between %llu and %llu",
				 value, (unsigned long long)option->min,
				 (unsigned long long)option->max);
		else
			diag_set(why, "'%s' is not a number", value);
		return false;
	}
	if (is_long)
		*(uint64_t *)field = number;
	else
		*(unsigned *)field = (unsigned)number;
	return true;
}

/* Write "WORD, WORD or WORD", truncated to the size. */
static void
describe_words(const struct option_row *option, char *text, size_t size)
{
	const char *word, *next;
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; (word = option_word(option, i)) != NULL; i++) {
		next = option_word(option, i + 1);
		len += (size_t)snprintf(text + len, size - len, "%s%s",
					i == 0 ? "" :
					next   ? ", " :
						 " or ",
					word);
		if (len >= size)
			return;
	}
}

/* Find the index of the word that equals the value. */
static bool
find_word(const struct option_row *option, const char *value, unsigned *index,
	  struct diag *why)
{
	const char *word;
	char words[256];

	for (*index = 0; (word = option_word(option, *index)) != NULL; ++*index)
		if (strcmp(word, value) == 0)
			return true;
	describe_words(option, words, sizeof(words));
	diag_set(why, "--%s is %s, not '%s'", option->name, words, value);
	return false;
}

static bool
add_text(struct option_texts *texts, const char *value, struct diag *why)
{
	if (texts->n == OPTION_TEXTS_MAX) {
		diag_set(why, "more than %d times the same option",
			 OPTION_TEXTS_MAX);
		return false;
	}
	texts->rows[texts->n++] = value;
	return true;
}

bool
option_set(const struct option_row *option, void *fields, const char *value,
	   struct diag *why)
{
	void *const field = (char *)fields + option->field;
	unsigned index;

	value = value ? value : option->alone;
	switch (option->kind) {
	case OPTION_FLAG: *(bool *)field = true; return true;
	case OPTION_CLEAR: *(bool *)field = false; return true;
	case OPTION_CONSTANT:
		*(unsigned *)field = option->constant;
		return true;
	case OPTION_UNSIGNED:
	case OPTION_NUMBER: return set_number(option, field, value, why);
	case OPTION_TEXT:
		*(const char **)field = value;
		return !option->words || find_word(option, value, &index, why);
	case OPTION_TEXTS: return add_text(field, value, why);
	case OPTION_WORD:
		if (!find_word(option, value, &index, why))
			return false;
		*(unsigned *)field = index;
		return true;
	case OPTION_PARSED: return option->parse(field, value, why);
	}
	return false;
}

bool
option_is_given(const struct option_row *option, const void *fields)
{
	const void *const field = (const char *)fields + option->field;

	switch (option->kind) {
	case OPTION_FLAG: return *(const bool *)field;
	case OPTION_CLEAR: return !*(const bool *)field;
	case OPTION_CONSTANT:
		return *(const unsigned *)field == option->constant;
	case OPTION_TEXT: return *(const char *const *)field;
	case OPTION_TEXTS: return ((const struct option_texts *)field)->n > 0;
	default: return option->is_given && option->is_given(field);
	}
}

/* Lists of words ---------------------------------------------------------- */

/* Set a field from "name", or "name=value" if the option has an argument.  On failure
 * set the reason only if .parse has one: option_refuse_word says more than the other
 * kinds do. */
static bool
set_from_word(const struct option_row *table, void *fields, const char *at,
	      size_t len, struct diag *why)
{
	const size_t name_len = strcspn(at, "=,");
	const struct option_row *option = option_find(table, at, name_len);
	char word[256];

	if (!option || len >= sizeof(word) ||
	    (name_len < len) != (option->argument != NULL))
		return false;
	memcpy(word, at, len);
	word[len] = '\0';
	return option_set(option, fields,
			  option->argument ? word + name_len + 1 : NULL,
			  option->kind == OPTION_PARSED ? why : NULL);
}

void
option_refuse_word(const struct option_row *table, const char *at, size_t len,
		   struct diag *why)
{
	struct text text = { 0 };
	bool complete = true;

	for (const struct option_row *row = table; row->name; row++)
		complete = complete &&
			   (row == table ||
			    text_add_string(&text,
					    row[1].name ? ", " : " and ")) &&
			   text_add_string(&text, row->name) &&
			   (!row->argument ||
			    (text_add_string(&text, "=") &&
			     text_add_string(&text, row->argument)));
	diag_set(why, "'%.*s' is none of %s", (int)len, at,
		 complete ? text.bytes : "them");
	text_free(&text);
}

bool
option_parse_words(const struct option_row *table, void *fields,
		   const char *text, struct diag *why)
{
	while (*text) {
		const size_t len = strcspn(text, ",");

		struct diag own = { .text = "" };

		if (!set_from_word(table, fields, text, len, &own)) {
			if (own.text[0] && why)
				*why = own;
			else
				option_refuse_word(table, text, len, why);
			return false;
		}
		text += len;
		if (*text == ',')
			text++;
	}
	return true;
}
