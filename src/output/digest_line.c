/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/digest_line.h"

#include <string.h>

#include "src/base/quote.h"

/* The bytes that would end a line, or look like an escape of one. */
static const char special[] = "\\\n\r";

static bool
add_escaped(struct text *text, const char *name)
{
	for (;;) {
		size_t plain = strcspn(name, special);

		if (!text_add(text, name, plain))
			return false;
		name += plain;
		if (!*name)
			return true;
		if (!text_add(text,
			      *name == '\n' ? "\\n" :
			      *name == '\r' ? "\\r" :
					      "\\\\",
			      2))
			return false;
		name++;
	}
}

/* Add the name, escaped where needed. */
static bool
add_name(struct text *text, const char *name, bool escape)
{
	return escape ? add_escaped(text, name) : text_add_string(text, name);
}

static bool
add_hex(struct text *text, const uint8_t digest[SHA256_DIGEST_BYTES])
{
	return text_add_hex(text, digest, SHA256_DIGEST_BYTES);
}

bool
digest_line_add(struct text *text, const uint8_t digest[SHA256_DIGEST_BYTES],
		const char *name, struct digest_line_style style)
{
	const size_t start = text->len;
	const bool escape = !style.zero && name[strcspn(name, special)];
	bool good = !escape || text_add(text, "\\", 1);

	if (style.tag)
		good = good && text_add_string(text, "SHA256 (") &&
		       add_name(text, name, escape) &&
		       text_add_string(text, ") = ") && add_hex(text, digest);
	else
		good = good && add_hex(text, digest) &&
		       text_add(text, style.binary ? " *" : "  ", 2) &&
		       add_name(text, name, escape);

	good = good && text_add(text, style.zero ? "" : "\n", 1);
	if (!good)
		text_cut(text, start);
	return good;
}

static bool
add_verdict(struct text *text, const char *name, const char *verdict)
{
	const size_t start = text->len;

	if (quote_add(text, name) && text_add_string(text, verdict))
		return true;
	text_cut(text, start);
	return false;
}

bool
digest_line_add_result(struct text *text, const char *name,
		       enum digest_result result)
{
	static const char *const words[] = {
		[DIGEST_OK] = ": OK\n",
		[DIGEST_FAILED] = ": FAILED\n",
		[DIGEST_UNREADABLE] = ": FAILED open or read\n"
	};

	return add_verdict(text, name, words[result]);
}

bool
digest_line_add_change(struct text *text, const char *name, const char *words,
		       const char *from)
{
	const size_t start = text->len;

	if (add_verdict(text, name, ": ") && text_add_string(text, words) &&
	    (!from || (text_add(text, " ", 1) && quote_add(text, from))) &&
	    text_add(text, "\n", 1))
		return true;
	text_cut(text, start);
	return false;
}

bool
digest_line_add_unlisted(struct text *text, const char *name, const char *from)
{
	return digest_line_add_change(text, name,
				      from ? "MOVED from" : "NOT LISTED", from);
}
