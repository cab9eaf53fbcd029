/* SPDX-License-Identifier: MIT */
/*
 * json-lines [KEY]: a strict reader of what --json prints, for the suites.
 *
 * Every line of stdin has to be one flat object of RFC 8259 whose values are
 * strings or integers, in valid UTF-8, no key twice.  With KEY, the value of
 * that member of each object that has it is written, a NUL after it: decoded,
 * be it "KEY":"string", "KEY":number or "KEY_base64":"...".
 *
 * Exit status 1 and a word about it at the first line that is not so.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 16, KEY_BYTES = 32, LINE_BYTES = 64 << 10 };

struct line {
	const unsigned char *at; /* the zero at its end stops everything */
	unsigned long number;
	char keys[MOST_KEYS][KEY_BYTES];
	unsigned nkeys;
};

struct value {
	unsigned char bytes[LINE_BYTES];
	size_t len;
};

__attribute__((noreturn)) static void
refuse(const struct line *line, const char *why)
{
	fprintf(stderr, "json-lines: line %lu: %s at: %.40s\n", line->number,
		why, (const char *)line->at);
	exit(1);
}

static void
expect(struct line *line, const char *word)
{
	for (; *word; word++, line->at++)
		if (*line->at != (unsigned char)*word)
			refuse(line, "unexpected character");
}

static bool
next_is(const struct line *line, char c)
{
	return *line->at == (unsigned char)c;
}

/* Characters -------------------------------------------------------------- */

static void
add_point(struct value *value, uint32_t point)
{
	unsigned char *to = value->bytes + value->len;

	if (point < 0x80) {
		to[0] = (unsigned char)point;
		value->len += 1;
	} else if (point < 0x800) {
		to[0] = (unsigned char)(0xc0 | point >> 6);
		to[1] = (unsigned char)(0x80 | (point & 0x3f));
		value->len += 2;
	} else {
		to[0] = (unsigned char)(0xe0 | point >> 12);
		to[1] = (unsigned char)(0x80 | (point >> 6 & 0x3f));
		to[2] = (unsigned char)(0x80 | (point & 0x3f));
		value->len += 3;
	}
}

static void
read_escape(struct line *line, struct value *value)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter = strchr(letters, *line->at);
	uint32_t point = 0;

	if (next_is(line, '\0'))
		refuse(line, "no end of the escape");
	line->at++;
	if (letter) {
		add_point(value, (unsigned char)meanings[letter - letters]);
		return;
	}
	if (line->at[-1] != 'u')
		refuse(line, "unknown escape");
	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = strchr(digits, *line->at);

		if (!digit || !*digit)
			refuse(line, "bad digit of an escape");
		point = 16 * point + (uint32_t)(digit - digits);
		line->at++;
	}
	if (point == 0 || (point >= 0xd800 && point < 0xe000))
		refuse(line, "an escape that no name can need");
	add_point(value, point);
}

/* One sequence, against the rows of Unicode's table of well-formed ones. */
static void
read_utf8(struct line *line, struct value *value)
{
	static const struct {
		unsigned char first, last, low, high, more;
	} rows[] = {
		{ 0x20, 0x7e, 0x00, 0x00, 0 }, { 0xc2, 0xdf, 0x80, 0xbf, 1 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 2 }, { 0xe1, 0xec, 0x80, 0xbf, 2 },
		{ 0xed, 0xed, 0x80, 0x9f, 2 }, { 0xee, 0xef, 0x80, 0xbf, 2 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 3 }, { 0xf1, 0xf3, 0x80, 0xbf, 3 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 3 },
	};
	const unsigned char *at = line->at;
	size_t row = 0;

	while (row < sizeof(rows) / sizeof(*rows) &&
	       (at[0] < rows[row].first || at[0] > rows[row].last))
		row++;
	if (row == sizeof(rows) / sizeof(*rows))
		refuse(line, "a control character, or no UTF-8");
	for (unsigned i = 1; i <= rows[row].more; i++)
		if (at[i] < (i == 1 ? rows[row].low : 0x80) ||
		    at[i] > (i == 1 ? rows[row].high : 0xbf))
			refuse(line, "no UTF-8");
	memcpy(value->bytes + value->len, at, 1u + rows[row].more);
	value->len += 1u + rows[row].more;
	line->at += 1u + rows[row].more;
}

