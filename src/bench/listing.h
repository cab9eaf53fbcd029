/* SPDX-License-Identifier: MIT */
/*
 * listing: --list-devices, one line for each device and engine, with lines of
 * details after it; or one JSON object with all of it.
 */
#ifndef SRC_BENCH_LISTING_H
#define SRC_BENCH_LISTING_H

#include <stdbool.h>

#include "src/pipeline/engines.h"

/* Print the rows of a table that ends without a device. */
void
listing_print(const struct engine_row *engines, bool details, bool json);

#endif
