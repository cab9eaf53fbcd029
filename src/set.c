/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/set.h"

#include <stdlib.h>
#include <string.h>

/* Where two buffers share the sets of a cache. */
enum { CACHE_WAY_BYTES = 4096 };

static struct batch *
new_batches(unsigned n)
{
	struct batch *batches = aligned_alloc(alignof(struct batch),
					      n * sizeof(*batches));

	if (batches)
		memset(batches, 0, n * sizeof(*batches));
	return batches;
}

bool
set_allocate(struct set *set, unsigned nbatches, unsigned lanes_of_batch,
	     unsigned nlanes, bool may_fail, const struct lane *model)
{
	set->nbatches = nbatches;
	set->busy = 0;
	set->batches = new_batches(nbatches);
	set->saved = may_fail ? new_batches(nbatches) : NULL;
	set->lanes = calloc(nlanes, sizeof(*set->lanes));
	if (!set->batches || (may_fail && !set->saved) || !set->lanes)
		return false;
	for (unsigned i = 0; i < nlanes; i++) {
		set->lanes[i] = *model;
		set->lanes[i].batch = &set->batches[i / lanes_of_batch];
		set->lanes[i].column = i % lanes_of_batch;
	}
	return true;
}

void
set_free(struct set *set)
{
	free(set->batches);
	free(set->saved);
	free(set->lanes);
	*set = (struct set){ 0 };
}

static size_t
round_up_to_way(size_t bytes)
{
	return (bytes + CACHE_WAY_BYTES - 1) / CACHE_WAY_BYTES *
	       CACHE_WAY_BYTES;
}

static size_t
lane_stride(size_t capacity)
{
	return round_up_to_way(capacity + READER_SLACK_BYTES) +
	       SHA256_BLOCK_BYTES;
}

size_t
set_buffer_bytes(unsigned nlanes, size_t capacity)
{
	return round_up_to_way(lane_stride(capacity) * nlanes);
}

void
set_place_buffers(struct set *set, uint8_t *buffers, unsigned nlanes,
		  size_t capacity)
{
	set->nlanes = nlanes;
	for (unsigned i = 0; i < nlanes; i++) {
		set->lanes[i].buffer = buffers + i * lane_stride(capacity);
		set->lanes[i].capacity = capacity;
	}
}

void
set_save(struct set *set)
{
	memcpy(set->saved, set->batches, set->nbatches * sizeof(*set->saved));
}

void
set_restore(struct set *set)
{
	memcpy(set->batches, set->saved, set->nbatches * sizeof(*set->saved));
}