static void
read_string(struct line *line, struct value *value)
{
	value->len = 0;
	expect(line, "\"");
	while (!next_is(line, '"')) {
		if (next_is(line, '\\')) {
			line->at++;
			read_escape(line, value);
		} else {
			read_utf8(line, value);
		}
	}
	line->at++;
	value->bytes[value->len] = '\0';
}

/* Members ----------------------------------------------------------------- */

static void
read_integer(struct line *line, struct value *value)
{
	value->len = 0;
	while (*line->at >= '0' && *line->at <= '9')
		value->bytes[value->len++] = *line->at++;
	if (value->len == 0 || (value->len > 1 && value->bytes[0] == '0'))
		refuse(line, "no integer");
}

static void
decode_base64(const struct line *line, struct value *value)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t pad = 0, len = 0;
	uint32_t bits = 0;

	if (value->len == 0 || value->len % 4 != 0)
		refuse(line, "base64 of a wrong length");
	for (size_t i = 0; i < value->len; i++) {
		const char *digit = strchr(digits, value->bytes[i]);

		pad += value->bytes[i] == '=';
		if (pad == 0 && (!digit || !*digit))
			refuse(line, "no base64");
		if ((pad > 0 && value->bytes[i] != '=') || pad > 2)
			refuse(line, "base64 after its end");
		bits = bits << 6 | (pad > 0 ? 0 : (uint32_t)(digit - digits));
		if (i % 4 != 3)
			continue;
		for (int shift = 16; shift >= 0; shift -= 8)
			value->bytes[len++] = (unsigned char)(bits >> shift);
	}
	for (size_t i = 1; i <= pad; i++)
		if (value->bytes[len - i] != 0)
			refuse(line, "base64 with bits after its end");
	value->len = len - pad;
}

/* The next key, without the suffix that tells of base64; true if it had one. */
static bool
read_key(struct line *line, char key[KEY_BYTES])
{
	static struct value value;
	char *suffix;

	read_string(line, &value);
	if (value.len >= KEY_BYTES)
		refuse(line, "a long key before");
	memcpy(key, value.bytes, value.len + 1);
	suffix = strstr(key, "_base64");

	if (suffix)
		*suffix = '\0';
	for (unsigned i = 0; i < line->nkeys; i++)
		if (strcmp(line->keys[i], key) == 0)
			refuse(line, "a key twice");
	if (line->nkeys == MOST_KEYS)
		refuse(line, "too many keys");
	memcpy(line->keys[line->nkeys++], key, KEY_BYTES);
	return suffix != NULL;
}

static void
read_member(struct line *line, const char *wanted)
{
	static struct value value;
	char key[KEY_BYTES] = "";
	const bool base64 = read_key(line, key);

	expect(line, ":");
	if (next_is(line, '"'))
		read_string(line, &value);
	else
		read_integer(line, &value);
	if (base64)
		decode_base64(line, &value);
	if (wanted && strcmp(wanted, key) == 0) {
		fwrite(value.bytes, 1, value.len, stdout);
		putchar('\0');
	}
}

int
main(int argc, char **argv)
{
	static char text[LINE_BYTES];
	struct line line = { .number = 0 };

	while (fgets(text, sizeof(text), stdin)) {
		line.at = (const unsigned char *)text;
		line.number++;
		line.nkeys = 0;
		expect(&line, "{");
		do
			read_member(&line, argc > 1 ? argv[1] : NULL);
		while (next_is(&line, ',') && line.at++);
		expect(&line, "}\n");
		if (*line.at)
			refuse(&line, "more after the end");
	}
	return ferror(stdin) ? 1 : 0;
}
