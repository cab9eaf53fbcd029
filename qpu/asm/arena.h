/* SPDX-License-Identifier: MIT */
/*
 * arena: the memory of one run of the assembler, released as a whole.
 *
 * Allocations never return null: when memory runs out, the arena jumps to the
 * setjmp of asm.c, which reports it.
 */
#ifndef QPU_ASM_ARENA_H
#define QPU_ASM_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct asm_arena {
	struct asm_chunk *chunks; /* the newest first */
	size_t used;		  /* of the newest */
	jmp_buf exhausted;
};

/* Zeroed and aligned for any type; never null. */
void *
asm_arena_alloc(struct asm_arena *arena, size_t size);

/* A copy of len bytes and a terminating null byte. */
char *
asm_arena_strndup(struct asm_arena *arena, const char *text, size_t len);

/*
 * Make room for one more element in a growing array of count elements.  The
 * array moves when count is a power of two; the old one stays in the arena.
 */
#define ASM_ARENA_GROW(arena, array, count)                                    \
	((array) = asm_arena_grow(arena, array, count, sizeof(*(array))))

void *
asm_arena_grow(struct asm_arena *arena, void *array, size_t count,
	       size_t element_size);

void
asm_arena_free(struct asm_arena *arena);

#endif
