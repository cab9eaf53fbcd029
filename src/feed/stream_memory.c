/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/stream_memory.h"

#include <stdlib.h>

#include "src/lanes/buffer_layout.h"

enum {
	/* A smaller buffer would not hold one read of a message. */
	LEAST_BYTES = 4 << 10,
	/* What may be left free in a piece to align its buffers. */
	GAPS_BYTES = 2 * CACHE_WAY_BYTES
};

void
stream_memory_free(struct stream_memory *memory)
{
	while (memory->npieces > 0)
		memory->engine->free(memory->device,
				     memory->pieces[--memory->npieces],
				     memory->piece_bytes);
	free(memory->pieces);
	memory->pieces = NULL;
}

/* How many of all buffers a piece has, so that all pieces are alike. */
static unsigned
buffers_of_piece(size_t wanted_bytes, size_t stride, unsigned all)
{
	unsigned most = all, n;

	if (wanted_bytes > 0 && wanted_bytes / stride < all)
		most = wanted_bytes > stride + GAPS_BYTES ?
			       (unsigned)((wanted_bytes - GAPS_BYTES) /
					  stride) :
			       1;
	n = (all + most - 1) / most;
	return (all + n - 1) / n;
}

/* The first address at or after `at` in the set of a cache that belongs to a
 * stream. */
static uint8_t *
place_in_set(uint8_t *at, unsigned stream)
{
	const size_t set = (size_t)stream * SHA256_BLOCK_BYTES;

	return at + (set - (uintptr_t)at) % CACHE_WAY_BYTES;
}

static bool
allocate(struct stream_memory *memory, size_t wanted_bytes,
	 struct stream *streams, unsigned n, const struct buffer_layout *layout)
{
	const size_t stride = buffer_layout_stride(layout);
	const unsigned all = 2 * n;
	const unsigned each = buffers_of_piece(wanted_bytes, stride, all);
	uint8_t *at = NULL;

	memory->piece_bytes = buffer_layout_bytes(layout, each) + GAPS_BYTES;
	memory->pieces = calloc(all, sizeof(*memory->pieces));
	for (unsigned i = 0; memory->pieces && i < all; i++) {
		if (i % each == 0) {
			at = memory->engine->alloc(memory->device,
						   memory->piece_bytes);
			if (!at)
				break;
			memory->pieces[memory->npieces++] = at;
		}
		at = place_in_set(at, i % n);
		streams[i % n].buffers[i / n].data = at;
		at += stride;
	}
	if (at)
		return true;
	stream_memory_free(memory);
	return false;
}

bool
stream_memory_allocate(struct stream_memory *memory,
		       const struct engine_limits *limits,
		       struct stream *streams, unsigned *n, uint32_t *blocks)
{
	struct buffer_layout layout = { .slack_bytes =
						engine_slack_bytes(limits) };
	size_t bytes = STREAM_MEMORY_BUFFER_BYTES;

	for (;;) {
		/* The whole buffer, with the slack, is a power of two. */
		layout.capacity = (bytes - buffer_layout_space(&layout)) /
				  SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
		if (allocate(memory, limits->piece_bytes, streams, *n, &layout))
			break;
		if (bytes > LEAST_BYTES)
			bytes /= 2;
		else if (*n > 1)
			*n /= 2;
		else
			return false;
	}
	*blocks = (uint32_t)(layout.capacity / SHA256_BLOCK_BYTES) + 1;
	return true;
}
