/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/lane_group.h"

#include <stdlib.h>
#include <string.h>

/* Where two buffers share the sets of a cache. */
enum { CACHE_WAY_BYTES = 4096 };

struct batch *
lane_group_new_batches(unsigned n)
{
	struct batch *batches =
		aligned_alloc(alignof(struct batch), n * sizeof(*batches));

	if (batches)
		memset(batches, 0, n * sizeof(*batches));
	return batches;
}

bool
lane_group_allocate(struct lane_group *group, unsigned nbatches,
		    unsigned lanes_of_batch, unsigned nlanes,
		    const struct lane *model)
{
	group->nbatches = nbatches;
	group->busy = 0;
	group->batches = lane_group_new_batches(nbatches);
	group->lanes = calloc(nlanes, sizeof(*group->lanes));
	if (!group->batches || !group->lanes)
		return false;
	group->nallocated = nlanes;
	for (unsigned i = 0; i < nlanes; i++) {
		struct lane *lane = &group->lanes[i];

		*lane = *model;
		lane->batch = &group->batches[i / lanes_of_batch];
		lane->column = i % lanes_of_batch;
		lane->reader = reader_new();
		if (!lane->reader)
			return false;
	}
	return true;
}

void
lane_group_free(struct lane_group *group)
{
	for (unsigned i = 0; i < group->nallocated; i++)
		reader_free(group->lanes[i].reader);
	free(group->batches);
	free(group->lanes);
	*group = (struct lane_group){ 0 };
}

static size_t
round_up_to_way(size_t bytes)
{
	return (bytes + CACHE_WAY_BYTES - 1) / CACHE_WAY_BYTES *
	       CACHE_WAY_BYTES;
}

static size_t
room_behind(const struct lane_room *room)
{
	return READER_PADDING_BYTES + room->slack_bytes;
}

size_t
lane_stride(const struct lane_room *room)
{
	return round_up_to_way(room->capacity + room_behind(room)) +
	       SHA256_BLOCK_BYTES;
}

size_t
lane_group_buffer_bytes(unsigned nlanes, const struct lane_room *room)
{
	return round_up_to_way(lane_stride(room) * nlanes);
}

void
lane_group_place_buffers(struct lane_group *group, uint8_t *buffers,
			 unsigned nlanes, const struct lane_room *room)
{
	group->nlanes = nlanes;
	for (unsigned i = 0; i < nlanes; i++) {
		struct lane *lane = &group->lanes[i];

		lane->buffer = buffers + i * lane_stride(room);
		lane->capacity = room->capacity;
		lane->room_bytes = room_behind(room);
	}
}
