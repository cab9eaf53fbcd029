/* SPDX-License-Identifier: MIT */
/*
 * listing: the output of --list-devices: one line for each device and engine, with
 * `details` more lines about it; with `json` one object for each, always with the
 * details, and a summary.
 */
#ifndef SRC_BENCH_LISTING_H
#define SRC_BENCH_LISTING_H

#include <stdbool.h>

#include "src/pipeline/engines.h"

/* Print the rows of a table, which ends with a row without a device. */
void
listing_print(const struct engine_row *engines, bool details, bool json);

#endif
