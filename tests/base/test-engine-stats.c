/* SPDX-License-Identifier: MIT */
/*
 * Promise: figures are kept in their order, as many as there is room for; the
 * clock counts nanoseconds of CLOCK_MONOTONIC.
 */
#include "config.h"

#include "src/base/engine_stats.h"

#include <time.h>

#include "src/base/clock.h"
#include "tests/support/tap.h"

static struct timespec now;

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time);
int
__wrap___clock_gettime64(clockid_t clock, struct timespec *time)
	__attribute__((alias("__wrap_clock_gettime")));

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	*time = clock == CLOCK_MONOTONIC ? now : (struct timespec){ 0 };
	return 0;
}

int
main(void)
{
	struct engine_stats stats = { .nrows = 0 };

	engine_stats_add(&stats, 1.5, 2, "MB/s", "rate of %s %u", "QPU", 3u);
	ok(stats.nrows == 1 && stats.rows[0].value == 1.5 &&
		   stats.rows[0].decimals == 2,
	   "a figure with its decimals");
	is(stats.rows[0].label, "rate of QPU 3", "its label");
	is(stats.rows[0].unit, "MB/s", "its unit");
	for (unsigned i = 1; i < ENGINE_STATS_ROWS + 2; i++)
		engine_stats_add(&stats, i, 0, "", "row %u", i);
	ok(stats.nrows == ENGINE_STATS_ROWS &&
		   stats.rows[ENGINE_STATS_ROWS - 1].value ==
			   ENGINE_STATS_ROWS - 1,
	   "figures that do not fit are left out");
	is(stats.rows[ENGINE_STATS_ROWS - 1].label, "row 63", "the last one");

	now = (struct timespec){ .tv_sec = 5, .tv_nsec = 7 };
	ok(clock_ns() == UINT64_C(5000000007), "seconds and nanoseconds");
	now.tv_sec = 10000000;
	ok(clock_ns() == UINT64_C(10000000000000007), "months of them");
	return tap_done();
}
