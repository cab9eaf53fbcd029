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
			sha256_blocks(lane->state, lane->data + at * 64,
				      end->block - at);
			memcpy(end->state, lane->state, sizeof(end->state));
			if (wrong_of && random_32() % wrong_of == 0)
				end->state[random_32() % 8] ^= 1;
			memcpy(lane->state, sha256_initial,
			       sizeof(lane->state));
			at = end->block;
		}
		sha256_blocks(lane->state, lane->data + at * 64,
			      lane->done - at);
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

/* Take the samples of some launches of long and short messages.  Return their blocks,
 * the launches' blocks in *all, the longest sample in *most. */
static uint64_t
take_samples(unsigned launches, uint64_t *all, uint32_t *most)
{
	uint64_t blocks = 0;

	*all = *most = 0;
	for (unsigned launch = 0; launch < launches; launch++) {
		fill(1u << launch % 9, BLOCKS);
		sample_take(&sample, lanes, LANES);
		for (unsigned i = 0; i < sample.n; i++)
			blocks += sample.messages[i].blocks;
		*all += (uint64_t)LANES * BLOCKS;
		*most = sample.blocks > *most ? sample.blocks : *most;
	}
	return blocks;
}

static void
test_amount(void)
{
	enum { MANY = 10 * LAUNCHES };
	uint64_t all, blocks;
	uint32_t most;

	sample.pending = 0;
	blocks = take_samples(MANY, &all, &most);
	ok(blocks > all / 1100 && blocks < all / 950,
	   "the reference hashes a block in 1,024: one in %u",
	   (unsigned)(all / blocks));
	sample.pending = SAMPLE_PENDING;
	blocks = take_samples(4, &all, &most);
	ok(blocks > 2500 && blocks < 6000 && most <= SAMPLE_ROOM,
	   "some 4,096 more of the first four launches: %u", (unsigned)blocks);
	fill(1, 1);
	sample.pending = SAMPLE_PENDING;
	sample_take(&sample, lanes, 16);
	ok(sample.n == 16, "of a few short messages it hashes all");
	memset(lanes, 0, sizeof(lanes));
	sample_take(&sample, lanes, LANES);
	ok(sample.n == 0, "of a launch without blocks none");
}

/* Short messages are seldom missed, long ones and all lanes have their turn. */
static void
test_share(void)
{
	unsigned seen_of[LANES] = { 0 }, seen = 0;
	unsigned in_short = 0, in_long = 0, halves[2] = { 0 };

	for (unsigned launch = 0; launch < 10 * LAUNCHES; launch++) {
		fill(launch % 2 ? 63 : 3, BLOCKS);
		sample.pending = (int64_t)SAMPLE_ONE_OF * 100;
		sample_take(&sample, lanes, LANES);
		for (unsigned i = 0; i < sample.n; i++) {
			const struct sample_message *one = &sample.messages[i];

			seen += seen_of[one->lane]++ == 0;
			halves[one->lane * 2 / LANES]++;
			if (launch % 2)
				*(one->blocks < 32 ? &in_short : &in_long) +=
					one->blocks;
		}
	}
	ok(seen == LANES && halves[0] > halves[1] * 9 / 10 &&
		   halves[1] > halves[0] * 9 / 10,
	   "%u lanes have their turn", seen);
	ok(in_short > in_long * 8 / 10 && in_long > in_short * 8 / 10,
	   "short and long messages have equal shares of the blocks: %u and %u",
	   in_short, in_long);
}

/* Messages times blocks is 2^32 here. */
static void
test_many(void)
{
	enum { OF = 128, EACH = (1 << 21) / OF, LONG = 2048 };
	struct engine_end *shared = calloc(EACH, sizeof(*shared));
	uint8_t *zeros = calloc(LONG + EACH, SHA256_BLOCK_BYTES);
	unsigned taken = 0;

	for (unsigned i = 0; i < EACH && shared; i++)
		shared[i].block = LONG + i;
	for (unsigned i = 0; i < OF; i++)
		lanes[i] = (struct engine_lane){ .data = zeros,
						 .done = LONG + EACH - 1,
						 .ends = shared,
						 .nends = EACH };
	for (unsigned launch = 0; launch < 10 && shared && zeros; launch++) {
		sample.pending = SAMPLE_PENDING;
		sample_take(&sample, lanes, OF);
		for (unsigned i = 0; i < sample.n; i++)
			taken += sample.messages[i].blocks == LONG;
	}
	ok(shared && zeros && taken == 0,
	   "of 128 long messages among two million short ones none is likely: "
	   "%u in ten samples",
	   taken);
	free(shared);
	free(zeros);
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
	test_share();
	test_many();
	test_known();
	return tap_done();
}
