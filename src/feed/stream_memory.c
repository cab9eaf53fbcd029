/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/stream_memory.h"

#include <stdlib.h>

#include "src/lanes/lane_group.h"

enum {
	/* With so little there is one read for each message. */
	LEAST_BYTES = 4 << 10,
	BUFFERS = 2, /* of a stream */
	/* Where two buffers share the sets of a cache; and what may be left
	 * free in a piece to avoid that. */
	WAY_BYTES = 4096,
	GAPS_BYTES = 2 * WAY_BYTES
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

/* How many of so many buffers a piece has, so that all pieces are alike. */
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

/* The first place from there on in the set that belongs to a stream. */
static uint8_t *
place_in_set(uint8_t *at, unsigned stream)
{
	const size_t set = (size_t)stream * SHA256_BLOCK_BYTES;

	return at + (set - (uintptr_t)at) % WAY_BYTES;
}

/* First one buffer of each stream, then the other: a launch then needs half of
 * the pieces. */
static bool
allocate(struct stream_memory *memory, size_t wanted_bytes,
	 struct stream_set *set, const struct lane_room *room)
{
	const size_t stride = lane_stride(room);
	const unsigned all = BUFFERS * set->n;
	const unsigned each = buffers_of_piece(wanted_bytes, stride, all);
	uint8_t *at = NULL;

	memory->piece_bytes = lane_group_buffer_bytes(each, room) + GAPS_BYTES;
	memory->pieces = calloc(all, sizeof(*memory->pieces));
	for (unsigned i = 0; memory->pieces && i < all; i++) {
		if (i % each == 0) {
			at = memory->engine->alloc(memory->device,
						   memory->piece_bytes);
			if (!at)
				break;
			memory->pieces[memory->npieces++] = at;
		}
		at = place_in_set(at, i % set->n);
		set->all[i % set->n].buffers[i / set->n].data = at;
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
		       struct stream_set *set, uint32_t *blocks)
{
	const size_t slack = engine_slack_bytes(limits);
	size_t bytes = STREAM_MEMORY_BUFFER_BYTES;
	struct lane_room room = { .slack_bytes = slack };

	for (;;) {
		/* The whole buffer, with the slack, is a power of two. */
		room.capacity = (bytes - READER_PADDING_BYTES - slack) /
				SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
		if (allocate(memory, limits->piece_bytes, set, &room))
			break;
		if (bytes > LEAST_BYTES)
			bytes /= 2;
		else if (set->n > 1)
			set->n /= 2;
		else
			return false;
	}
	*blocks = (uint32_t)(room.capacity / SHA256_BLOCK_BYTES) + 1;
	return true;
}
