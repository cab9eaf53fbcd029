/* SPDX-License-Identifier: MIT */
/*
 * clock: the one monotonic clock (CLOCK_MONOTONIC) for durations and
 * deadlines.  It has no relation to the time of day.
 */
#ifndef SRC_BASE_CLOCK_H
#define SRC_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { CLOCK_NS_PER_MS = 1000000, CLOCK_NS_PER_S = 1000000000 };

/* Nanoseconds since an arbitrary start.  Async-signal-safe. */
static inline uint64_t
clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
