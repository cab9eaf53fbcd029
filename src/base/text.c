/* SPDX-License-Identifier: MIT */
/* Bytes that grow. */
#include "config.h"

#include "src/base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Make room for more bytes and the zero after them. */
static bool
text_reserve(struct text *text, size_t more)
{
	if (more < text->capacity - text->len)
		return true;
	if (more > SIZE_MAX / 2 - text->len)
		return false;

	size_t capacity = text->capacity ? text->capacity : 128;
	while (capacity - text->len <= more)
		capacity *= 2;

	char *bytes = realloc(text->bytes, capacity);
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->capacity = capacity;
	return true;
}

bool
text_add(struct text *text, const void *bytes, size_t len)
{
	if (!text_reserve(text, len))
		return false;
	if (len)
		memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
	text->bytes[text->len] = '\0';
	return true;
}

bool
text_add_hex(struct text *text, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *to;

	if (len > SIZE_MAX / 4 || !text_reserve(text, 2 * len))
		return false;
	to = text->bytes + text->len;
	for (size_t i = 0; i < len; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
	text->len += 2 * len;
	return true;
}

bool
text_add_string(struct text *text, const char *string)
{
	return text_add(text, string, strlen(string));
}

void
text_cut(struct text *text, size_t len)
{
	if (len >= text->len)
		return;
	text->len = len;
	text->bytes[len] = '\0';
}

void
text_free(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}

/* Return the length of the control character at the start of a text, 0 if there is
 * none. */
static unsigned
control_length(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	if ((byte[0] < ' ' && byte[0] != '\t') || byte[0] == 0x7f)
		return 1;
	return byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0 ? 2 : 0;
}

void
text_clean(char *text)
{
	char *to = text;

	while (*text) {
		const unsigned control = control_length(text);

		*to++ = control ? '?' : *text;
		text += control ? control : 1;
	}
	*to = '\0';
}
