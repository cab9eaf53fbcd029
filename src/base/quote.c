/* SPDX-License-Identifier: MIT */
/*
 * Names as GNU's diagnostics show them, found by trying the program.
 *
 * A name is a row of characters: plain ones, single quotes, and those that
 * are shown as escapes.  Together they decide on the form:
 *
 *	plain_name	nothing in it means anything to a shell
 *	"it's"		single quotes and nothing special inside "..."
 *	'a b'$'\n'''	everything else
 */
#include "config.h"

#include "src/base/quote.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* The user's locale ----------------------------------------------------------- */

static locale_t loaded;

static void
load(void)
{
	static const int masks[] = { LC_CTYPE_MASK, LC_MESSAGES_MASK };

	/* The C library has "C" in itself: this does not fail. */
	loaded = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	for (int i = 0; i < 2; i++) {
		const locale_t more = newlocale(masks[i], "", loaded);

		loaded = more ? more : loaded;
	}
}

locale_t
user_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded;
}

/* Names ------------------------------------------------------------------------ */

/* Return the length of the next character, and whether the locale can print it. */
static size_t
next_character(const char *name, bool *printable)
{
	const unsigned char byte = (unsigned char)*name;

	if (MB_CUR_MAX == 1) {
		*printable = isprint(byte);
		return 1;
	}

	mbstate_t state = { 0 };
	wchar_t wide;
	const size_t len = mbrtowc(&wide, name, strlen(name), &state);
	if (len == (size_t)-1 || len == (size_t)-2) {
		*printable = false;
		return 1;
	}
	*printable = iswprint((wint_t)wide);
	return len;
}

struct traits {
	bool plain;	    /* needs no quotes at all */
	bool single_quote;  /* has one */
	bool double_quotes; /* may stand between "..." */
};

/* Take an ASCII character, the at'th of the name, into account. */
static void
note_character(struct traits *traits, const char *name, size_t at)
{
	const char c = name[at];

	if (c == '\'') {
		traits->single_quote = true;
		traits->plain = false;
	} else if (strchr(" :", c)) {
		traits->plain = false;
	} else if (strchr("#~", c)) {
		if (at == 0)
			traits->plain = false;
		else
			traits->double_quotes = false;
	} else if (strchr("{}", c)) {
		traits->double_quotes = false;
		if (!name[1])
			traits->plain = false;
	} else if (strchr("!\"$&()*;<=>?[\\^`|", c)) {
		traits->plain = false;
		traits->double_quotes = false;
	}
}

static struct traits
find_traits(const char *name)
{
	struct traits traits = { .plain = *name, .double_quotes = true };

	for (size_t at = 0, len; name[at]; at += len) {
		bool printable;

		len = next_character(name + at, &printable);
		if (!printable)
			traits.plain = traits.double_quotes = false;
		else if (len == 1)
			note_character(&traits, name, at);
	}
	return traits;
}

/* Add \n and the like, or three octal digits. */
static bool
add_escape(struct text *text, unsigned char byte)
{
	static const char letters[] = "abtnvfr"; /* 7 to 13 */
	char escape[4] = { '\\' };

	if (byte >= '\a' && byte <= '\r') {
		escape[1] = letters[byte - '\a'];
		return text_add(text, escape, 2);
	}
	escape[1] = (char)('0' + (byte >> 6));
	escape[2] = (char)('0' + (byte >> 3 & 7));
	escape[3] = (char)('0' + (byte & 7));
	return text_add(text, escape, 4);
}

/* Add the name between '...', with $'...' for the escapes and \' for single
 * quotes. */
static bool
add_single_quoted(struct text *text, const char *name)
{
	bool escaping = false; /* inside $'...', not inside '...' */
	bool good = text_add(text, "'", 1);

	while (good && *name) {
		bool printable;
		size_t len = next_character(name, &printable);

		if (!printable) {
			good = escaping || text_add(text, "'$'", 3);
			escaping = true;
			for (size_t i = 0; i < len; i++)
				good = good &&
				       add_escape(text, (unsigned char)name[i]);
		} else if (*name == '\'') {
			good = text_add(text, "'\\''", 4);
			escaping = false;
		} else {
			good = (!escaping || text_add(text, "''", 2)) &&
			       text_add(text, name, len);
			escaping = false;
		}
		name += len;
	}
	return good && text_add(text, "'", 1);
}

/* Most names have only these characters, which are plain wherever they are. */
static bool
is_quite_plain(const char *name)
{
	const char *at = name;

	for (; *at; at++) {
		const bool letter = (*at >= 'a' && *at <= 'z') ||
				    (*at >= 'A' && *at <= 'Z');
		const bool digit = *at >= '0' && *at <= '9';

		if (!letter && !digit && !strchr("/._-+,%@", *at))
			return false;
	}
	return at > name;
}

static bool
add_quoted(struct text *text, const char *name, bool always)
{
	if (!always && is_quite_plain(name))
		return text_add_string(text, name);

	const locale_t before = uselocale((locale_t)0);
	bool good;

	if (before == LC_GLOBAL_LOCALE)
		uselocale(user_locale());
	const struct traits traits = find_traits(name);
	if (traits.plain && !always)
		good = text_add_string(text, name);
	else if (traits.single_quote && traits.double_quotes)
		good = text_add(text, "\"", 1) && text_add_string(text, name) &&
		       text_add(text, "\"", 1);
	else
		good = add_single_quoted(text, name);
	uselocale(before);
	return good;
}

bool
quote_add(struct text *text, const char *name)
{
	const size_t start = text->len;
	const bool good = add_quoted(text, name, false);

	if (!good)
		text_cut(text, start);
	return good;
}

const char *
quote_name(struct text *text, const char *name)
{
	text_cut(text, 0);
	return add_quoted(text, name, false) ? text->bytes : name;
}

const char *
quote_name_always(struct text *text, const char *name)
{
	text_cut(text, 0);
	return add_quoted(text, name, true) ? text->bytes : name;
}
