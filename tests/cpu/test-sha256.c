/* SPDX-License-Identifier: MIT */
/*
 * Promise: the reference computes what NIST's test vectors say (SHAVS) and what
 * libcrypto computes; the padding follows FIPS 180-4, 5.1.1, even for lengths
 * of more than 32 bits, in bits or in bytes.
 */
#include "config.h"

#include "cpu/sha256.h"

#include <ctype.h>
#include <stdlib.h>

#include "tests/support/crypto.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { LINE_BYTES = 1 << 17, MESSAGE_BYTES = LINE_BYTES / 2 };

static void
digest_message(uint8_t *message, size_t len,
	       uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint32_t state[SHA256_STATE_WORDS];
	size_t whole = len / SHA256_BLOCK_BYTES;
	size_t tail = len % SHA256_BLOCK_BYTES;
	uint32_t nblocks = sha256_pad(message + len - tail, tail, len);

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
	ok(good == expected, "%s: %u of %u messages have the digest", name,
	   good, expected);
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
	ok(good == 100, "%s: %u of 100 checkpoints are right", name, good);
}

#ifdef WITH_OPENSSL
/* Pad a copy of the message, which other cases read. */
static bool
agrees_with_libcrypto(const uint8_t *message, size_t len)
{
	static uint8_t copy[MESSAGE_BYTES];
	uint8_t ours[SHA256_DIGEST_BYTES], theirs[SHA256_DIGEST_BYTES];

	crypto_digest(message, len, theirs);
	memcpy(copy, message, len);
	digest_message(copy, len, ours);
	return memcmp(ours, theirs, sizeof(ours)) == 0;
}

static void
test_libcrypto(void)
{
	enum { MOST = MESSAGE_BYTES - 256 };
	static uint8_t message[MOST];
	bool small = true, large = true;

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)random_32();
	for (size_t len = 0; len <= 300; len++)
		small &= agrees_with_libcrypto(message + len, len);
	ok(small, "messages of 0 to 300 bytes have the digests of libcrypto");
	for (int i = 0; i < 200; i++)
		large &= agrees_with_libcrypto(message + random_32() % 64,
					       random_32() % (MOST - 64));
	ok(large, "messages of random lengths have the digests of libcrypto");
}
#else
static void
test_libcrypto(void)
{
	tap_skip("built without OpenSSL");
}
#endif

/* The length is in bits, and its last byte comes last. */
static void
test_padding(void)
{
	static const struct {
		size_t tail;
		uint64_t length;
		uint32_t nblocks;
		uint8_t bits[8];
	} rows[] = {
		{ 0, 0, 1, { 0, 0, 0, 0, 0, 0, 0, 0 } },
		{ 55,
		  UINT64_C(0x1fffffff) - 8,
		  1,
		  { 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xb8 } },
		{ 56, UINT64_C(0x20000038), 2, { 0, 0, 0, 1, 0, 0, 1, 0xc0 } },
		{ 63,
		  UINT64_C(0xffffffff),
		  2,
		  { 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xf8 } },
		{ 0, UINT64_C(0x100000000), 1, { 0, 0, 0, 8, 0, 0, 0, 0 } },
		{ 1,
		  UINT64_C(0x123456789abcdec1),
		  1,
		  { 0x91, 0xa2, 0xb3, 0xc4, 0xd5, 0xe6, 0xf6, 0x08 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t got[2 * SHA256_BLOCK_BYTES], expected[sizeof(got)];
		const size_t end = rows[i].nblocks * SHA256_BLOCK_BYTES;

		memset(got, 0x55, sizeof(got));
		memset(expected, 0x55, sizeof(expected));
		memset(expected + rows[i].tail, 0, end - rows[i].tail);
		expected[rows[i].tail] = 0x80;
		memcpy(expected + end - 8, rows[i].bits, 8);
		ok(sha256_pad(got, rows[i].tail, rows[i].length) ==
				   rows[i].nblocks &&
			   memcmp(got, expected, sizeof(got)) == 0,
		   "the padding of %llu bytes has their length in bits",
		   (unsigned long long)rows[i].length);
	}
}

int
main(void)
{
	test_messages("SHA256ShortMsg.rsp", 65);
	test_messages("SHA256LongMsg.rsp", 64);
	test_monte_carlo("SHA256Monte.rsp");
	test_libcrypto();
	test_padding();
	return tap_done();
}
