/* SPDX-License-Identifier: MIT */
/*
 * allocations: how many blocks are in use, and there is memory for so many more
 * only.  For tests on one thread, linked with --wrap for the functions below
 * (allocations in tests/local.mk).  Header only.
 */
#ifndef TESTS_PIPELINE_ALLOCATIONS_H
#define TESTS_PIPELINE_ALLOCATIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static unsigned allocations_left = UINT_MAX; /* so many more succeed */
static int allocations_live;		     /* blocks that are in use */

void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);
void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void *
__real_aligned_alloc(size_t alignment, size_t bytes);
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes);
void
__real_free(void *block);
void
__wrap_free(void *block);

static inline bool
allocations_go_on(void)
{
	if (allocations_left == 0)
		return false;
	allocations_left--;
	allocations_live++;
	return true;
}

void *
__wrap_malloc(size_t bytes)
{
	return allocations_go_on() ? __real_malloc(bytes) : NULL;
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return allocations_go_on() ? __real_calloc(n, bytes) : NULL;
}

/* Not zero by chance. */
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	void *block = allocations_go_on() ?
			      __real_aligned_alloc(alignment, bytes) :
			      NULL;

	if (block)
		memset(block, 0xee, bytes);
	return block;
}

void
__wrap_free(void *block)
{
	allocations_live -= block != NULL;
	__real_free(block);
}

#endif
