/* SPDX-License-Identifier: MIT */
/*
 * Promise: with every kernel that this machine can run, random messages of any
 * length, at any alignment, get the digests that libcrypto computes.
 *
 * A sample of them for each kernel; QPU_TESTS=all takes 100,000.
 */
#include "config.h"

#include "cpu/kernels.h"

#include <stdlib.h>

#include "cpu/features.h"
#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum {
	SAMPLE = 2000,
	ALL = 100000,
	MOST_BLOCKS = 24,
	LANE_BYTES = (MOST_BLOCKS + 1) * SHA256_BLOCK_BYTES,
	/* FIPS 180-4, 5.1.1: a bit and the length behind the message. */
	LEAST_PADDING = 9
};

/* Messages of one number of blocks, one for each lane of a kernel. */
struct messages {
	alignas(64) uint32_t rows[SHA256_STATE_WORDS][BATCH_LANES];
	uint32_t states[BATCH_LANES][SHA256_STATE_WORDS];
	uint8_t bytes[BATCH_LANES][LANE_BYTES];
	const uint8_t *data[BATCH_LANES];
	uint8_t expected[BATCH_LANES][SHA256_DIGEST_BYTES];
};

/* A message of a random length that fills nblocks, and its padding. */
static void
message_new(struct messages *messages, unsigned lane, size_t nblocks,
	    const struct libcrypto *crypto)
{
	const size_t room = nblocks * SHA256_BLOCK_BYTES;
	const size_t shortest =
		nblocks == 1 ? 0 :
			       room - SHA256_BLOCK_BYTES - LEAST_PADDING + 1;
	const size_t len =
		shortest + random_32() % (room - LEAST_PADDING - shortest + 1);
	uint8_t *message =
		messages->bytes[lane] + random_32() % SHA256_BLOCK_BYTES;
	struct libcrypto_sha256 hash;

	for (size_t i = 0; i < len; i++)
		message[i] = (uint8_t)random_32();
	memset(message + len, 0, room - len);
	message[len] = 0x80;
	message[room - 1] = (uint8_t)(len * 8);
	message[room - 2] = (uint8_t)(len * 8 >> 8);
	messages->data[lane] = message;

	libcrypto_init(crypto, &hash);
	libcrypto_update(crypto, &hash, message, len);
	libcrypto_final(crypto, &hash, messages->expected[lane]);
}

static void
run_kernel(const struct cpu_kernel *kernel, struct messages *messages,
	   size_t nblocks)
{
	for (unsigned lane = 0; lane < kernel->lanes; lane++)
		for (int word = 0; word < SHA256_STATE_WORDS; word++) {
			messages->states[lane][word] = sha256_initial[word];
			messages->rows[word][lane] = sha256_initial[word];
		}
	if (kernel->run_streams) {
		kernel->run_streams(messages->states, messages->data, nblocks);
		return;
	}
	kernel->run_lanes(messages->rows, messages->data, nblocks);
	for (unsigned lane = 0; lane < kernel->lanes; lane++)
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			messages->states[lane][word] =
				messages->rows[word][lane];
}

static unsigned
count_right(const struct messages *messages, unsigned lanes)
{
	uint8_t digest[SHA256_DIGEST_BYTES];
	unsigned right = 0;

	for (unsigned lane = 0; lane < lanes; lane++) {
		sha256_digest(messages->states[lane], digest);
		right += memcmp(digest, messages->expected[lane],
				sizeof(digest)) == 0;
	}
	return right;
}

static void
test_kernel(const struct cpu_kernel *kernel, const struct libcrypto *crypto,
	    unsigned count)
{
	static struct messages messages;
	unsigned tried = 0, right = 0;

	for (; tried < count; tried += kernel->lanes) {
		const size_t nblocks = random_32() % MOST_BLOCKS + 1;

		for (unsigned lane = 0; lane < kernel->lanes; lane++)
			message_new(&messages, lane, nblocks, crypto);
		run_kernel(kernel, &messages, nblocks);
		right += count_right(&messages, kernel->lanes);
	}
	ok(right == tried, "%s: %u of %u messages equal libcrypto",
	   kernel->name, right, tried);
}

int
main(void)
{
	const char *tests = getenv("QPU_TESTS");
	const unsigned count = tests && strcmp(tests, "all") == 0 ? ALL :
								    SAMPLE;
	const uint32_t features = cpu_features_detect();
	struct libcrypto crypto;
	struct diag diag;

	/* Only a cross-built test has none to load. */
	if (!libcrypto_load(&crypto, &diag)) {
		tap_skip("comparison with libcrypto: %s", diag.text);
		return tap_done();
	}
	for (const struct cpu_kernel *kernel = cpu_kernels; kernel->name;
	     kernel++) {
		if ((features & kernel->needs) == kernel->needs)
			test_kernel(kernel, &crypto, count);
		else
			tap_skip("%s: not on this CPU", kernel->name);
	}
	libcrypto_unload(&crypto);
	return tap_done();
}
