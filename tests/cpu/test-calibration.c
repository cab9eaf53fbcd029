/* SPDX-License-Identifier: MIT */
/*
 * Promise: the calibration prefers the faster of two kernels, per block and
 * not per call; and measuring leaves room for each kernel that there is.
 */
#include "config.h"

#include "cpu/calibration.h"

#include "cpu/features.h"
#include "src/base/clock.h"
#include "tests/support/tap.h"

/* Work that no compiler leaves out. */
static void
spin(size_t turns)
{
	for (size_t i = 0; i < turns; i++)
		__asm__ volatile("" : : "r"(i));
}

enum { SLOW = 10000 };

static void
slow_x1(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
	size_t nblocks)
{
	(void)states;
	(void)data;
	spin(SLOW * nblocks);
}

/* Twice as long for a call, an eighth for a block. */
static void
wide_x16(uint32_t (*state)[BATCH_LANES], const uint8_t *const *data,
	 size_t nblocks)
{
	(void)state;
	(void)data;
	spin(2 * SLOW * nblocks);
}

/* A clock that only scripted kernels advance. */
static bool scripted;
static uint64_t scripted_now;

uint64_t
__real_clock_ns(void);
uint64_t
__wrap_clock_ns(void);

uint64_t
__wrap_clock_ns(void)
{
	return scripted ? scripted_now : __real_clock_ns();
}

/* What each call takes. */
static const unsigned *script_a, *script_b;
static bool all_readable;

static void
run_a(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
      size_t nblocks)
{
	(void)states;
	(void)data;
	scripted_now += *script_a++ * nblocks;
}

/* All lanes read the same bytes, so that nothing but time differs. */
static void
run_b(uint32_t (*state)[BATCH_LANES], const uint8_t *const *data,
      size_t nblocks)
{
	(void)state;
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		all_readable &= data[lane] == data[0];
	for (size_t i = 0; i < nblocks * SHA256_BLOCK_BYTES && all_readable;
	     i++)
		all_readable &= data[0][i] == 0;
	scripted_now += *script_b++ * nblocks;
}

/* The best of four runs counts, whichever it is. */
static void
test_best_run(void)
{
	static const struct {
		unsigned a[4], b[4];
		bool a_is_faster;
	} rows[] = {
		{ { 5, 9, 9, 9 }, { 6, 6, 6, 6 }, true },
		{ { 9, 5, 9, 9 }, { 6, 6, 6, 6 }, true },
		{ { 9, 9, 9, 5 }, { 6, 6, 6, 6 }, true },
		{ { 6, 6, 6, 6 }, { 5, 9, 9, 9 }, false },
		{ { 6, 6, 6, 6 }, { 9, 5, 9, 9 }, false },
		{ { 6, 6, 6, 6 }, { 9, 9, 9, 5 }, false },
		{ { 6, 6, 6, 6 }, { 6, 6, 6, 6 }, false },
	};
	const struct cpu_kernel a = { .name = "a",
				      .lanes = 1,
				      .run_streams = run_a };
	const struct cpu_kernel b = { .name = "b",
				      .lanes = 1,
				      .run_lanes = run_b };

	scripted = all_readable = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		script_a = rows[i].a;
		script_b = rows[i].b;
		ok(cpu_kernel_is_faster(&a, &b) == rows[i].a_is_faster &&
			   script_a == rows[i].a + 4 &&
			   script_b == rows[i].b + 4,
		   "the best of four runs counts (%zu)", i + 1);
	}
	script_a = rows[0].a;
	script_b = rows[0].b;
	ok(cpu_kernel_ns(&a) == 5 && cpu_kernel_ns(&b) == 6,
	   "a kernel takes so many nanoseconds a block");
	const struct cpu_kernel wide = { .name = "wide",
					 .lanes = 16,
					 .run_lanes = run_b };
	ok(cpu_kernel_ns(&wide) == 6.0 / 16, "divided by its lanes");
	ok(all_readable, "all lanes read the same zeros");
	scripted = false;
}

int
main(void)
{
	const struct cpu_kernel slow = { .name = "slow",
					 .lanes = 1,
					 .run_streams = slow_x1 };
	const struct cpu_kernel wide = { .name = "wide",
					 .lanes = 16,
					 .run_lanes = wide_x16 };
	const uint32_t features = cpu_features_detect();

	ok(cpu_kernel_is_faster(&wide, &slow), "sixteen lanes, each call slow");
	ok(!cpu_kernel_is_faster(&slow, &wide), "the other way round");
	for (const struct cpu_kernel *kernel = cpu_kernels; kernel->name;
	     kernel++)
		if ((features & kernel->needs) == kernel->needs)
			ok(cpu_kernel_is_faster(kernel, &slow),
			   "%s is faster than the slow one", kernel->name);
	test_best_run();
	return tap_done();
}
