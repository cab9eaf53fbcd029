/* SPDX-License-Identifier: MIT */
/*
 * Promise: the known answers are those of the reference, and there is one for
 * a run of any length.  With --write: print the table.
 */
#include "config.h"

#include "qpu/known_answer.h"

#include "cpu/sha256.h"
#include "tests/tap.h"

static uint8_t message[KNOWN_BLOCKS * SHA256_BLOCK_BYTES];

static void
write_table(void)
{
	uint32_t state[SHA256_STATE_WORDS];

	printf("/* SPDX-License-Identifier: MIT */\n");
	memcpy(state, sha256_initial, sizeof(state));
	for (uint32_t n = 0; n <= KNOWN_BLOCKS; n++) {
		if (n < KNOWN_SINGLES || n % KNOWN_STEP == 0)
			printf("\t{ 0x%08x, 0x%08x, 0x%08x, 0x%08x,"
			       " 0x%08x, 0x%08x, 0x%08x, 0x%08x },\n",
			       state[0], state[1], state[2], state[3],
			       state[4], state[5], state[6], state[7]);
		if (n < KNOWN_BLOCKS)
			sha256_blocks(state, message + n * SHA256_BLOCK_BYTES,
				      1);
	}
}

static void
test_table(void)
{
	uint32_t state[SHA256_STATE_WORDS];
	unsigned rows = 0, wrong = 0;

	memcpy(state, sha256_initial, sizeof(state));
	for (uint32_t n = 0; n <= KNOWN_BLOCKS; n++) {
		const uint32_t *known = known_answer_state(n);

		if (known) {
			rows++;
			wrong += memcmp(known, state, sizeof(state)) != 0;
		}
		if (n < KNOWN_BLOCKS)
			sha256_blocks(state, message + n * SHA256_BLOCK_BYTES,
				      1);
	}
	ok(rows == KNOWN_SINGLES + KNOWN_BLOCKS / KNOWN_STEP && wrong == 0,
	   "all %u rows of the table are what the reference computes", rows);
	ok(!known_answer_state(65) && !known_answer_state(KNOWN_BLOCKS + 64),
	   "what the table does not have it does not invent");
}

static void
test_runs(void)
{
	unsigned wrong = 0;

	for (uint32_t count = 1; count <= KNOWN_BLOCKS; count++) {
		const struct known_run run =
			known_answer_run(count, KNOWN_BLOCKS);

		wrong += run.count != count ||
			 !known_answer_state(run.first) ||
			 !known_answer_state(run.first + count) ||
			 run.first + count > KNOWN_BLOCKS;
	}
	ok(wrong == 0, "there is a run of every length");

	const struct known_run run = known_answer_run(1000, 128);
	ok(run.first == 0 && run.count == 128,
	   "where the message is short the run is as long as it");
}

static void
test_blocks_differ(void)
{
	unsigned equal = 0;

	for (uint32_t n = 1; n < KNOWN_BLOCKS; n++)
		equal += memcmp(message, message + n * SHA256_BLOCK_BYTES,
				SHA256_BLOCK_BYTES) == 0;
	ok(equal == 0, "no block is like the first");
}

int
main(int argc, char **argv)
{
	known_answer_fill(message, KNOWN_BLOCKS);
	if (argc > 1 && strcmp(argv[1], "--write") == 0) {
		write_table();
		return 0;
	}
	test_table();
	test_runs();
	test_blocks_differ();
	return tap_done();
}
