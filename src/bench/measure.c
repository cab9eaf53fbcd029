/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/measure.h"

#include <stdlib.h>

#include "src/base/batch.h"
#include "src/base/clock.h"

/* Samples are short, so that some of them are disturbed by nothing. */
enum { SAMPLES = 60 };

#define SAMPLE_SECONDS 0.0003

/* The part of the values that are better than the one that counts: others can
 * only make a sample slower, but a clock that changes after its calibration
 * can also make one seem faster. */
#define NEAR_BEST 0.1

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value that this part of them (0..1) lies below.  Sorts them. */
static double
quantile(double *values, size_t count, double part)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[(size_t)((double)count * part)];
}

/*
 * One addition of two registers has a latency of one cycle everywhere.  (An
 * immediate operand would not do: some cores fold those when renaming.)
 */
static double
time_additions(void)
{
	enum { ROUNDS = 1000, ADDITIONS = 32 };
	unsigned long sum = 0, term = 1;
	const uint64_t start = clock_ns();

	__asm__ volatile("" : "+r"(term));
	for (unsigned i = 0; i < ROUNDS; i++) {
#define ADD                                                                    \
	sum += term;                                                           \
	__asm__ volatile("" : "+r"(sum));
#define ADD_8 ADD ADD ADD ADD ADD ADD ADD ADD
		ADD_8 ADD_8 ADD_8 ADD_8
#undef ADD
#undef ADD_8
	}
	return 1e9 * ROUNDS * ADDITIONS / (double)(clock_ns() - start);
}

/* The median: interruptions make single readings slow, and where the clock
 * dithers the fastest would be as wrong as the slowest. */
double
measure_hz(void)
{
	enum { READINGS = 9 };
	double hz[READINGS];

	for (int i = 0; i < READINGS; i++)
		hz[i] = time_additions();
	return quantile(hz, READINGS, 0.5);
}

bool
measure_speed(const struct work *work, struct speed *speed)
{
	double seconds[SAMPLES], cycles[SAMPLES]; /* a byte */
	double before = measure_hz(), last = 0;
	uint64_t repeat = 1;
	unsigned n = 0;

	/* One sample is enough of a slow engine (an emulator). */
	while (n < SAMPLES && last <= MEASURE_SLOW_SECONDS) {
		const uint64_t start = clock_ns();
		uint64_t blocks = 0;

		for (uint64_t i = 0; i < repeat; i++) {
			const uint64_t run = work->run(work->what);

			if (run == 0)
				return false;
			blocks += run;
		}
		last = 1e-9 * (double)(clock_ns() - start);
		if (last < SAMPLE_SECONDS / 2) {
			repeat *= 2;
			continue;
		}

		const double after = measure_hz();

		seconds[n] = last / ((double)blocks * SHA256_BLOCK_BYTES);
		cycles[n] = seconds[n] * (before + after) / 2;
		n++;
		before = after;
	}
	speed->bytes_per_second = 1 / quantile(seconds, n, NEAR_BEST);
	speed->cycles_per_byte = quantile(cycles, n, NEAR_BEST);
	return true;
}
