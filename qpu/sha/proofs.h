/* SPDX-License-Identifier: MIT */
/*
 * proofs: the proofs of launches, as README.md describes them.  A build for tests
 * (PROOFS_SWITCH) may leave some out, so that it shows which of them finds which
 * fault; the program has all of them.
 */
#ifndef QPU_SHA_PROOFS_H
#define QPU_SHA_PROOFS_H

#include <stdbool.h>

/* PROOF(id, word, which): bits. */
#define PROOFS(PROOF)                                                          \
	PROOF(PROOF_TEST, "test", "the test of a device that is opened")       \
	PROOF(PROOF_KNOWN, "known", "known answers among messages")            \
	PROOF(PROOF_SEAL, "seal", "seal and sum, in lanes")                    \
	PROOF(PROOF_PATTERN, "pattern", "what results hold before")            \
	PROOF(PROOF_SUMS, "sums", "all sums of 16 bits")                       \
	PROOF(PROOF_AGAIN, "again", "the test after a short launch")           \
	PROOF(PROOF_SAMPLE, "sample", "the sample of the reference")

#define NUMBER(id, word, which) id##_NUMBER,
enum { PROOFS(NUMBER) PROOFS_ALL };
#undef NUMBER
#define BIT(id, word, which) id = 1 << id##_NUMBER,
enum proof { PROOFS(BIT) };
#undef BIT

#ifdef PROOFS_SWITCH
extern unsigned proofs_left_out;
#else
enum { proofs_left_out = 0 };
#endif

/* Return whether the outcome of a proof counts. */
static inline bool
proof_counts(enum proof proof)
{
	return !((unsigned)proofs_left_out & proof);
}

#endif
