/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/digest_line.h"

#include <string.h>

/* The bytes that would end a line, or look like an escape of one. */
static const char special[] = "\\\n\r";

/* Add the name, escaped where needed. */
static bool
add_name(struct text *text, const char *name, bool escape)
{
	if (!escape)
		return text_add_string(text, name);
	for (;;) {
		const size_t plain = strcspn(name, special);

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

bool
digest_line_add(struct text *text, const uint8_t digest[SHA256_DIGEST_BYTES],
		const char *name, struct digest_line_style style)
{
	const bool escape = !style.zero && name[strcspn(name, special)];
	bool good = !escape || text_add(text, "\\", 1);

	if (style.tag)
		good = good && text_add_string(text, "SHA256 (") &&
		       add_name(text, name, escape) &&
		       text_add_string(text, ") = ") &&
		       text_add_hex(text, digest, SHA256_DIGEST_BYTES);
	else
		good = good &&
		       text_add_hex(text, digest, SHA256_DIGEST_BYTES) &&
		       text_add(text, style.binary ? " *" : "  ", 2) &&
		       add_name(text, name, escape);
	return good && text_add(text, style.zero ? "" : "\n", 1);
}
