/* SPDX-License-Identifier: MIT */
/*
 * stream_memory: the buffers of a device's streams, in pieces of its memory.
 *
 * Each stream has two.  They are laid out as buffer_layout says; first comes
 * one buffer of each stream, then the other, so that a launch needs half of the
 * pieces.
 */
#ifndef SRC_FEED_STREAM_MEMORY_H
#define SRC_FEED_STREAM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/engine.h"
#include "src/feed/stream.h"

/* A buffer, at most: longer launches would gain little (512 blocks reach 98.8 %
 * of full speed, 1024 reach 99.3 %). */
enum { STREAM_MEMORY_BUFFER_BYTES = 32 << 10 };

struct stream_memory {
	const struct engine *engine;
	void *device; /* the engine, open */
	void **pieces;
	unsigned npieces;
	size_t piece_bytes;
};

/*
 * Place the buffers of *n streams: with little memory smaller ones, then for
 * fewer streams, of which *n tells.  *blocks is what a buffer holds.  False:
 * there is no memory for one stream.
 */
bool
stream_memory_allocate(struct stream_memory *, const struct engine_limits *,
		       struct stream *streams, unsigned *n, uint32_t *blocks);

void
stream_memory_free(struct stream_memory *);

#endif
