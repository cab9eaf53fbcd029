/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/clock.h"

#include <time.h>

uint64_t
clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}
