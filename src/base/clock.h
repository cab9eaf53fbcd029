/* SPDX-License-Identifier: MIT */
/*
 * clock: the monotonic clock (CLOCK_MONOTONIC) for durations and deadlines,
 * which has no relation to the time of day; a thread's CPU time; and whether two
 * times, such as files' mtimes, are equal.
 */
#ifndef SRC_BASE_CLOCK_H
#define SRC_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { CLOCK_NS_PER_MS = 1000000, CLOCK_NS_PER_S = 1000000000 };

/* Return the nanoseconds of one of the system's clocks.  Async-signal-safe. */
static inline uint64_t
clock_read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Return the nanoseconds since an arbitrary start. */
static inline uint64_t
clock_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Return the CPU time of this thread in nanoseconds. */
static inline uint64_t
clock_thread_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline bool
clock_is_equal(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

#endif
