/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/canary.h"

#include "cpu/calibration.h"
#include "cpu/features.h"
#include "src/bench/cycles.h"

enum {
	/* Of one reading; of the first look. */
	READING_RUNS = 5,
	FIRST_READINGS = 40,
	/* Fewer undisturbed samples may be so by chance. */
	FEWEST = 5,
	MOST_READINGS = 100
};

/* On a quiet core readings differ by 1 %, beside a busy one by 15 to 50 %. */
#define QUIET 1.08

double
canary_read(const struct canary *canary)
{
	double ns[READING_RUNS];
	const double hz = cycles_hz();

	for (int i = 0; i < READING_RUNS; i++)
		ns[i] = cpu_kernel_ns(canary->kernel);
	return cycles_quantile(ns, READING_RUNS, 0.5) * 1e-9 * hz;
}

void
canary_open(struct canary *canary)
{
	double readings[FIRST_READINGS];

	canary->kernel = cpu_kernel_choose(cpu_features_detect(), BATCH_LANES);
	for (int i = 0; i < FIRST_READINGS; i++)
		readings[i] = canary_read(canary);
	canary->best = cycles_quantile(readings, FIRST_READINGS, 0.1);
}

size_t
canary_sift(struct canary *canary, struct sample *samples, size_t count)
{
	double readings[MOST_READINGS];
	const size_t fewest = count < FEWEST ? count : FEWEST;
	size_t n = 0, kept = 0;

	for (; n < count && n < MOST_READINGS; n++)
		readings[n] = samples[n].canary;
	/* Few readings may be wrong in either direction. */
	if (n >= FEWEST) {
		const double best = cycles_quantile(readings, n, 0.1);

		if (best < canary->best)
			canary->best = best;
	}
	for (size_t i = 0; i < count; i++) {
		const struct sample sample = samples[i];

		if (sample.canary > canary->best * QUIET)
			continue;
		samples[i] = samples[kept];
		samples[kept++] = sample;
	}
	return kept < fewest ? 0 : kept;
}
