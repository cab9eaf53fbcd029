/* SPDX-License-Identifier: MIT */
/* Promise: the reference computes what NIST's test vectors say (SHAVS). */
#include "config.h"

#include "cpu/sha256.h"

#include <ctype.h>
#include <stdlib.h>

#include "src/pipeline/reader.h"
#include "tests/support/tap.h"

enum { LINE_BYTES = 1 << 17, MESSAGE_BYTES = LINE_BYTES / 2 };

static void
digest_message(uint8_t *message, size_t len,
	       uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint32_t state[SHA256_STATE_WORDS];
	size_t whole = len / SHA256_BLOCK_BYTES;
	size_t tail = len % SHA256_BLOCK_BYTES;
	uint32_t nblocks = reader_pad(message + len - tail, tail, len);

	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, message, whole + nblocks);
	sha256_digest(state, digest);
}

/* "Key = value" of a response file; the value without the line's end. */
static const char *
value_of(char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0 || strncmp(line + len, " = ", 3) != 0)
		return NULL;
	line[strcspn(line, "\r\n")] = '\0';
	return line + len + 3;
}

static size_t
unhex(const char *text, uint8_t *bytes, size_t limit)
{
	size_t n = 0;

	while (n < limit && isxdigit((unsigned char)text[0]) &&
	       sscanf(text, "%2hhx", &bytes[n]) == 1) {
		text += 2;
		n++;
	}
	return n;
}

static FILE *
open_vectors(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/test-data/%s", srcdir ? srcdir : ".",
		 name);
	file = fopen(path, "r");
	if (!file)
		tap_note("cannot open %s", path);
	return file;
}

static void
test_messages(const char *name, unsigned expected)
{
	static char line[LINE_BYTES];
	static uint8_t message[MESSAGE_BYTES];
	unsigned good = 0;
	size_t len = 0;
	FILE *file = open_vectors(name);

	while (file && fgets(line, sizeof(line), file)) {
		uint8_t ours[SHA256_DIGEST_BYTES], md[SHA256_DIGEST_BYTES];
		const char *value;

		if ((value = value_of(line, "Len")))
			len = strtoul(value, NULL, 10) / 8;
		if ((value = value_of(line, "Msg")) && len > 0 &&
		    unhex(value, message, sizeof(message) - 128) != len)
			tap_note("%s: a message is not %zu bytes", name, len);
		if (!(value = value_of(line, "MD")))
			continue;
		unhex(value, md, sizeof(md));
		digest_message(message, len, ours);
		good += memcmp(ours, md, sizeof(md)) == 0;
	}
	if (file)
		fclose(file);
	ok(good == expected, "%s: %u of %u messages", name, good, expected);
}

/* SHAVS 6.4: each message is the three digests before it. */
static void
test_monte_carlo(const char *name)
{
	enum { TURNS = 1000 };
	uint8_t chain[3 * SHA256_DIGEST_BYTES + 2 * SHA256_BLOCK_BYTES];
	uint8_t seed[SHA256_DIGEST_BYTES] = { 0 };
	char line[256];
	unsigned good = 0;
	FILE *file = open_vectors(name);

	while (file && fgets(line, sizeof(line), file)) {
		uint8_t md[SHA256_DIGEST_BYTES];
		const char *value;

		if ((value = value_of(line, "Seed")))
			unhex(value, seed, sizeof(seed));
		if (!(value = value_of(line, "MD")))
			continue;
		unhex(value, md, sizeof(md));
		for (int i = 0; i < 3; i++)
			memcpy(chain + i * sizeof(seed), seed, sizeof(seed));
		for (int i = 0; i < TURNS; i++) {
			digest_message(chain, 3 * sizeof(seed), seed);
			memmove(chain, chain + sizeof(seed), 2 * sizeof(seed));
			memcpy(chain + 2 * sizeof(seed), seed, sizeof(seed));
		}
		good += memcmp(seed, md, sizeof(md)) == 0;
	}
	if (file)
		fclose(file);
	ok(good == 100, "%s: %u of 100 checkpoints", name, good);
}

int
main(void)
{
	test_messages("SHA256ShortMsg.rsp", 65);
	test_messages("SHA256LongMsg.rsp", 64);
	test_monte_carlo("SHA256Monte.rsp");
	return tap_done();
}
