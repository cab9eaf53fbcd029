/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/sample.h"

#include <string.h>

#include "src/base/fips180.h"

/* Hash what lane `lane` of a batch has of its message number `end`.  Returns its
 * blocks. */
static uint32_t
hash_message(const struct batch *batch, unsigned lane, uint32_t end,
	     uint32_t state[SHA256_STATE_WORDS])
{
	const struct batch_end *ends = batch->ends[lane];
	const uint32_t first = end > 0 ? ends[end - 1].block : 0;
	const bool goes_on = end == batch->nends[lane] ||
			     ends[end].block > batch->done[lane];
	const uint32_t blocks =
		(goes_on ? batch->done[lane] : ends[end].block) - first;
	uint8_t block[SHA256_BLOCK_BYTES];

	if (end > 0)
		memcpy(state, sha256_initial, sizeof(sha256_initial));
	else
		batch_get_state(batch, lane, state);
	/* The memory may be slow to read but in large pieces. */
	for (uint32_t i = 0; i < blocks; i++) {
		memcpy(block,
		       batch->data[lane] +
			       (size_t)(first + i) * SHA256_BLOCK_BYTES,
		       sizeof(block));
		known_hash(state, block, 1);
	}
	return blocks;
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

void
sample_take(struct sample *sample, const struct batch *batches, unsigned n)
{
	const unsigned lanes = n * BATCH_LANES;
	uint64_t blocks = 0;

	sample->n = 0;
	for (unsigned i = 0; i < lanes; i++)
		blocks += batches[i / BATCH_LANES].done[i % BATCH_LANES];
	if (blocks == 0)
		return;
	sample->owed += (int64_t)blocks;
	while (sample->owed > 0 && sample->n < SAMPLE_MOST) {
		struct sample_message *to = &sample->messages[sample->n++];
		unsigned i = nonce_below(&sample->nonce, lanes);

		while (batches[i / BATCH_LANES].done[i % BATCH_LANES] == 0)
			i = (i + 1) % lanes;
		to->batch = i / BATCH_LANES;
		to->lane = i % BATCH_LANES;
		to->end = nonce_below(&sample->nonce,
				      count_messages(&batches[to->batch],
						     to->lane));
		sample->owed -= (int64_t)SAMPLE_ONE_OF *
				hash_message(&batches[to->batch], to->lane,
					     to->end, to->state);
	}
}

bool
sample_agrees(const struct sample *sample, const struct batch *batches,
	      const struct sample_message **message)
{
	for (unsigned i = 0; i < sample->n; i++) {
		const struct sample_message *one = &sample->messages[i];
		const struct batch *batch = &batches[one->batch];
		const unsigned lane = one->lane;
		uint32_t state[SHA256_STATE_WORDS];

		if (one->end < batch->nends[lane] &&
		    batch->ends[lane][one->end].block <= batch->done[lane])
			memcpy(state, batch->ends[lane][one->end].state,
			       sizeof(state));
		else
			batch_get_state(batch, lane, state);
		*message = one;
		if (memcmp(state, one->state, sizeof(state)) != 0)
			return false;
	}
	return true;
}
