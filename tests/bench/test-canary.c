/* SPDX-License-Identifier: MIT */
/*
 * Promise: --benchmark counts the runs that nothing disturbed, and knows when
 * there were none.
 */
#include "config.h"

#include "src/bench/canary.h"

#include "src/bench/cycles.h"
#include "tests/support/tap.h"

enum { COUNT = 20 };

/* The time says which one it is. */
static void
fill(struct sample samples[COUNT], double canary)
{
	for (int i = 0; i < COUNT; i++)
		samples[i] = (struct sample){ .seconds = i, .canary = canary };
}

int
main(void)
{
	struct canary canary = { .best = 100 };
	struct sample samples[COUNT];

	fill(samples, 101);
	ok(canary_sift(&canary, samples, COUNT) == COUNT,
	   "all runs count on a quiet core");
	fill(samples, 130);
	ok(canary_sift(&canary, samples, COUNT) == 0,
	   "none beside a busy neighbour");

	fill(samples, 130);
	for (int i = 9; i < 14; i++)
		samples[i].canary = 102;
	bool quiet = canary_sift(&canary, samples, COUNT) == 5;
	double sum = 0;
	for (int i = 0; i < COUNT; i++) {
		quiet &= i >= 5 || samples[i].canary == 102;
		sum += samples[i].seconds;
	}
	ok(quiet, "the quiet runs come first");
	ok(sum == COUNT * (COUNT - 1) / 2.0, "and none is lost");

	fill(samples, 130);
	for (int i = 0; i < 4; i++)
		samples[i].canary = 102;
	ok(canary_sift(&canary, samples, COUNT) == 0,
	   "four of twenty may be chance");
	ok(canary.best == 100, "slow moments teach nothing");

	fill(samples, 80);
	ok(canary_sift(&canary, samples, COUNT) == COUNT && canary.best == 80,
	   "a core that has become quiet is noticed");
	fill(samples, 100);
	ok(canary_sift(&canary, samples, COUNT) == 0,
	   "and what counted before does so no longer");
	fill(samples, 60);
	ok(canary_sift(&canary, samples, 1) == 1 && canary.best == 80,
	   "one run counts, but is no evidence of a quieter core");

	double values[] = { 3, 1, 4, 1.5, 9, 2, 6, 5, 3.5, 8 };
	ok(cycles_quantile(values, 10, 0.5) == 4, "the median");
	ok(cycles_quantile(values, 10, 0.1) == 1.5, "one tenth lies below");

	canary_open(&canary);
	ok(canary.kernel && canary.best > 0 && canary_read(&canary) > 0,
	   "a reading takes a kernel of this CPU");
	return tap_done();
}
