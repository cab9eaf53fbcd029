/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/message.h"

#include <string.h>

#include "cpu/sha256.h"
#include "src/lanes/ahead.h"
#include "src/lanes/run.h"

void
message_begin(struct message *message, struct run *run)
{
	struct verify *verify = &message->verify;

	message->handed_bytes = 0;
	memcpy(message->state, sha256_initial, sizeof(message->state));
	message->lacks_disk = message->may_be_mapped = message->has_lacked =
		false;
	message->why = HANDOVER_READY;
	input_begin(&message->input, run, &message->job);
	if (!run->disks)
		message->input.patience = INPUT_FOR_ALL;
	else if (run->config->one_input || !ahead_is_possible(&run->ahead))
		message->input.patience = INPUT_FOR_SHORT;
	verify->crypto = run->config->crypto;
	if (!verify->crypto)
		return;
	memcpy(verify->state, sha256_initial, sizeof(verify->state));
	libcrypto_init(verify->crypto, &verify->other);
}

void
message_end(struct message *message)
{
	struct run *run = message->input.run;

	ahead_stop(&run->ahead, message);
	if (message->disk) {
		disk_release(run->disks, message->disk);
		message->disk = NULL;
		sequencer_wake(&run->sequencer);
	}
	input_close(&message->input);
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
