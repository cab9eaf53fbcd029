/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/sample.h"

#include <string.h>

#include "src/base/batch.h"

/* Does the message go on after what the launch hashes of the lane? */
static bool
goes_on(const struct batch *batch, const struct sample_message *message)
{
	const unsigned lane = message->lane;

	return message->end == batch->nends[lane] ||
	       batch->ends[lane][message->end].block > batch->done[lane];
}

/* How many messages, or parts of them, does the launch hash in a lane? */
static uint32_t
count_messages(const struct batch *batch, unsigned lane)
{
	const uint32_t done = batch->done[lane];
	uint32_t n = 0;

	while (n < batch->nends[lane] && batch->ends[lane][n].block <= done)
		n++;
	return n + (n == 0 || batch->ends[lane][n - 1].block < done);
}

/* Choose a message.  Returns the number of its first block in the lane. */
static uint32_t
choose(struct sample *sample, const struct batch *batches, unsigned n,
       struct sample_message *message)
{
	const unsigned lanes = n * BATCH_LANES;
	unsigned i = nonce_below(&sample->nonce, lanes);
	const struct batch *batch;
	uint32_t first = 0, end;

	while (batches[i / BATCH_LANES].done[i % BATCH_LANES] == 0)
		i = (i + 1) % lanes;
	batch = &batches[i / BATCH_LANES];
	message->batch = i / BATCH_LANES;
	message->lane = i % BATCH_LANES;
	message->end = nonce_below(&sample->nonce,
				   count_messages(batch, message->lane));
	if (message->end > 0) {
		first = batch->ends[message->lane][message->end - 1].block;
		memcpy(message->state, sha256_initial, sizeof(sha256_initial));
	} else {
		batch_get_state(batch, message->lane, message->state);
	}
	end = goes_on(batch, message) ?
		      batch->done[message->lane] :
		      batch->ends[message->lane][message->end].block;
	message->blocks = end - first;
	return first;
}

void
sample_take(struct sample *sample, const struct batch *batches, unsigned n)
{
	uint64_t blocks = 0;
	uint32_t used = 0;

	sample->n = 0;
	for (unsigned i = 0; i < n * BATCH_LANES; i++)
		blocks += batches[i / BATCH_LANES].done[i % BATCH_LANES];
	if (blocks == 0)
		return;
	sample->owed += (int64_t)blocks;
	while (sample->owed > 0 && used < blocks &&
	       sample->n < SAMPLE_MESSAGES) {
		struct sample_message *to = &sample->messages[sample->n];
		const uint32_t first = choose(sample, batches, n, to);

		if (to->blocks > SAMPLE_BLOCKS - used)
			return;
		memcpy(sample->data + (size_t)used * SHA256_BLOCK_BYTES,
		       batches[to->batch].data[to->lane] +
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
sample_wrong(const struct sample *sample, const struct batch *batches)
{
	for (unsigned i = 0; i < sample->n; i++) {
		const struct sample_message *message = &sample->messages[i];
		const struct batch *batch = &batches[message->batch];
		uint32_t state[SHA256_STATE_WORDS];

		batch_get_state(batch, message->lane, state);
		if (!goes_on(batch, message))
			memcpy(state,
			       batch->ends[message->lane][message->end].state,
			       sizeof(state));
		if (memcmp(state, message->state, sizeof(state)) != 0)
			return message;
	}
	return NULL;
}
