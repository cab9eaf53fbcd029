/* SPDX-License-Identifier: MIT */
/*
 * buffer_layout: where the buffers of lanes lie in memory.
 *
 *     buffer   | capacity                   | padding | slack | gap |
 *
 * In the sets of a cache they lie one 64-byte line apart, lane after lane, so
 * that no two of them compete for the same set: neither in a CPU's first level
 * nor in the direct-mapped TMU caches of QPUs, where it would cost a factor
 * of 6.
 */
#ifndef SRC_LANES_BUFFER_LAYOUT_H
#define SRC_LANES_BUFFER_LAYOUT_H

#include <stddef.h>

#include "src/base/fips180.h"
#include "src/lanes/input.h"

enum {
	/* The capacity of a CPU's lane, while memory is not short. */
	LANE_BYTES = INPUT_LONG_BYTES,
	/* Two addresses with this distance share the sets of a cache. */
	CACHE_WAY_BYTES = 4096
};

/* The sizes of one lane's buffer. */
struct buffer_layout {
	size_t capacity;    /* bytes that one read may fill */
	size_t slack_bytes; /* after the blocks, for the engine */
};

/* Bytes that follow the capacity: for the padding and the engine. */
static inline size_t
buffer_layout_space(const struct buffer_layout *layout)
{
	return INPUT_PADDING_BYTES + layout->slack_bytes;
}

static inline size_t
buffer_layout_round_up(size_t bytes)
{
	return (bytes + CACHE_WAY_BYTES - 1) / CACHE_WAY_BYTES *
	       CACHE_WAY_BYTES;
}

/* Return the bytes from one buffer to the next. */
static inline size_t
buffer_layout_stride(const struct buffer_layout *layout)
{
	return buffer_layout_round_up(layout->capacity +
				      buffer_layout_space(layout)) +
	       SHA256_BLOCK_BYTES;
}

/* Return the bytes of n buffers, which must be aligned to CACHE_WAY_BYTES. */
static inline size_t
buffer_layout_bytes(const struct buffer_layout *layout, unsigned n)
{
	return buffer_layout_round_up(buffer_layout_stride(layout) * n);
}

#endif
