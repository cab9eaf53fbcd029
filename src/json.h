/* SPDX-License-Identifier: MIT */
/*
 * json: an object of RFC 8259 on one line, built up member by member.
 *
 * Start from {0}.  Short of memory an object is given up, and json_close
 * tells.  Keys are plain words.
 */
#ifndef SRC_JSON_H
#define SRC_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/text.h"

struct json {
	struct text text;
	bool failed;
	bool empty;		/* no member so far */
};

/* Begin with an object; what the text held is forgotten. */
void
json_open(struct json *json);

/* "key":"string", if the string is UTF-8; else "key_base64":"..." with its
 * bytes in base64 (RFC 4648, 4). */
void
json_string(struct json *json, const char *key, const char *string);

void
json_number(struct json *json, const char *key, uintmax_t number);

/* A number >= 0 with four decimals, whatever the locale. */
void
json_real(struct json *json, const char *key, double number);

void
json_flag(struct json *json, const char *key, bool flag);

/* Bytes as a string of hexadecimal digits. */
void
json_hex(struct json *json, const char *key, const uint8_t *bytes,
	 size_t len);

/* The object ends.  False: memory was short, there is no object. */
bool
json_close(struct json *json);

void
json_free(struct json *json);

#endif
