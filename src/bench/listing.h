/* SPDX-License-Identifier: MIT */
/*
 * listing: --list-devices, one line for each device and engine, with lines of
 * details behind it; or one JSON object with all of it.
 */
#ifndef SRC_BENCH_LISTING_H
#define SRC_BENCH_LISTING_H

#include <stdbool.h>

void
listing_print(bool details, bool json);

#endif
