/* SPDX-License-Identifier: MIT */
/*
 * guarded: random bytes that can only be read, between two pages that cannot be
 * read.  A kernel that reads outside of its blocks, or writes to them, crashes.
 */
#ifndef TESTS_CPU_GUARDED_H
#define TESTS_CPU_GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/fips180.h"
#include "tests/support/random.h"

struct guarded {
	const uint8_t *bytes;
	size_t len; /* whole pages */
};

/* Allocate whole pages with room for more than nblocks blocks. */
static inline struct guarded
guarded_new(size_t nblocks)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t len = (nblocks * SHA256_BLOCK_BYTES + page) / page * page;
	uint8_t *all = mmap(NULL, len + 2 * page, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED ||
	    mprotect(all + page, len, PROT_READ | PROT_WRITE) != 0) {
		perror("mmap");
		exit(99);
	}
	for (size_t i = 0; i < len; i++)
		all[page + i] = (uint8_t)random_32();
	if (mprotect(all + page, len, PROT_READ) != 0)
		exit(99);
	return (struct guarded){ all + page, len };
}

/* The place of blocks in the pages. */
enum guarded_place {
	GUARDED_AT_START, /* nothing can be read before them */
	GUARDED_AT_END,	  /* nothing can be read after them */
	GUARDED_ANYWHERE  /* mostly at an odd address */
};

/* Return nblocks blocks at this place. */
static inline const uint8_t *
guarded_blocks(const struct guarded *guarded, enum guarded_place place,
	       size_t nblocks)
{
	const size_t spare = guarded->len - nblocks * SHA256_BLOCK_BYTES;

	if (place == GUARDED_AT_START)
		return guarded->bytes;
	if (place == GUARDED_AT_END)
		return guarded->bytes + spare;
	return guarded->bytes + random_32() % spare;
}

#endif
