/* SPDX-License-Identifier: MIT */
/*
 * Promise: the known answers are those of the reference, and no two of them
 * are alike.  With --write: print the table.
 */
#include "config.h"

#include "qpu/engine/known_answer.h"

#include "cpu/sha256.h"
#include "tests/support/tap.h"

enum { BYTES = KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES };

static uint8_t messages[KNOWN_MESSAGES][BYTES];

static void
hash(unsigned message, unsigned nblocks, uint32_t state[SHA256_STATE_WORDS])
{
	memcpy(state, sha256_initial, sizeof(sha256_initial));
	sha256_blocks(state, messages[message], nblocks);
}

static void
write_table(void)
{
	printf("/* SPDX-License-Identifier: MIT */\n");
	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		for (unsigned n = KNOWN_LEAST_BLOCKS; n <= KNOWN_MOST_BLOCKS;
		     n++) {
			uint32_t s[SHA256_STATE_WORDS];

			hash(i, n, s);
			printf("\t{ 0x%08x, 0x%08x, 0x%08x, 0x%08x,"
			       " 0x%08x, 0x%08x, 0x%08x, 0x%08x },\n",
			       s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
		}
}

static void
test_table(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		for (unsigned n = KNOWN_LEAST_BLOCKS; n <= KNOWN_MOST_BLOCKS;
		     n++) {
			uint32_t state[SHA256_STATE_WORDS];

			hash(i, n, state);
			wrong += memcmp(known_answer_state(i, n), state,
					sizeof(state)) != 0;
		}
	ok(wrong == 0, "all answers are what the reference computes");
}

static void
test_messages_differ(void)
{
	unsigned equal = 0;

	for (unsigned i = 0; i < KNOWN_MESSAGES * KNOWN_MOST_BLOCKS; i++)
		for (unsigned k = 0; k < i; k++)
			equal += memcmp(messages[0] + i * SHA256_BLOCK_BYTES,
					messages[0] + k * SHA256_BLOCK_BYTES,
					SHA256_BLOCK_BYTES) == 0;
	ok(equal == 0, "no two blocks of the messages are alike");
}

static void
test_prefix(void)
{
	uint8_t bytes[BYTES + 1];

	bytes[2 * SHA256_BLOCK_BYTES] = 0x55;
	known_answer_fill(bytes, 7, 2);
	ok(memcmp(bytes, messages[7], 2 * SHA256_BLOCK_BYTES) == 0 &&
		   bytes[2 * SHA256_BLOCK_BYTES] == 0x55,
	   "a shorter message is the beginning of the long one");
}

int
main(int argc, char **argv)
{
	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		known_answer_fill(messages[i], i, KNOWN_MOST_BLOCKS);
	if (argc > 1 && strcmp(argv[1], "--write") == 0) {
		write_table();
		return 0;
	}
	test_table();
	test_messages_differ();
	test_prefix();
	return tap_done();
}
