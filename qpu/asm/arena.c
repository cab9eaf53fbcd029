/* SPDX-License-Identifier: MIT */
/*
 * arena: a list of chunks, freed together.
 */
#include "config.h"

#include "qpu/asm/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 65536 };

struct asm_chunk {
	struct asm_chunk *next;
	size_t size;
	alignas(max_align_t) char bytes[];
};

static void
add_chunk(struct asm_arena *arena, size_t size)
{
	struct asm_chunk *chunk = calloc(1, sizeof(*chunk) + size);

	if (!chunk)
		longjmp(arena->exhausted, 1);
	chunk->size = size;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->used = 0;
}

void *
asm_arena_alloc(struct asm_arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);

	if (size > PTRDIFF_MAX)
		longjmp(arena->exhausted, 1);
	size = (size + align - 1) / align * align;
	if (!arena->chunks || arena->chunks->size - arena->used < size)
		add_chunk(arena, size > CHUNK_BYTES ? size : CHUNK_BYTES);

	void *memory = arena->chunks->bytes + arena->used;
	arena->used += size;
	return memory;
}

char *
asm_arena_strndup(struct asm_arena *arena, const char *text, size_t len)
{
	char *copy = asm_arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}

void *
asm_arena_grow(struct asm_arena *arena, void *array, size_t count,
	       size_t element_size)
{
	if (count & (count - 1))
		return array;
	/* Doubling cannot overflow: the array is already in memory. */
	void *larger =
		asm_arena_alloc(arena, (count ? 2 * count : 1) * element_size);
	if (count)
		memcpy(larger, array, count * element_size);
	return larger;
}

void
asm_arena_free(struct asm_arena *arena)
{
	while (arena->chunks) {
		struct asm_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}
