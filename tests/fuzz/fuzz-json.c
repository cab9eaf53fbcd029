/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a name contains, --json writes one line of valid UTF-8
 * without control characters, from which the name can be read again byte for
 * byte.
 */
#include "config.h"

#include "src/base/json.h"
#include "tests/fuzz/fuzz.h"

/* The reader of the suites; what it refuses ends the process, which libFuzzer
 * takes for a crash. */
#define main json_lines
#include "tests/support/json-lines.c"
#undef main

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct value value;
	char *name = malloc(len + 1), key[KEY_BYTES];
	struct line line = { .number = 1 };
	struct json json = { 0 };
	bool base64;

	FUZZ_HOLDS(name);
	if (len > 0)
		memcpy(name, data, len);
	name[len] = '\0';
	len = strlen(name);
	json_open(&json);
	json_string(&json, "name", name);
	FUZZ_HOLDS(json_close(&json));
	/* The object ends with a newline, and a NUL for the reader. */
	FUZZ_HOLDS(text_add(&json.text, "", 1));
	line.at = (const unsigned char *)json.text.bytes;
	expect(&line, "{");
	base64 = read_key(&line, key);
	expect(&line, ":");
	read_string(&line, &value);
	if (base64)
		decode_base64(&line, &value);
	expect(&line, "}\n");
	FUZZ_HOLDS(!*line.at && strcmp(key, "name") == 0);
	FUZZ_HOLDS(value.len == len && memcmp(value.bytes, name, len) == 0);
	json_free(&json);
	free(name);
	return 0;
}
