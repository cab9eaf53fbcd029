/* SPDX-License-Identifier: MIT */
/*
 * page_cache: what the system keeps of a file in memory: how much that is, and how
 * to be rid of it.
 */
#ifndef SRC_LANES_PAGE_CACHE_H
#define SRC_LANES_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* As cachestat(2) has it. */
struct page_counts {
	uint64_t cached, dirty, being_written, evicted, evicted_lately;
};

/* Return false if the system does not tell. */
bool
page_cache_count(int fd, struct page_counts *);

/* Write what is dirty of a file to its medium.  Return false and errno if that
 * fails. */
bool
page_cache_write_back(int fd);

/* Drop the pages of the first `bytes` bytes; 0: of the whole file. */
bool
page_cache_drop(int fd, uint64_t bytes);

#endif
