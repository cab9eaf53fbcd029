/* SPDX-License-Identifier: MIT */
/* Bytes that grow. */
#include "config.h"

#include "src/base/text.h"

#include <endian.h>
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

/*
 * Eight digits of four bytes at once: each half of a byte gets a byte of its
 * own, and those from 10 on, which reach bit 4 when 6 is added, become letters.
 */
static void
put_digits(char to[8], const unsigned char from[4])
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint32_t word;
	uint64_t x;

	memcpy(&word, from, sizeof(word));
	x = be32toh(word);
	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	x += ones * '0' + ((x + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
	x = htobe64(x);
	memcpy(to, &x, sizeof(x));
}

bool
text_add_hex(struct text *text, const unsigned char *bytes, size_t len)
{
	if (len > SIZE_MAX / 4 || !text_reserve(text, 2 * len))
		return false;

	char *to = text->bytes + text->len;
	text->len += 2 * len;
	text->bytes[text->len] = '\0';
	for (; len > 0; len -= 4, bytes += 4, to += 8)
		put_digits(to, bytes);
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
