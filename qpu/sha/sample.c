/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/sample.h"

#include <string.h>

#include "cpu/sha256.h"
#include "qpu/sha/proofs.h"

/* Return true if the message continues beyond the blocks of this launch. */
static bool
goes_on(const struct engine_lane *lane, const struct sample_message *message)
{
	return message->end == lane->nends ||
	       lane->ends[message->end].block > lane->done;
}

/* Return the number of messages, whole or in part, of a lane's blocks. */
static uint32_t
count_messages(const struct engine_lane *lane)
{
	uint32_t n = 0;

	while (n < lane->nends && lane->ends[n].block <= lane->done)
		n++;
	return n + (n == 0 || lane->ends[n - 1].block < lane->done);
}

/* Copy a message, if there is room. */
static void
take(struct sample *sample, const struct engine_lane *lane, uint32_t first,
     const struct sample_message *message)
{
	struct sample_message *to = &sample->messages[sample->n];

	if (message->blocks > SAMPLE_ROOM - sample->blocks)
		return;
	*to = *message;
	memcpy(to->state, message->end > 0 ? sha256_initial : lane->state,
	       sizeof(to->state));
	memcpy(sample->data + (size_t)sample->blocks * SHA256_BLOCK_BYTES,
	       lane->data + (size_t)first * SHA256_BLOCK_BYTES,
	       (size_t)message->blocks * SHA256_BLOCK_BYTES);
	sample->n++;
	sample->blocks += message->blocks;
	sample->pending -= (int64_t)SAMPLE_ONE_OF * message->blocks;
}

/* Take some messages of a lane, each with the probability budget / (messages x
 * blocks). */
static void
take_some(struct sample *sample, const struct engine_lane *lane,
	  struct sample_message message, double messages, double budget)
{
	const double most = budget * (UINT64_C(1) << 32);
	uint32_t at = 0;

	for (message.end = 0; at < lane->done; message.end++) {
		message.blocks = (goes_on(lane, &message) ?
					  lane->done :
					  lane->ends[message.end].block) -
				 at;
		if (nonce_next(&sample->nonce) * messages * message.blocks <
		    most)
			take(sample, lane, at, &message);
		at += message.blocks;
	}
}

void
sample_take(struct sample *sample, const struct engine_lane *lanes, unsigned n)
{
	const unsigned start = n > 0 ? nonce_below(&sample->nonce, n) : 0;
	double messages = 0;
	int64_t budget;

	sample->n = sample->blocks = 0;
	for (unsigned i = 0; i < n; i++) {
		sample->pending += lanes[i].done;
		if (lanes[i].done > 0)
			messages += count_messages(&lanes[i]);
	}
	budget = sample->pending / SAMPLE_ONE_OF;
	if (budget > SAMPLE_BLOCKS)
		budget = SAMPLE_BLOCKS;
	for (unsigned i = 0; i < n && budget > 0; i++) {
		const unsigned lane = (start + i) % n;

		take_some(sample, &lanes[lane],
			  (struct sample_message){ .lane = lane }, messages,
			  (double)budget);
	}
}

void
sample_hash(struct sample *sample)
{
	const uint8_t *data = sample->data;

	for (unsigned i = 0; i < sample->n; i++) {
		struct sample_message *message = &sample->messages[i];

		sha256_blocks(message->state, data, message->blocks);
		data += (size_t)message->blocks * SHA256_BLOCK_BYTES;
	}
}

const struct sample_message *
sample_wrong(const struct sample *sample, const struct engine_lane *lanes)
{
	for (unsigned i = 0; i < sample->n && proof_counts(PROOF_SAMPLE); i++) {
		const struct sample_message *message = &sample->messages[i];
		const struct engine_lane *lane = &lanes[message->lane];
		const uint32_t *state = goes_on(lane, message) ?
						lane->state :
						lane->ends[message->end].state;

		if (memcmp(state, message->state, sizeof(message->state)) != 0)
			return message;
	}
	return NULL;
}
