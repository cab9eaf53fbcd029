/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/json.h"

#include <stdio.h>
#include <string.h>

static void
put(struct json *json, const char *bytes, size_t len)
{
	json->failed = json->failed || !text_add(&json->text, bytes, len);
}

static void
put_string(struct json *json, const char *string)
{
	put(json, string, strlen(string));
}

/* UTF-8 ------------------------------------------------------------------- */

/*
 * Return the length of the UTF-8 sequence at the start of a string, and its code
 * point, or 0 if it is not valid.  Unicode 15, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF.
 */
static size_t
decode(const char *string, uint32_t *point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)string;
	size_t len = byte[0] < 0x80 ? 1 :
		     byte[0] < 0xc0 ? 0 :
		     byte[0] < 0xe0 ? 2 :
		     byte[0] < 0xf0 ? 3 :
		     byte[0] < 0xf8 ? 4 :
				      0;

	*point = len < 2 ? byte[0] : byte[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		/* The NUL at the end is not a continuation byte. */
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (byte[i] & 0x3f);
	}
	if (len == 0 || *point < least[len] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return len;
}

static bool
is_utf8(const char *string)
{
	uint32_t point;

	while (*string) {
		size_t len = decode(string, &point);

		if (len == 0)
			return false;
		string += len;
	}
	return true;
}

/* Strings ----------------------------------------------------------------- */

/*
 * Return true for the characters that RFC 8259, section 7, escapes, that some
 * readers take for the end of a line (U+0085, U+2028, U+2029), and that control
 * a terminal.
 */
static bool
needs_escape(uint32_t point)
{
	return point < 0x20 || point == '"' || point == '\\' ||
	       (point >= 0x7f && point < 0xa0) || point == 0x2028 ||
	       point == 0x2029;
}

static void
put_escape(struct json *json, uint32_t point)
{
	static const char special[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *at = point < 0x80 ? strchr(special, (int)point) : NULL;
	char escape[8];

	if (at && *at)
		snprintf(escape, sizeof(escape), "\\%c", letters[at - special]);
	else
		snprintf(escape, sizeof(escape), "\\u%04x",
			 (unsigned)(point & 0xffff));
	put_string(json, escape);
}

/* Add a string, which is UTF-8. */
static void
put_utf8(struct json *json, const char *string)
{
	const char *plain = string;
	uint32_t point;

	while (*string) {
		const size_t len = decode(string, &point);

		if (needs_escape(point)) {
			put(json, plain, (size_t)(string - plain));
			put_escape(json, point);
			plain = string + len;
		}
		string += len;
	}
	put(json, plain, (size_t)(string - plain));
}

static void
put_base64(struct json *json, const char *string)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";
	size_t len = strlen(string);

	for (size_t at = 0; at < len; at += 3) {
		const size_t have = len - at < 3 ? len - at : 3;
		uint32_t bits = 0;
		char quad[4];

		for (size_t i = 0; i < 3; i++)
			bits = bits << 8 |
			       (i < have ? (unsigned char)string[at + i] : 0);
		for (size_t i = 0; i < 4; i++)
			quad[i] = i > have ?
					  '=' :
					  digits[bits >> (18 - 6 * i) & 0x3f];
		put(json, quad, sizeof(quad));
	}
}

/* Members ----------------------------------------------------------------- */

static void
put_key(struct json *json, const char *key, const char *suffix)
{
	put_string(json, json->empty ? "\"" : ",\"");
	put_string(json, key);
	put_string(json, suffix);
	put_string(json, "\":");
	json->empty = false;
}

void
json_open(struct json *json)
{
	text_cut(&json->text, 0);
	json->failed = false;
	json->empty = true;
	put_string(json, "{");
}

void
json_string(struct json *json, const char *key, const char *string)
{
	const bool utf8 = is_utf8(string);

	put_key(json, key, utf8 ? "" : "_base64");
	put_string(json, "\"");
	if (utf8)
		put_utf8(json, string);
	else
		put_base64(json, string);
	put_string(json, "\"");
}

void
json_number(struct json *json, const char *key, uintmax_t number)
{
	char digits[3 * sizeof(number) + 1];

	put_key(json, key, "");
	snprintf(digits, sizeof(digits), "%ju", number);
	put_string(json, digits);
}

void
json_real(struct json *json, const char *key, double number)
{
	const uintmax_t parts = (uintmax_t)(number * 10000 + 0.5);
	char digits[3 * sizeof(parts) + 3];

	put_key(json, key, "");
	snprintf(digits, sizeof(digits), "%ju.%04ju", parts / 10000,
		 parts % 10000);
	put_string(json, digits);
}

void
json_flag(struct json *json, const char *key, bool flag)
{
	put_key(json, key, "");
	put_string(json, flag ? "true" : "false");
}

void
json_hex(struct json *json, const char *key, const uint8_t *bytes, size_t len)
{
	put_key(json, key, "");
	put_string(json, "\"");
	json->failed = json->failed || !text_add_hex(&json->text, bytes, len);
	put_string(json, "\"");
}

void
json_object_end(struct json *json)
{
	put_string(json, "}");
	json->empty = false;
}

void
json_list(struct json *json, const char *key)
{
	put_key(json, key, "");
	put_string(json, "[");
	json->empty = true;
}

void
json_item(struct json *json)
{
	put_string(json, json->empty ? "{" : ",{");
	json->empty = true;
}

void
json_list_end(struct json *json)
{
	put_string(json, "]");
	json->empty = false;
}

bool
json_close(struct json *json)
{
	put_string(json, "}\n");
	return !json->failed;
}

void
json_free(struct json *json)
{
	text_free(&json->text);
}
