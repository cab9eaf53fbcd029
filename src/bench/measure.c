/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/measure.h"

#include <stdlib.h>

#include "src/base/batch.h"
#include "src/base/clock.h"

/* Samples are short, so that some of them are disturbed by nothing. */
enum { SAMPLES = 60 };

#define SAMPLE_SECONDS 0.0003
/* One sample is enough of a slow engine (an emulator). */
#define SLOW_SECONDS 0.05

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
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
	qsort(hz, READINGS, sizeof(*hz), compare_doubles);
	return hz[READINGS / 2];
}

bool
measure_speed(const struct work *work, struct speed *speed)
{
	const double before = measure_hz();
	double best = 0, last = 0; /* seconds a byte, and of a sample */
	uint64_t repeat = 1;
	unsigned n = 0;

	while (n < SAMPLES && last <= SLOW_SECONDS) {
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
		const double seconds =
			last / ((double)blocks * SHA256_BLOCK_BYTES);

		if (n++ == 0 || seconds < best)
			best = seconds;
	}
	speed->bytes_per_second = 1 / best;
	speed->cycles_per_byte = best * (before + measure_hz()) / 2;
	return true;
}
