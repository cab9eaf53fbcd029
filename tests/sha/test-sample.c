/* SPDX-License-Identifier: MIT */
/*
 * Promise: known answers are the hash values of blocks that all differ, in one
 * process or in two; the reference hashes random messages of each launch, so
 * few that a core hardly notices; an engine that is often wrong is found after
 * some launches.
 */
#include "config.h"

#include "qpu/sha/sample.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum {
	LANES = 192,
	BLOCKS = 512, /* of a lane */
	LAUNCHES = 40
};

static uint8_t data[LANES * 64 + BLOCKS * 64];
static struct engine_lane lanes[LANES];
static struct engine_end ends[LANES][BLOCKS];
static struct sample sample;
static uint64_t messages;

/* Fill lanes with messages of 1 to `most` blocks; an engine has hashed `done`
 * of each lane. */
static void
fill(uint32_t most, uint32_t done)
{
	messages = 0;
	for (unsigned i = 0; i < LANES; i++) {
		struct engine_lane *lane = &lanes[i];
		uint32_t at = 0, n = 0;

		while ((at += 1 + random_32() % most) <= BLOCKS)
			ends[i][n++].block = at;
		for (unsigned word = 0; word < SHA256_STATE_WORDS; word++)
			lane->state[word] = random_32();
		lane->data = data + i * 64;
		lane->nblocks = BLOCKS;
		lane->done = done;
		lane->ends = ends[i];
		lane->nends = n;
		messages += n;
	}
}

/* Hash like a right engine, but for one message in `wrong_of`. */
static void
hash(unsigned wrong_of)
{
	for (struct engine_lane *lane = lanes; lane < lanes + LANES; lane++) {
		struct engine_end *end = lane->ends;
		uint32_t at = 0;

		for (;
		     end < lane->ends + lane->nends && end->block <= lane->done;
		     end++) {
			known_hash(lane->state, lane->data + at * 64,
				   end->block - at);
			memcpy(end->state, lane->state, sizeof(end->state));
			if (wrong_of && random_32() % wrong_of == 0)
				end->state[random_32() % 8] ^= 1;
			memcpy(lane->state, sha256_initial,
			       sizeof(lane->state));
			at = end->block;
		}
		known_hash(lane->state, lane->data + at * 64, lane->done - at);
	}
}

/* Return the number of launches until a wrong engine is found. */
static unsigned
launches_until_found(unsigned wrong_of)
{
	unsigned n = 0;

	do {
		fill(30, BLOCKS);
		sample_take(&sample, lanes, LANES);
		sample_hash(&sample);
		hash(wrong_of);
	} while (++n < LAUNCHES && !sample_wrong(&sample, lanes));
	return n;
}

static void
test_amount(void)
{
	unsigned seen_of[LANES] = { 0 }, seen = 0, n = 0;
	uint64_t blocks = 0;

	sample.owed = 0;
	for (unsigned launch = 0; launch < LAUNCHES; launch++) {
		fill(30, BLOCKS);
		sample_take(&sample, lanes, LANES);
		n += sample.n;
		for (unsigned i = 0; i < sample.n; i++) {
			const struct sample_message *one = &sample.messages[i];

			blocks += one->blocks;
			seen += seen_of[one->lane]++ == 0;
		}
	}
	ok(blocks <= (uint64_t)LAUNCHES * LANES * BLOCKS / 1024 + BLOCKS &&
		   blocks >= (uint64_t)LAUNCHES * LANES * BLOCKS / 1100,
	   "the reference hashes a block in 1,024: %u messages", n);
	ok(seen > LANES * 2 / 3, "messages of %u lanes have had their turn",
	   seen);
	sample.owed = SAMPLE_OWED;
	n = 0;
	for (unsigned launch = 0; launch < 4; launch++) {
		fill(30, BLOCKS);
		sample_take(&sample, lanes, LANES);
		n += sample.n;
	}
	ok(n > 150, "the first four launches have %u messages", n);
	fill(1, 1);
	sample.owed = SAMPLE_OWED;
	sample_take(&sample, lanes, 16);
	ok(sample.n > 10, "a short launch has some, too: %u", sample.n);
	memset(lanes, 0, sizeof(lanes));
	sample_take(&sample, lanes, LANES);
	ok(sample.n == 0, "a launch without blocks has none");
}

/* Known answers ------------------------------------------------------------- */

static struct known known, other;

static bool
is_hash_of(const uint32_t right[SHA256_STATE_WORDS], const uint8_t *bytes,
	   unsigned nblocks)
{
	uint32_t state[SHA256_STATE_WORDS];

	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, bytes, nblocks);
	return memcmp(state, right, sizeof(state)) == 0;
}

static void
test_answers(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < KNOWN_MESSAGES; i++)
		wrong += !is_hash_of(known.messages[i],
				     known_block(&known, i * KNOWN_STRIDE), 1);
	ok(wrong == 0, "all messages have their hash values");
	for (unsigned n = 0; n <= KNOWN_BLOCKS; n += 31)
		wrong += !is_hash_of(known.chain[n], known.data, n);
	ok(wrong == 0, "so has the chain of all blocks after each of them");
}

/* Of two sets of blocks, how many pairs are alike? */
static unsigned
count_alike(const struct known *a, const struct known *b)
{
	unsigned alike = 0;

	for (unsigned i = 0; i < KNOWN_BLOCKS; i++)
		for (unsigned k = 0; k < KNOWN_BLOCKS; k++)
			alike += memcmp(a->data + i * SHA256_BLOCK_BYTES,
					b->data + k * SHA256_BLOCK_BYTES,
					SHA256_BLOCK_BYTES) == 0;
	return alike;
}

static void
test_known(void)
{
	known_make(&known, nonce_begin());
	known_make(&other, nonce_begin());
	test_answers();
	ok(count_alike(&known, &known) == KNOWN_BLOCKS,
	   "no two blocks are alike");
	ok(count_alike(&known, &other) == 0,
	   "another process has other blocks");
	known_make(&other, (struct nonce){ .state = 5 });
	known_make(&known, (struct nonce){ .state = 5 });
	ok(memcmp(&known, &other, sizeof(known)) == 0,
	   "a seed makes the same blocks each time");
}

int
main(void)
{
	unsigned good = 0, n;

	for (size_t i = 0; i < sizeof(data); i += 4)
		memcpy(data + i, &(uint32_t){ random_32() }, 4);
	sample.nonce.state = 1;
	for (uint32_t done = 1; done <= BLOCKS; done += 37) {
		fill(1 + done, done);
		sample_take(&sample, lanes, LANES);
		sample_hash(&sample);
		memset(sample.data, 0, sizeof(sample.data));
		hash(0);
		good += !sample_wrong(&sample, lanes);
	}
	ok(good == 14, "an engine that is right agrees with all samples, where "
		       "messages end, go on or are cut");
	n = launches_until_found(12);
	ok(n < LAUNCHES / 2, "one wrong message in 12 is found in launch %u",
	   n);
	test_amount();
	test_known();
	return tap_done();
}
