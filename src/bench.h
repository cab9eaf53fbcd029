/* SPDX-License-Identifier: MIT */
/*
 * bench: how fast every kernel and every engine is here, in memory: no files,
 * no threads.  Each is checked against the reference before it is timed.
 */
#ifndef SRC_BENCH_H
#define SRC_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "src/rates.h"

/* Write a table for people, or JSON, to out; a few seconds.  *rates becomes
 * the best of each engine.  Returns 0 if everything computed the right thing,
 * else 1. */
int
bench_run(FILE *out, bool json, struct rates *rates);

#endif
