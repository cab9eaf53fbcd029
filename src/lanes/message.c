/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/message.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/lanes/ahead.h"
#include "src/lanes/run.h"

struct message *
message_new(void)
{
	struct message *message = calloc(1, sizeof(*message));

	if (message)
		message->input.fd = -1;
	return message;
}

void
message_free(struct message *message)
{
	if (!message)
		return;
	input_close(&message->input);
	ahead_free(message->ahead);
	free(message);
}

void
message_begin(struct message *message, struct run *run, struct job *job)
{
	struct verify *verify = &message->verify;

	assert(message->input.fd < 0);
	message->job = job;
	message->handed_bytes = 0;
	memcpy(message->state, sha256_initial, sizeof(message->state));
	message->lacks_disk = false;
	message->may_be_mapped = message->has_lacked = false;
	input_begin(&message->input, run, job);
	verify->crypto = run->config->crypto;
	if (!verify->crypto)
		return;
	memcpy(verify->state, sha256_initial, sizeof(verify->state));
	libcrypto_init(verify->crypto, &verify->other);
}

/* --verify -------------------------------------------------------------------- */

void
verify_feed(struct verify *verify, const uint8_t *data, uint32_t nblocks,
	    size_t message_bytes)
{
	if (!verify->crypto)
		return;
	sha256_blocks(verify->state, data, nblocks);
	libcrypto_update(verify->crypto, &verify->other, data, message_bytes);
}

bool
verify_expected(struct verify *verify, uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint8_t other[SHA256_DIGEST_BYTES];

	sha256_digest(verify->state, digest);
	libcrypto_final(verify->crypto, &verify->other, other);
	return memcmp(digest, other, sizeof(other)) == 0;
}

enum job_verdict
verify_finish(struct verify *verify, uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint8_t expected[SHA256_DIGEST_BYTES];

	if (!verify->crypto)
		return JOB_TRUSTED;
	if (!verify_expected(verify, expected))
		return JOB_DISPUTED;
	if (memcmp(expected, digest, sizeof(expected)) == 0)
		return JOB_TRUSTED;
	memcpy(digest, expected, sizeof(expected));
	return JOB_CORRECTED;
}
