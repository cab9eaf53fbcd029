/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/checklist.h"

#include <string.h>

enum { HEX_DIGITS = 2 * SHA256_DIGEST_BYTES };

static const char tag_word[] = "SHA256";
/* OpenSSL's from version 3 on, which GNU's program does not read. */
static const char openssl_tag[] = "SHA2-256(";

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char *
skip_blanks(char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* The value of a hexadecimal digit plus 1; 0 = not a digit.  A table, since
 * branches on random digits cannot be predicted. */
static const uint8_t digit_plus_1[256] = {
	['0'] = 1, 2,  3,  4,  5,  6,	       7,  8,  9,  10, ['A'] = 11,
	12,	   13, 14, 15, 16, ['a'] = 11, 12, 13, 14, 15, 16
};

/* Parse 64 digits; the caller checks the bytes after them. */
static bool
parse_digest(const char *hex, uint8_t digest[SHA256_DIGEST_BYTES])
{
	for (size_t i = 0; i < HEX_DIGITS; i += 2) {
		const unsigned high = digit_plus_1[(uint8_t)hex[i]];
		const unsigned low = high ? digit_plus_1[(uint8_t)hex[i + 1]] :
					    0;

		if (!low)
			return false;
		digest[i / 2] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	return true;
}

/* Unescape in place.  Return false at an unknown escape, a lone backslash or a
 * NUL. */
static bool
unescape_name(char *name, size_t len)
{
	const char *const end = name + len;
	const char *from = name;
	char *to = name;

	while (from < end) {
		char c = *from++;

		if (c == '\0')
			return false;
		if (c == '\\') {
			if (from == end)
				return false;
			switch (*from++) {
			case '\\': break;
			case 'n': c = '\n'; break;
			case 'r': c = '\r'; break;
			default: return false;
			}
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* "name) = digest"; the name ends at the last parenthesis. */
static bool
parse_tagged(char *name, size_t len, struct checklist_entry *entry)
{
	const char *const line_end = name + len;
	char *end = memrchr(name, ')', len);

	if (!end)
		return false;
	entry->name = name;
	if (entry->escaped && !unescape_name(name, (size_t)(end - name)))
		return false;
	*end = '\0';

	char *s = skip_blanks(end + 1);
	if (*s != '=')
		return false;
	s = skip_blanks(s + 1);
	return parse_digest(s, entry->digest) && s + HEX_DIGITS == line_end;
}

/* "digest  name", "digest *name" or, reversed, "digest name". */
static bool
parse_plain(struct checklist_parser *parser, char *s, size_t len,
	    struct checklist_entry *entry)
{
	/* At least a digest, a blank and a name of one character. */
	if (len < HEX_DIGITS + 2)
		return false;
	/* GNU accepts a NUL for the blank. */
	if (s[HEX_DIGITS] && !is_blank(s[HEX_DIGITS]))
		return false;
	if (!parse_digest(s, entry->digest))
		return false;
	s += HEX_DIGITS + 1;
	len -= HEX_DIGITS + 1;

	/* The first line that is unambiguous decides for all later ones. */
	if (len == 1 || (*s != ' ' && *s != '*')) {
		if (parser->separator == CHECKLIST_TWO)
			return false;
		parser->separator = CHECKLIST_ONE;
	} else if (parser->separator != CHECKLIST_ONE) {
		parser->separator = CHECKLIST_TWO;
		s++;
		len--;
	}
	entry->name = s;
	return !entry->escaped || unescape_name(s, len);
}

static bool
parse_entry(struct checklist_parser *parser, char *s, size_t len,
	    struct checklist_entry *entry)
{
	const char *const end = s + len;

	s = skip_blanks(s);
	entry->escaped = !parser->raw && *s == '\\';
	if (entry->escaped)
		s++;

	if (strncmp(s, openssl_tag, sizeof(openssl_tag) - 1) == 0) {
		s += sizeof(openssl_tag) - 1;
		return parse_tagged(s, (size_t)(end - s), entry);
	}
	if (strncmp(s, tag_word, sizeof(tag_word) - 1) != 0)
		return parse_plain(parser, s, (size_t)(end - s), entry);

	s += sizeof(tag_word) - 1;
	if (*s == ' ')
		s++;
	if (*s != '(')
		return false;
	s++;
	return parse_tagged(s, (size_t)(end - s), entry);
}

enum checklist_result
checklist_parse(struct checklist_parser *parser, char *line, size_t len,
		struct checklist_entry *entry)
{
	if (len > 0 && line[0] == '#')
		return CHECKLIST_IGNORED;
	if (!parser->raw && len > 0 && line[len - 1] == '\r')
		len--;
	if (len == 0)
		return CHECKLIST_IGNORED;
	line[len] = '\0';

	if (!parse_entry(parser, line, len, entry))
		return CHECKLIST_MALFORMED;
	if (parser->list_is_stdin && strcmp(entry->name, "-") == 0)
		return CHECKLIST_MALFORMED;
	return CHECKLIST_ENTRY;
}

char *
checklist_skip_mark(char *line, size_t *len)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t bytes = sizeof(mark) - 1;

	if (*len < bytes || memcmp(line, mark, bytes) != 0)
		return line;
	*len -= bytes;
	return line + bytes;
}

bool
checklist_has_zeros(const char *line, size_t len)
{
	const char *const end = line + len;
	uint8_t digest[SHA256_DIGEST_BYTES];

	while ((line = memchr(line, '\0', (size_t)(end - line))) != NULL) {
		line++;
		if (end - line > HEX_DIGITS && is_blank(line[HEX_DIGITS]) &&
		    parse_digest(line, digest))
			return true;
	}
	return false;
}
