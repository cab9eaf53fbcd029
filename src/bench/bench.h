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

enum bench_result {
	BENCH_DONE,
	BENCH_WRONG,	/* something computed a wrong result */
	BENCH_NO_MEMORY /* something was not measured, or not written */
};

/* Write a table for people, or JSON, to `out`, a stream in memory; a few
 * seconds.  *rates becomes the best of each engine. */
enum bench_result
bench_run(FILE *out, bool json, struct rates *rates);

#endif
