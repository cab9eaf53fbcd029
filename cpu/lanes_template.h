/* SPDX-License-Identifier: MIT */
/*
 * lanes_template: SHA-256 of several messages at once, one in each element of
 * a vector, by the formulas of FIPS 180-4, 6.2.2.  Include it once for every
 * instruction set, after defining
 *
 *	LANES_NAME	the function to define
 *	LANES_TARGET	target attribute of the function, or nothing
 *	LANES_LOAD	function (VEC w[4], data, offset): four words of every
 *			lane, from data[lane] + offset, in machine byte order
 *	VEC		vector type that understands +
 *	VEC_GET(p)	load from VEC_PUT(p, v), store to a row of the state
 *	VEC_SET1(k)	k in every element
 *
 * and, where C's operators are not the best,
 *
 *	VEC_ROR(x, n)	rotate right; VEC_SHR(x, n), shift right
 *	VEC_XOR3(x, y, z)
 *	VEC_CH(x, y, z)
 *	VEC_MAJ(x, y, z, x_y, y_z)
 *			x_y is to be set to x ^ y if that helps; the previous
 *			round has left its own in y_z, which is y ^ z here
 *
 * All but LANES_TARGET are undefined again at the end.  The result reads
 * exactly [data[i], data[i] + 64 * nblocks) of every lane i, at any alignment,
 * and the leading elements of the rows of the state; it wants nblocks > 0.
 */

#ifndef VEC_ROR
#define VEC_ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))
#endif
#ifndef VEC_SHR
#define VEC_SHR(x, n) ((x) >> (n))
#endif
#ifndef VEC_XOR3
#define VEC_XOR3(x, y, z) ((x) ^ (y) ^ (z))
#endif
/* FIPS 180-4, 4.1.2, in fewer operations than the standard's forms. */
#ifndef VEC_CH
#define VEC_CH(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#endif
#ifndef VEC_MAJ
#define VEC_MAJ(x, y, z, x_y, y_z) ((x_y) = (x) ^ (y), (y) ^ ((x_y) & (y_z)))
#endif

#define LANES_BIG_SIGMA0(x)                                                    \
	VEC_XOR3(VEC_ROR(x, 2), VEC_ROR(x, 13), VEC_ROR(x, 22))
#define LANES_BIG_SIGMA1(x)                                                    \
	VEC_XOR3(VEC_ROR(x, 6), VEC_ROR(x, 11), VEC_ROR(x, 25))
#define LANES_SMALL_SIGMA0(x)                                                  \
	VEC_XOR3(VEC_ROR(x, 7), VEC_ROR(x, 18), VEC_SHR(x, 3))
#define LANES_SMALL_SIGMA1(x)                                                  \
	VEC_XOR3(VEC_ROR(x, 17), VEC_ROR(x, 19), VEC_SHR(x, 10))

/* Step 3 with the new a in h and the new e in d. */
#define LANES_ROUND(a, b, c, d, e, f, g, h, t)                                 \
	do {                                                                   \
		h += w[t] + VEC_SET1(k[t]);                                    \
		h += VEC_CH(e, f, g);                                          \
		h += LANES_BIG_SIGMA1(e);                                      \
		d += h;                                                        \
		h += VEC_MAJ(a, b, c, x_y, y_z);                               \
		h += LANES_BIG_SIGMA0(a);                                      \
		y_z = x_y;                                                     \
	} while (0)

/* Step 1: w[t] is W_(t-16) and becomes W_t; indices modulo 16. */
#define LANES_SCHEDULE(t)                                                      \
	(w[t] += LANES_SMALL_SIGMA1(w[((t) + 14) % 16]) + w[((t) + 9) % 16] +  \
		 LANES_SMALL_SIGMA0(w[((t) + 1) % 16]))

