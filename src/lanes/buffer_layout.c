/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/buffer_layout.h"

#include <stdlib.h>
#include <string.h>

#include "src/lanes/reader.h"

size_t
buffer_layout_space(const struct buffer_layout *layout)
{
	return READER_PADDING_BYTES + layout->slack_bytes;
}

static size_t
round_up_to_way(size_t bytes)
{
	return (bytes + CACHE_WAY_BYTES - 1) / CACHE_WAY_BYTES *
	       CACHE_WAY_BYTES;
}

size_t
buffer_layout_stride(const struct buffer_layout *layout)
{
	return round_up_to_way(layout->capacity + buffer_layout_space(layout)) +
	       SHA256_BLOCK_BYTES;
}

size_t
buffer_layout_bytes(const struct buffer_layout *layout, unsigned n)
{
	return round_up_to_way(buffer_layout_stride(layout) * n);
}

struct batch *
batches_new(unsigned n)
{
	struct batch *batches =
		aligned_alloc(alignof(struct batch), n * sizeof(*batches));

	if (batches)
		memset(batches, 0, n * sizeof(*batches));
	return batches;
}
