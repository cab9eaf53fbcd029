/* SPDX-License-Identifier: MIT */
/*
 * The reference: FIPS 180-4 word for word.  Section numbers are of that
 * standard; names are its names.
 */
#include "config.h"

#include "cpu/sha256.h"

#include <stdalign.h>

const uint32_t sha256_initial[SHA256_STATE_WORDS] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
};

alignas(64) const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

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

void
sha256_digest(const uint32_t state[SHA256_STATE_WORDS],
	      uint8_t digest[SHA256_DIGEST_BYTES])
{
	for (int i = 0; i < SHA256_STATE_WORDS; i++) {
		digest[4 * i] = (uint8_t)(state[i] >> 24);
		digest[4 * i + 1] = (uint8_t)(state[i] >> 16);
		digest[4 * i + 2] = (uint8_t)(state[i] >> 8);
		digest[4 * i + 3] = (uint8_t)state[i];
	}
}
