/* SPDX-License-Identifier: MIT */
/*
 * Promise: a speed is the best of many samples, in cycles of the frequency that
 * the core had.
 */
#include "config.h"

#include "src/bench/measure.h"

#include <stdlib.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	/* Between two looks at the clock: 32,000 additions at 2 GHz. */
	TICK = 16000,
	BLOCKS = 16, /* of a run: 1 KiB */
	SAMPLES = 60
};

/* A run of the work takes this long the n-th time. */
static uint64_t (*work_ns)(unsigned n);
static unsigned runs, fails_at;

static uint64_t
run_work(void *what)
{
	(void)what;
	fault_clock_advance(work_ns(runs++));
	return runs == fails_at ? 0 : BLOCKS;
}

static const struct work work = { run_work, NULL };

/* What a run takes with the look at the clock. */
static uint64_t run_ns;

static uint64_t
even_run(unsigned n)
{
	(void)n;
	return run_ns - TICK;
}

static void
begin(void)
{
	fault_clear();
	fault_clock_set(1);
	fault_clock_step(TICK);
	/* 1 MB/s, 2000 cycles/B. */
	run_ns = 1024000;
	work_ns = even_run;
	runs = fails_at = 0;
}

static bool
is_near(double value, double expected)
{
	return value > expected * 0.9999 && value < expected * 1.0001;
}

static uint64_t
short_run(unsigned n)
{
	(void)n;
	return 40000;
}

/* All differ: 1 to 1.59 ms, in another order, the longest first. */
static uint64_t
uneven_run(unsigned n)
{
	return 1000000 + 10000 * ((59 + n * 7) % 60) - TICK;
}

static void
test_samples(void)
{
	struct speed speed;

	begin();
	ok(is_near(measure_hz(), 2e9), "the frequency is that of additions");
	fault_clear();
	ok(measure_hz() > 0, "this core has a frequency");
	begin();
	ok(measure_speed(&work, &speed) && runs == SAMPLES,
	   "sixty runs are measured");
	ok(is_near(speed.bytes_per_second, 1e6) &&
		   is_near(speed.cycles_per_byte, 2000),
	   "a speed is bytes in a second and cycles for a byte");

	begin();
	work_ns = uneven_run;
	measure_speed(&work, &speed);
	ok(is_near(speed.bytes_per_second, 1024 / 1e-3) &&
		   is_near(speed.cycles_per_byte, 1e-3 * 2e9 / 1024),
	   "the best sample counts");

	begin();
	work_ns = short_run;
	measure_speed(&work, &speed);
	ok(runs == 1 + 2 + SAMPLES * 4 &&
		   is_near(speed.bytes_per_second, 4096 / 176e-6),
	   "runs are doubled until a sample is long enough");

	begin();
	run_ns = 50000000;
	measure_speed(&work, &speed);
	ok(runs == SAMPLES, "work of 50 ms is run sixty times");
	begin();
	run_ns = 50000001;
	ok(measure_speed(&work, &speed) && runs == 1 &&
		   is_near(speed.bytes_per_second, 1024 / 0.050000001),
	   "work of more than 50 ms is run once");

	for (unsigned n = 1; n <= SAMPLES; n += SAMPLES - 1) {
		begin();
		fails_at = n;
		ok(!measure_speed(&work, &speed) && runs == n,
		   "work that fails in run %u is not measured", n);
	}
}

/* The core becomes half as fast in the middle. */
static uint64_t
slowing_run(unsigned n)
{
	(void)n;
	fault_clock_step(2 * TICK);
	return 60000000;
}

static void
test_frequency(void)
{
	struct speed speed;

	begin();
	work_ns = slowing_run;
	measure_speed(&work, &speed);
	ok(is_near(speed.cycles_per_byte, 1.5e9 / speed.bytes_per_second),
	   "the frequency is the mean before and after the samples");
}

int
main(void)
{
	test_samples();
	test_frequency();
	return tap_done();
}
