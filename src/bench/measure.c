/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/measure.h"

#include <stdlib.h>

#include "src/base/clock.h"

enum {
	/* Samples are short, so that some of them are disturbed by nothing. */
	SAMPLES = 60,
	/* Fewer undisturbed samples may be so by chance. */
	FEWEST = 5
};

#define SAMPLE_SECONDS 0.0003

/* On a quiet core the probe's time differs by 1 %, beside a busy one by 15 to
 * 50 %. */
#define QUIET 1.08

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

/* Medians: interruptions make single readings slow, and where the clock
 * dithers, the fastest would be as wrong as the slowest. */
struct core_state
core_look(const struct core *core)
{
	enum { HZ_READINGS = 9, PROBE_READINGS = 5 };
	double hz[HZ_READINGS], ns[PROBE_READINGS];
	struct core_state state;

	for (int i = 0; i < HZ_READINGS; i++)
		hz[i] = time_additions();
	for (int i = 0; i < PROBE_READINGS; i++)
		ns[i] = cpu_kernel_ns(core->probe);
	state.hz = quantile(hz, HZ_READINGS, 0.5);
	state.probe_cycles =
		quantile(ns, PROBE_READINGS, 0.5) * 1e-9 * state.hz;
	return state;
}

struct samples {
	unsigned n;
	double seconds[SAMPLES]; /* a byte */
	double cycles[SAMPLES];	 /* a byte */
	double probe[SAMPLES];	 /* the slower of the looks around it */
};

/* Keep the undisturbed samples, or all if there are too few of them. */
static bool
drop_disturbed(struct core *core, struct samples *samples)
{
	double probe[SAMPLES];
	const unsigned fewest = samples->n < FEWEST ? samples->n : FEWEST;
	unsigned kept = 0;

	/* A few readings may be wrong in either direction. */
	if (samples->n >= FEWEST || core->best == 0) {
		for (unsigned i = 0; i < samples->n; i++)
			probe[i] = samples->probe[i];

		const double best = quantile(probe, samples->n, NEAR_BEST);

		if (core->best == 0 || best < core->best)
			core->best = best;
	}
	for (unsigned i = 0; i < samples->n; i++)
		kept += samples->probe[i] <= core->best * QUIET;
	if (kept < fewest)
		return false;
	kept = 0;
	for (unsigned i = 0; i < samples->n; i++) {
		if (samples->probe[i] > core->best * QUIET)
			continue;
		samples->seconds[kept] = samples->seconds[i];
		samples->cycles[kept++] = samples->cycles[i];
	}
	samples->n = kept;
	return true;
}

bool
measure_speed(struct core *core, const struct work *work, struct speed *speed)
{
	struct samples samples = { .n = 0 };
	struct core_state before = core_look(core);
	uint64_t repeat = 1;
	double seconds = 0;

	/* One sample is enough of a slow engine (an emulator). */
	while (samples.n < SAMPLES && seconds <= MEASURE_SLOW_SECONDS) {
		const uint64_t start = clock_ns();
		uint64_t blocks = 0;

		for (uint64_t i = 0; i < repeat; i++) {
			const uint64_t run = work->run(work->what);

			if (run == 0)
				return false;
			blocks += run;
		}
		seconds = 1e-9 * (double)(clock_ns() - start);
		if (seconds < SAMPLE_SECONDS / 2) {
			repeat *= 2;
			continue;
		}

		const struct core_state after = core_look(core);
		const double bytes = (double)blocks * SHA256_BLOCK_BYTES;
		const unsigned n = samples.n++;

		samples.seconds[n] = seconds / bytes;
		samples.cycles[n] =
			seconds / bytes * (before.hz + after.hz) / 2;
		samples.probe[n] = before.probe_cycles > after.probe_cycles ?
					   before.probe_cycles :
					   after.probe_cycles;
		before = after;
	}
	speed->disturbed = !drop_disturbed(core, &samples);
	speed->bytes_per_second =
		1 / quantile(samples.seconds, samples.n, NEAR_BEST);
	speed->cycles_per_byte = quantile(samples.cycles, samples.n, NEAR_BEST);
	return true;
}
