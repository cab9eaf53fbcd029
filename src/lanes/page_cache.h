/* SPDX-License-Identifier: MIT */
/*
 * page_cache: what the system keeps of a file in memory: how much that is, and how
 * to be rid of it.
 */
#ifndef SRC_LANES_PAGE_CACHE_H
#define SRC_LANES_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* The counts of cachestat(2). */
struct page_counts {
	uint64_t cached, dirty, being_written, evicted, evicted_lately;
};

/* Count the pages of a file.  Return false if the system cannot. */
bool
page_cache_count(int fd, struct page_counts *);

/* Write what is dirty of a file to its medium.  Return false and errno if that
 * fails. */
bool
page_cache_write_back(int fd);

/* Drop the pages of the first `bytes` bytes, or of the whole file if bytes is
 * 0. */
bool
page_cache_drop(int fd, uint64_t bytes);

#endif
