/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a name contains, --json writes one line of valid UTF-8
 * without control characters, from which the name can be read again byte for
 * byte.
 */
#include "config.h"

#include "src/base/json.h"
#include "tests/fuzz/fuzz.h"

/* The value of a digit of base64. */
static int
digit_64(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	FUZZ_HOLDS(found != NULL);
	return (int)(found - digits);
}

/* Decode base64 up to the quote; returns the length. */
static size_t
decode_64(const char *from, char *to)
{
	size_t len = 0;

	for (; *from != '"'; from += 4) {
		const int padding = from[2] == '=' ? 2 : from[3] == '=';
		uint32_t bits = 0;

		for (int i = 0; i < 4 - padding; i++)
			bits |= (uint32_t)digit_64(from[i]) << (18 - 6 * i);
		for (int i = 0; i < 3 - padding; i++)
			to[len++] = (char)(bits >> (16 - 8 * i));
		FUZZ_HOLDS(padding == 0 || from[4] == '"');
	}
	return len;
}

/* Decode what comes after a backslash; returns the bytes written. */
static size_t
decode_escape(const char **from, char *to)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *const letter = **from ? strchr(letters, **from) : NULL;
	char digits[5] = "";
	char *end;
	long code;

	if (letter) {
		++*from;
		*to = meanings[letter - letters];
		return 1;
	}
	FUZZ_HOLDS(**from == 'u');
	memcpy(digits, *from + 1, 4);
	code = strtol(digits, &end, 16);
	FUZZ_HOLDS(end == digits + 4 && code > 0 && code < 0xd800);
	*from += 5;
	if (code < 0x80) {
		*to = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | code >> 12);
	to[1] = (char)(0x80 | (code >> 6 & 0x3f));
	to[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

/* Decode a string up to its quote; returns the length. */
static size_t
decode_string(const char *from, char *to)
{
	size_t len = 0;

	while (*from != '"') {
		FUZZ_HOLDS((unsigned char)*from >= 0x20 && *from != 0x7f);
		if (*from == '\\') {
			from++;
			len += decode_escape(&from, to + len);
		} else {
			to[len++] = *from++;
		}
	}
	FUZZ_HOLDS(strcmp(from, "\"}\n") == 0);
	return len;
}

/* Bytes of the UTF-8 character at `at` (RFC 3629, 4), or 0. */
static int
utf8_length(const unsigned char *at)
{
	const int n = at[0] < 0x80 ? 1 :
		      at[0] < 0xe0 ? 2 :
		      at[0] < 0xf0 ? 3 :
				     4;

	if (n == 1)
		return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4 || (at[0] == 0xe0 && at[1] < 0xa0) ||
	    (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	for (int i = 1; i < n; i++)
		if (at[i] >> 6 != 2)
			return 0;
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char plain[] = "{\"name\":\"";
	static const char coded[] = "{\"name_base64\":\"";
	char *name = malloc(len + 1), *again = malloc(len + 4);
	struct json json = { 0 };
	const char *line;
	size_t decoded;

	FUZZ_HOLDS(name && again);
	if (len > 0)
		memcpy(name, data, len);
	name[len] = '\0';
	len = strlen(name);
	json_open(&json);
	json_string(&json, "name", name);
	FUZZ_HOLDS(json_close(&json));
	/* The object ends with a newline, and a NUL for us. */
	FUZZ_HOLDS(text_add(&json.text, "", 1));
	line = json.text.bytes;
	for (const char *at = line; *at;) {
		const int n = utf8_length((const unsigned char *)at);

		FUZZ_HOLDS(n > 0);
		at += n;
	}
	if (strncmp(line, coded, strlen(coded)) == 0) {
		decoded = decode_64(line + strlen(coded), again);
	} else {
		FUZZ_HOLDS(strncmp(line, plain, strlen(plain)) == 0);
		decoded = decode_string(line + strlen(plain), again);
	}
	FUZZ_HOLDS(decoded == len && memcmp(again, name, len) == 0);
	json_free(&json);
	free(name);
	free(again);
	return 0;
}
