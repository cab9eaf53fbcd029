/* SPDX-License-Identifier: MIT */
/*
 * json: build a JSON object (RFC 8259) on one line, member by member.
 *
 * Start from {0}.  If memory runs short, json_close returns false.  Keys must
 * not need escapes.  For instance:
 *
 *	json_open(&json);
 *	json_string(&json, "name", "load");
 *	json_number(&json, "clocks", 12);
 *	if (json_close(&json))
 *		fwrite(json.text.bytes, 1, json.text.len, stream);
 *	json_free(&json);
 */
#ifndef SRC_BASE_JSON_H
#define SRC_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"

struct json {
	struct text text;
	bool failed;
	bool empty; /* no member so far */
};

/* Begin an object and discard the last one. */
void
json_open(struct json *json);

/* Add "key":"string" if the string is UTF-8, else "key_base64":"..." with its
 * bytes in base64 (RFC 4648, 4). */
void
json_string(struct json *json, const char *key, const char *string);

void
json_number(struct json *json, const char *key, uintmax_t number);

/* Add a number >= 0 with four decimals, whatever the locale. */
void
json_real(struct json *json, const char *key, double number);

void
json_flag(struct json *json, const char *key, bool flag);

/* Add bytes as a string of hexadecimal digits; len is a multiple of 4. */
void
json_hex(struct json *json, const char *key, const uint8_t *bytes, size_t len);

/* Add a list of objects: between json_list and json_list_end, the members of each
 * object stand between json_item and json_object_end. */
void
json_list(struct json *json, const char *key);
void
json_item(struct json *json);
void
json_object_end(struct json *json);
void
json_list_end(struct json *json);

/* End the object and the line; without the newline the object has
 * json->text.len - 1 bytes.  Return false if memory was short: the object is
 * lost. */
bool
json_close(struct json *json);

void
json_free(struct json *json);

#endif