#define LANES_SCHEDULED_ROUND(a, b, c, d, e, f, g, h, t)                       \
	do {                                                                   \
		LANES_SCHEDULE(t);                                             \
		LANES_ROUND(a, b, c, d, e, f, g, h, t);                        \
	} while (0)

/* The names of the variables return to their places every eight rounds. */
#define LANES_4_ROUNDS(round, a, b, c, d, e, f, g, h, t)                       \
	do {                                                                   \
		round(a, b, c, d, e, f, g, h, (t));                            \
		round(h, a, b, c, d, e, f, g, (t) + 1);                        \
		round(g, h, a, b, c, d, e, f, (t) + 2);                        \
		round(f, g, h, a, b, c, d, e, (t) + 3);                        \
	} while (0)

#define LANES_8_ROUNDS(round, t)                                               \
	do {                                                                   \
		LANES_4_ROUNDS(round, a, b, c, d, e, f, g, h, t);              \
		LANES_4_ROUNDS(round, e, f, g, h, a, b, c, d, (t) + 4);        \
	} while (0)

/* Step 4 */
#define LANES_FEED_FORWARD(word, x)                                            \
	do {                                                                   \
		x += VEC_GET(state[word]);                                     \
		VEC_PUT(state[word], x);                                       \
	} while (0)

LANES_TARGET
void
LANES_NAME(uint32_t (*state)[CPU_LANES], const uint8_t *const *data,
	   size_t nblocks)
{
	VEC a = VEC_GET(state[0]), b = VEC_GET(state[1]);
	VEC c = VEC_GET(state[2]), d = VEC_GET(state[3]);
	VEC e = VEC_GET(state[4]), f = VEC_GET(state[5]);
	VEC g = VEC_GET(state[6]), h = VEC_GET(state[7]);

	for (size_t offset = 0; nblocks > 0; nblocks--) {
		const uint32_t *k = sha256_k;
		VEC w[16];
		VEC x_y;
		VEC y_z = b ^ c;

		/* Loading shuffles, rounds add and rotate: mixed they keep
		 * different units busy. */
		LANES_LOAD(w, data, offset);
		LANES_LOAD(w + 4, data, offset + 16);
		LANES_4_ROUNDS(LANES_ROUND, a, b, c, d, e, f, g, h, 0);
		LANES_LOAD(w + 8, data, offset + 32);
		LANES_4_ROUNDS(LANES_ROUND, e, f, g, h, a, b, c, d, 4);
		LANES_LOAD(w + 12, data, offset + 48);
		LANES_8_ROUNDS(LANES_ROUND, 8);
		offset += SHA256_BLOCK_BYTES;
		for (k += 16; k < sha256_k + 64; k += 16) {
			LANES_8_ROUNDS(LANES_SCHEDULED_ROUND, 0);
			LANES_8_ROUNDS(LANES_SCHEDULED_ROUND, 8);
		}

		LANES_FEED_FORWARD(0, a);
		LANES_FEED_FORWARD(1, b);
		LANES_FEED_FORWARD(2, c);
		LANES_FEED_FORWARD(3, d);
		LANES_FEED_FORWARD(4, e);
		LANES_FEED_FORWARD(5, f);
		LANES_FEED_FORWARD(6, g);
		LANES_FEED_FORWARD(7, h);
	}
}

#undef LANES_BIG_SIGMA0
#undef LANES_BIG_SIGMA1
#undef LANES_SMALL_SIGMA0
#undef LANES_SMALL_SIGMA1
#undef LANES_ROUND
#undef LANES_SCHEDULE
#undef LANES_SCHEDULED_ROUND
#undef LANES_4_ROUNDS
#undef LANES_8_ROUNDS
#undef LANES_FEED_FORWARD
#undef LANES_NAME
#undef LANES_LOAD
#undef VEC
#undef VEC_GET
#undef VEC_PUT
#undef VEC_SET1
#undef VEC_ROR
#undef VEC_SHR
#undef VEC_XOR3
#undef VEC_CH
#undef VEC_MAJ
