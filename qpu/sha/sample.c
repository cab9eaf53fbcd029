/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/sample.h"

#include <string.h>

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

/* Choose a random message of a random lane with blocks.  Return the place of
 * its first block in the lane. */
static uint32_t
choose(struct sample *sample, const struct engine_lane *lanes, unsigned n,
       struct sample_message *message)
{
	unsigned i = nonce_below(&sample->nonce, n);
	const struct engine_lane *lane;
	uint32_t first = 0, end;

	while (lanes[i].done == 0)
		i = (i + 1) % n;
	lane = &lanes[i];
	message->lane = i;
	message->end = nonce_below(&sample->nonce, count_messages(lane));
	if (message->end > 0)
		first = lane->ends[message->end - 1].block;
	memcpy(message->state, message->end > 0 ? sha256_initial : lane->state,
	       sizeof(message->state));
	end = goes_on(lane, message) ? lane->done :
				       lane->ends[message->end].block;
	message->blocks = end - first;
	return first;
}

void
sample_take(struct sample *sample, const struct engine_lane *lanes, unsigned n)
{
	uint64_t blocks = 0;
	uint32_t used = 0;

	sample->n = 0;
	for (unsigned i = 0; i < n; i++)
		blocks += lanes[i].done;
	if (blocks == 0)
		return;
	sample->owed += (int64_t)blocks;
	while (sample->owed > 0 && used < blocks &&
	       sample->n < SAMPLE_MESSAGES) {
		struct sample_message *to = &sample->messages[sample->n];
		const uint32_t first = choose(sample, lanes, n, to);

		if (to->blocks > SAMPLE_BLOCKS - used)
			return;
		memcpy(sample->data + (size_t)used * SHA256_BLOCK_BYTES,
		       lanes[to->lane].data +
			       (size_t)first * SHA256_BLOCK_BYTES,
		       (size_t)to->blocks * SHA256_BLOCK_BYTES);
		used += to->blocks;
		sample->owed -= (int64_t)SAMPLE_ONE_OF * to->blocks;
		sample->n++;
	}
}

void
sample_hash(struct sample *sample)
{
	const uint8_t *data = sample->data;

	for (unsigned i = 0; i < sample->n; i++) {
		struct sample_message *message = &sample->messages[i];

		known_hash(message->state, data, message->blocks);
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
