/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/eviction.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/virtual/board/buffer.h"

enum { LINE = 64 };

/* A cached buffer as the CPU sees it, and memory. */
struct views {
	uint8_t *cpu, *memory;
	size_t bytes;
};

static void
close_views(const struct views *views)
{
	if (views->cpu)
		munmap(views->cpu, views->bytes);
	if (views->memory)
		munmap(views->memory, views->bytes);
}

static bool
open_views(const struct board *board, unsigned number, struct views *views)
{
	const struct board_buffer *buffer = &board->shared->buffers[number];

	if (!buffer->bytes || buffer->cache.ino == 0)
		return false;
	views->bytes = buffer->bytes;
	views->cpu = buffer_map(board, BOARD_CACHE, number);
	views->memory = buffer_map(board, BOARD_BUFFER, number);
	if (views->cpu && views->memory)
		return true;
	close_views(views);
	return false;
}

/* A coin for a line of a buffer in a launch, the same in every run. */
static bool
toss(const struct board *board, unsigned number, size_t line)
{
	const struct board_shared *shared = board->shared;
	uint64_t x = shared->options.device.seed + shared->totals.launches;

	x = (x * 4096 + number) * 65536 + line / LINE + 1;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x >> 63;
}

void
eviction_begin(struct eviction *eviction, const struct board *board)
{
	struct views views;

	for (unsigned i = 0; i < BOARD_BUFFERS; i++) {
		if (!board->shared->options.evictions ||
		    !open_views(board, i, &views))
			continue;
		for (size_t at = 0; at < views.bytes; at += LINE)
			if (memcmp(views.memory + at, views.cpu + at, LINE) &&
			    toss(board, i, at))
				memcpy(views.memory + at, views.cpu + at, LINE);
		free(eviction->before[i]);
		eviction->before[i] = malloc(views.bytes);
		if (eviction->before[i])
			memcpy(eviction->before[i], views.memory, views.bytes);
		close_views(&views);
	}
}

void
eviction_end(struct eviction *eviction, const struct board *board)
{
	struct views views;

	for (unsigned i = 0; i < BOARD_BUFFERS; i++) {
		uint8_t *before = eviction->before[i];

		eviction->before[i] = NULL;
		if (before && open_views(board, i, &views)) {
			for (size_t at = 0; at < views.bytes; at += LINE)
				if (memcmp(views.memory + at, before + at,
					   LINE))
					memcpy(views.cpu + at,
					       views.memory + at, LINE);
			close_views(&views);
		}
		free(before);
	}
}
