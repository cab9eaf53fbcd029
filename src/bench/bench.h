/* SPDX-License-Identifier: MIT */
/*
 * bench: measure every kernel and every engine on this machine, in memory,
 * without files and threads.  Each is first checked against the reference.
 */
#ifndef SRC_BENCH_BENCH_H
#define SRC_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "src/bench/rates.h"

/* Write a table for people, or JSON, to out; a few seconds.  *rates becomes
 * the best of each engine.  Returns 0 if everything computed the right thing,
 * else 1. */
int
bench_run(FILE *out, bool json, struct rates *rates);

#endif
