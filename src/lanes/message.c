/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/message.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/lanes/ahead.h"

struct message *
message_new(void)
{
	struct message *message = calloc(1, sizeof(*message));

	if (message)
		reader_reset(&message->reader);
	return message;
}

void
message_free(struct message *message)
{
	if (!message)
		return;
	reader_close(&message->reader);
	ahead_free(message->ahead);
	free(message);
}

void
message_begin(struct message *message, struct job *job,
	      const struct libcrypto *crypto)
{
	struct verify *verify = &message->verify;

	message->job = job;
	message->handed_bytes = 0;
	message->leaves = message->for_lane = false;
	message->unopened = message->refused = message->fetched = false;
	message->may_wait = false;
	message->may_be_mapped = message->has_lacked = false;
	reader_reset(&message->reader);
	verify->crypto = crypto;
	if (!crypto)
		return;
	memcpy(verify->state, sha256_initial, sizeof(verify->state));
	libcrypto_init(crypto, &verify->other);
}

bool
message_is_refused(const struct message *message)
{
	const struct reader *reader = &message->reader;
	struct job *job = message->job;
	const struct job_filter *filter = job->filter;
	const bool same = file_version_is_same(reader->version, job->version);

	job->verdict = JOB_TRUSTED;
	if (reader->is_postponed)
		return false;
	job->version = reader->version;
	if (job->begins_again && !same)
		job->verdict = JOB_CHANGED;
	else if (!filter)
		return false;
	else if (!reader->is_regular)
		job->verdict = filter->any_kind ? JOB_TRUSTED : JOB_NOT_REGULAR;
	else if (filter->has_output &&
		 reader->version.device == filter->device &&
		 reader->version.inode == filter->inode)
		job->verdict = JOB_IS_OUTPUT;
	else if (filter->knows && filter->knows(job))
		job->verdict = JOB_KNOWN;
	return job->verdict != JOB_TRUSTED;
}

uint64_t
message_blocks_left(const struct message *message)
{
	return message_padded_blocks(reader_remaining(&message->reader));
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
