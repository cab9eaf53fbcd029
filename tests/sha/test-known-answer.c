/* SPDX-License-Identifier: MIT */
/*
 * Promise: known answers are the hash values of messages that never change, and
 * no two blocks of these are alike.
 */
#include "config.h"

#include "qpu/sha/known_answer.h"

#include "cpu/sha256.h"
#include "tests/support/tap.h"

enum { BYTES = KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES };

static uint8_t messages[KNOWN_MESSAGES][BYTES];
static struct known_answers known;

/* From the table of answers that the program had before it computed them. */
static void
test_constants(void)
{
	static const struct {
		unsigned message, nblocks;
		uint32_t state[KNOWN_STATE_WORDS];
	} rows[] = {
		{ 0,
		  2,
		  { 0x4b31fd30, 0x8a46d049, 0x056f24de, 0x9abfd459, 0x2ba644fe,
		    0x09ae9542, 0x1355abae, 0x73c3f50c } },
		{ 0,
		  3,
		  { 0x637ecd9e, 0xdd8b1c80, 0x37ae00e3, 0xfc44c893, 0x98fcaf66,
		    0x58d1f72b, 0xf036a842, 0xe4ad1b96 } },
		{ 1,
		  4,
		  { 0xe8b08f77, 0xf904d428, 0x43abafe5, 0xe1199774, 0xbdad833f,
		    0x0482fe17, 0xeee6be09, 0xbb9a8c21 } },
		{ 255,
		  4,
		  { 0xcafec4a0, 0x87ceaa51, 0xd1960152, 0x86f8be21, 0x642edcdf,
		    0x3dc72f8f, 0x90bb4b22, 0x0a1e595c } },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(memcmp(known_answer_state(&known, rows[i].message,
					     rows[i].nblocks),
			  rows[i].state, sizeof(rows[i].state)) == 0,
		   "message %u of %u blocks has the answer that it always had",
		   rows[i].message, rows[i].nblocks);
}

static void
test_answers(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		for (unsigned n = KNOWN_LEAST_BLOCKS; n <= KNOWN_MOST_BLOCKS;
		     n++) {
			uint32_t state[SHA256_STATE_WORDS];

			memcpy(state, sha256_initial, sizeof(state));
			sha256_blocks(state, messages[i], n);
			wrong += memcmp(known_answer_state(&known, i, n), state,
					sizeof(state)) != 0;
		}
	ok(wrong == 0, "all answers are the hash values of their messages");
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
main(void)
{
	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		known_answer_fill(messages[i], i, KNOWN_MOST_BLOCKS);
	known_answers_compute(&known);
	test_constants();
	test_answers();
	test_messages_differ();
	test_prefix();
	return tap_done();
}
