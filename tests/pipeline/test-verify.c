/* SPDX-License-Identifier: MIT */
/*
 * Promise: with --verify a digest is trusted when three agree, corrected when
 * the engine alone is wrong, and disputed when the reference and libcrypto
 * disagree.
 *
 * The test takes the part of libcrypto.
 */
#include "config.h"

#include "src/lanes/verify.h"

#include <string.h>

#include "cpu/sha256.h"
#include "tests/pipeline/opinion.h"
#include "tests/support/tap.h"

/* "abc" (FIPS 180-2, appendix B.1), padded. */
static const uint8_t abc[SHA256_BLOCK_BYTES] = { 'a', 'b', 'c',
						 0x80, [63] = 0x18 };
static const uint8_t expected[SHA256_DIGEST_BYTES] = {
	0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
	0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
	0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad
};

/* The verdict, and whether the digest is right then. */
static enum job_verdict
judge(bool engine_is_right, bool other_is_right, bool *right)
{
	uint8_t digest[SHA256_DIGEST_BYTES];
	enum job_verdict verdict;
	struct verify verify;

	memcpy(digest, expected, sizeof(digest));
	memcpy(opinion_digest, expected, sizeof(opinion_digest));
	digest[31] ^= !engine_is_right;
	opinion_digest[31] ^= !other_is_right;
	verify_start(&verify, &opinion);
	verify_feed(&verify, abc, 1, 3);
	verdict = verify_finish(&verify, digest);
	*right = memcmp(digest, expected, sizeof(digest)) == 0;
	return verdict;
}

static void
test_verdicts(void)
{
	bool right;

	ok(judge(true, true, &right) == JOB_TRUSTED && right,
	   "a digest on which all agree is trusted");
	ok(opinion_begun == 1 && opinion_bytes == 3,
	   "libcrypto gets the message without its padding");
	ok(judge(false, true, &right) == JOB_CORRECTED && right,
	   "one of the engine alone is corrected");
	ok(judge(true, false, &right) == JOB_DISPUTED && right,
	   "one with which libcrypto does not agree is disputed");
	ok(judge(false, false, &right) == JOB_DISPUTED && !right,
	   "and left as it is, whoever is wrong");
}

static void
test_expected(void)
{
	uint8_t digest[SHA256_DIGEST_BYTES] = { 0 };
	struct verify verify;

	memcpy(opinion_digest, expected, sizeof(opinion_digest));
	verify_start(&verify, &opinion);
	verify_feed(&verify, abc, 1, 3);
	ok(verify_expected(&verify, digest) &&
		   memcmp(digest, expected, sizeof(digest)) == 0,
	   "the reference says what is right");
}

static void
test_off(void)
{
	uint8_t digest[SHA256_DIGEST_BYTES] = { 0 };
	struct verify verify;

	memset(&verify, 0x55, sizeof(verify));
	opinion_begun = opinion_bytes = 0;
	verify_start(&verify, NULL);
	verify_feed(&verify, NULL, 1, 3);
	ok(verify_finish(&verify, digest) == JOB_TRUSTED && digest[0] == 0 &&
		   opinion_begun == 0 && opinion_bytes == 0,
	   "without --verify nothing is compared");
}

int
main(void)
{
	test_verdicts();
	test_expected();
	test_off();
	return tap_done();
}
