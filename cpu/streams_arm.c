/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 by the SHA-2 instructions of ARMv8, one message or two.  The
 * instructions are inline assembly, one each, since some compilers declare
 * the intrinsics only where the whole file is compiled for them.
 */
#include "config.h"

#include "cpu/kernel_functions.h"

#ifdef HAVE_KERNELS_ARM

#include <arm_neon.h>

#include "cpu/sha256.h"

#define INLINE TARGET_NEON static inline __attribute__((always_inline))

/* ARM's Architecture Reference Manual, C7.2 and F6.1: SHA256H, SHA256H2, SHA256SU0 and
 * SHA256SU1. */
#ifdef __aarch64__
#define SHA_OP3(name) ".arch_extension sha2\n\t" name " %q0, %q1, %2.4s"
#define SHA_SU0 ".arch_extension sha2\n\tsha256su0 %0.4s, %1.4s"
#define SHA_SU1                                                                \
	".arch_extension sha2\n\t"                                             \
	"sha256su1 %0.4s, %1.4s, %2.4s"
#define COPY "mov %0.16b, %1.16b"
#else
#define SHA_UNIT ".arch armv8-a\n\t.fpu crypto-neon-fp-armv8\n\t"
#define SHA_OP3(name) SHA_UNIT name ".32 %q0, %q1, %q2"
#define SHA_SU0 SHA_UNIT "sha256su0.32 %q0, %q1"
#define SHA_SU1 SHA_UNIT "sha256su1.32 %q0, %q1, %q2"
#define COPY "vmov %q0, %q1"
#endif

struct arm_stream {
	uint32x4_t abcd, efgh;
	/* The last 16 words of the schedule; the roles of the four rotate. */
	uint32x4_t w0, w1, w2, w3;
	uint32x4_t old_abcd, old_efgh;
	const uint8_t *data;
};

INLINE uint32x4_t
load_words(const uint8_t *bytes)
{
	return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes)));
}

INLINE void
stream_begin_block(struct arm_stream *s)
{
	s->w0 = load_words(s->data);
	s->w1 = load_words(s->data + 16);
	s->w2 = load_words(s->data + 32);
	s->w3 = load_words(s->data + 48);
	s->data += SHA256_BLOCK_BYTES;
	s->old_abcd = s->abcd;
	s->old_efgh = s->efgh;
}

INLINE void
stream_end_block(struct arm_stream *s)
{
	s->abcd = vaddq_u32(s->abcd, s->old_abcd);
	s->efgh = vaddq_u32(s->efgh, s->old_efgh);
}

INLINE void
stream_4_rounds(struct arm_stream *s, uint32x4_t w, const uint32_t *k)
{
	const uint32x4_t wk = vaddq_u32(w, vld1q_u32(k));
	uint32x4_t abcd;

	/*
	 * The copy is for sha256h2; the original goes on in the chain of
	 * dependent rounds.  Left to themselves, compilers do it the other
	 * way round, and the chain grows by a move every four rounds: 2.4
	 * instead of 2.1 cycles a byte on a Cortex-A72 (modelled).
	 */
	__asm__(COPY : "=w"(abcd) : "w"(s->abcd));
	__asm__(SHA_OP3("sha256h") : "+w"(s->abcd) : "w"(s->efgh), "w"(wk));
	__asm__(SHA_OP3("sha256h2") : "+w"(s->efgh) : "w"(abcd), "w"(wk));
}

/* w0 holds W(t-16..t-13) and becomes W(t..t+3). */
INLINE void
schedule(uint32x4_t *w0, uint32x4_t w1, uint32x4_t w2, uint32x4_t w3)
{
	__asm__(SHA_SU0 : "+w"(*w0) : "w"(w1));
	__asm__(SHA_SU1 : "+w"(*w0) : "w"(w2), "w"(w3));
}

/* Take a step in both streams, x and y, before the next one in either. */
#define EACH(n, what, ...)                                                     \
	do {                                                                   \
		what(&x, __VA_ARGS__);                                         \
		if ((n) > 1)                                                   \
			what(&y, __VA_ARGS__);                                 \
	} while (0)

#define ROUNDS(s, w, k) stream_4_rounds(s, (s)->w, k)
#define SCHEDULED_ROUNDS(s, w0, w1, w2, w3, k)                                 \
	do {                                                                   \
		stream_4_rounds(s, (s)->w0, k);                                \
		schedule(&(s)->w0, (s)->w1, (s)->w2, (s)->w3);                 \
	} while (0)

INLINE void
run_streams(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
	    size_t nblocks, const unsigned n)
{
	struct arm_stream x = { .data = data[0] };
	struct arm_stream y = { .data = data[n - 1] };

	x.abcd = vld1q_u32(states[0]);
	x.efgh = vld1q_u32(states[0] + 4);
	y.abcd = vld1q_u32(states[n - 1]);
	y.efgh = vld1q_u32(states[n - 1] + 4);
	for (; nblocks > 0; nblocks--) {
		const uint32_t *k = sha256_k;

		stream_begin_block(&x);
		if (n > 1)
			stream_begin_block(&y);
		for (; k < sha256_k + 48; k += 16) {
			EACH(n, SCHEDULED_ROUNDS, w0, w1, w2, w3, k);
			EACH(n, SCHEDULED_ROUNDS, w1, w2, w3, w0, k + 4);
			EACH(n, SCHEDULED_ROUNDS, w2, w3, w0, w1, k + 8);
			EACH(n, SCHEDULED_ROUNDS, w3, w0, w1, w2, k + 12);
		}
		EACH(n, ROUNDS, w0, k);
		EACH(n, ROUNDS, w1, k + 4);
		EACH(n, ROUNDS, w2, k + 8);
		EACH(n, ROUNDS, w3, k + 12);
		stream_end_block(&x);
		if (n > 1)
			stream_end_block(&y);
	}
	vst1q_u32(states[0], x.abcd);
	vst1q_u32(states[0] + 4, x.efgh);
	if (n > 1) {
		vst1q_u32(states[1], y.abcd);
		vst1q_u32(states[1] + 4, y.efgh);
	}
}

TARGET_NEON
void
sha256_sha2_x1(uint32_t (*states)[SHA256_STATE_WORDS],
	       const uint8_t *const *data, size_t nblocks)
{
	run_streams(states, data, nblocks, 1);
}

TARGET_NEON
void
sha256_sha2_x2(uint32_t (*states)[SHA256_STATE_WORDS],
	       const uint8_t *const *data, size_t nblocks)
{
	run_streams(states, data, nblocks, 2);
}

#endif
