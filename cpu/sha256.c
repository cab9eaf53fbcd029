/* SPDX-License-Identifier: MIT */
/*
 * The reference: FIPS 180-4 word for word.  Section numbers are of that
 * standard; names are its names.
 */
#include "config.h"

#include "cpu/sha256.h"

#include <endian.h>
#include <string.h>

/* 3.2: the circular right shift ROTR^n(x), 0 < n < 32. */
static inline uint32_t
rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* 4.1.2: the six logical functions. */
static inline uint32_t
ch(uint32_t x, uint32_t y, uint32_t z)
{
	return (x & y) ^ (~x & z);
}

static inline uint32_t
maj(uint32_t x, uint32_t y, uint32_t z)
{
	return (x & y) ^ (x & z) ^ (y & z);
}

static inline uint32_t
big_sigma0(uint32_t x)
{
	return rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22);
}

static inline uint32_t
big_sigma1(uint32_t x)
{
	return rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25);
}

static inline uint32_t
small_sigma0(uint32_t x)
{
	return rotr(x, 7) ^ rotr(x, 18) ^ x >> 3;
}

static inline uint32_t
small_sigma1(uint32_t x)
{
	return rotr(x, 17) ^ rotr(x, 19) ^ x >> 10;
}

/* 3.1: words are stored big-endian. */
static inline uint32_t
load_word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/* 6.2.2, step 1: the message schedule. */
static void
expand_schedule(uint32_t w[64], const uint8_t *block)
{
	for (int t = 0; t < 16; t++)
		w[t] = load_word(block + 4 * t);
	for (int t = 16; t < 64; t++)
		w[t] = small_sigma1(w[t - 2]) + w[t - 7] +
		       small_sigma0(w[t - 15]) + w[t - 16];
}

void
sha256_blocks(uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
	      size_t nblocks)
{
	for (; nblocks > 0; nblocks--, data += SHA256_BLOCK_BYTES) {
		uint32_t w[64];
		expand_schedule(w, data);

		/* Step 2: the working variables. */
		uint32_t a = state[0], b = state[1];
		uint32_t c = state[2], d = state[3];
		uint32_t e = state[4], f = state[5];
		uint32_t g = state[6], h = state[7];

		/* Step 3: the sixty-four rounds. */
		for (int t = 0; t < 64; t++) {
			uint32_t t1 = h + big_sigma1(e) + ch(e, f, g) +
				      sha256_k[t] + w[t];
			uint32_t t2 = big_sigma0(a) + maj(a, b, c);
			h = g;
			g = f;
			f = e;
			e = d + t1;
			d = c;
			c = b;
			b = a;
			a = t1 + t2;
		}

		/* Step 4: the next intermediate hash value. */
		state[0] += a;
		state[1] += b;
		state[2] += c;
		state[3] += d;
		state[4] += e;
		state[5] += f;
		state[6] += g;
		state[7] += h;
	}
}

uint32_t
sha256_pad(uint8_t *tail, size_t tail_bytes, uint64_t length)
{
	uint32_t nblocks = tail_bytes < 56 ? 1 : 2;
	uint8_t *end = tail + nblocks * SHA256_BLOCK_BYTES;
	const uint64_t bits = htobe64(length << 3);

	tail[tail_bytes] = 0x80;
	memset(tail + tail_bytes + 1, 0,
	       (size_t)(end - tail) - tail_bytes - 1 - 8);
	memcpy(end - sizeof(bits), &bits, sizeof(bits));
	return nblocks;
}

void
sha256_digest(const uint32_t state[SHA256_STATE_WORDS],
	      uint8_t digest[SHA256_DIGEST_BYTES])
{
	for (int i = 0; i < SHA256_STATE_WORDS; i++) {
		const uint32_t word = htobe32(state[i]);

		memcpy(digest + 4 * i, &word, sizeof(word));
	}
}
