/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/calibration.h"

#include <math.h>
#include <string.h>

#include "src/base/clock.h"

enum {
	/* Whatever else runs can only add to the time: the best of so many. */
	RUNS = 4,
	/* Of a run, over all lanes: about a microsecond. */
	RUN_BLOCKS = 64
};

/* What is hashed has no influence on the time: all lanes read the same. */
struct workload {
	alignas(64) uint32_t rows[SHA256_STATE_WORDS][BATCH_LANES];
	uint32_t states[BATCH_LANES][SHA256_STATE_WORDS];
	uint8_t bytes[RUN_BLOCKS * SHA256_BLOCK_BYTES];
	const uint8_t *data[BATCH_LANES];
};

/* Nanoseconds a block, whatever the number of lanes. */
static double
time_kernel(const struct cpu_kernel *kernel, struct workload *work)
{
	const size_t nblocks = RUN_BLOCKS / kernel->lanes;
	const uint64_t start = clock_ns();

	if (kernel->run_streams)
		kernel->run_streams(work->states, work->data, nblocks);
	else
		kernel->run_lanes(work->rows, work->data, nblocks);
	return (double)(clock_ns() - start) / (double)(nblocks * kernel->lanes);
}

static void
workload_init(struct workload *work)
{
	memset(work, 0, sizeof(*work));
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		work->data[lane] = work->bytes;
}

double
cpu_kernel_ns(const struct cpu_kernel *kernel)
{
	struct workload work;

	workload_init(&work);
	return time_kernel(kernel, &work);
}

bool
cpu_kernel_is_faster(const struct cpu_kernel *kernel,
		     const struct cpu_kernel *than)
{
	double best = HUGE_VAL, best_other = HUGE_VAL;
	struct workload work;

	workload_init(&work);
	for (int run = 0; run < RUNS; run++) {
		const double other = time_kernel(than, &work);
		const double time = time_kernel(kernel, &work);

		if (other < best_other)
			best_other = other;
		if (time < best)
			best = time;
	}
	return best < best_other;
}
