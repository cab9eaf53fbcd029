/* SPDX-License-Identifier: MIT */
/*
 * forecast: what is known of the work that lies ahead, for the totals of
 * status_line.  The module that knows the inputs looks for it in small steps;
 * the counts are read meanwhile by other threads and by a signal handler, so
 * they are of a size that every machine loads and stores in one piece.
 */
#ifndef SRC_OUTPUT_FORECAST_H
#define SRC_OUTPUT_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct forecast {
	/* Look until this time (clock.h) at the latest, and a little in any
	 * case.  False: there is nothing more to find. */
	bool (*look)(struct forecast *, uint64_t until_ns);
	/* Files that are going to be hashed; 0: their number is not known. */
	size_t files;
	/* The number of them, in their order, that have been looked at, and
	 * their KiB. */
	size_t sized;
	size_t kib;
	/* The size of one of them cannot be known in advance. */
	size_t unsized;
};

static inline size_t
forecast_get(const size_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

static inline void
forecast_set(size_t *count, size_t value)
{
	__atomic_store_n(count, value, __ATOMIC_RELAXED);
}

#endif
