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

/* A core of 2 GHz, and a kernel that takes this long the n-th time. */
static bool scripted;
static unsigned runs, asked_lanes;
static double (*ns_of)(unsigned n);

double
__real_cycles_hz(void);
double
__wrap_cycles_hz(void);
double
__real_cpu_kernel_ns(const struct cpu_kernel *kernel);
double
__wrap_cpu_kernel_ns(const struct cpu_kernel *kernel);
const struct cpu_kernel *
__real_cpu_kernel_choose(uint32_t features, unsigned messages);
const struct cpu_kernel *
__wrap_cpu_kernel_choose(uint32_t features, unsigned messages);

double
__wrap_cycles_hz(void)
{
	return scripted ? 2e9 : __real_cycles_hz();
}

double
__wrap_cpu_kernel_ns(const struct cpu_kernel *kernel)
{
	return scripted ? ns_of(runs++) : __real_cpu_kernel_ns(kernel);
}

const struct cpu_kernel *
__wrap_cpu_kernel_choose(uint32_t features, unsigned messages)
{
	asked_lanes = messages;
	return __real_cpu_kernel_choose(features, messages);
}

/* The median of each five is 12. */
static double
uneven_ns(unsigned n)
{
	static const double ns[] = { 90, 11, 12, 1, 70 };

	return ns[n % 5];
}

/* Each five are the same; every second five is slower. */
static double
growing_ns(unsigned n)
{
	return 10 + n / 5 % 2 * 40 + n / 10;
}

static bool
is_near(double value, double expected)
{
	return value > expected * 0.9999 && value < expected * 1.0001;
}

static void
test_readings(void)
{
	struct canary canary = { .best = 0 };

	scripted = true;
	runs = 0;
	ns_of = uneven_ns;
	ok(is_near(canary_read(&canary), 24) && runs == 5,
	   "a reading is the median of five runs, in cycles");
	runs = 0;
	ns_of = growing_ns;
	canary_open(&canary);
	ok(runs == 40 * 5 && asked_lanes == BATCH_LANES,
	   "the first look is forty readings of the widest kernel");
	ok(is_near(canary.best, 28), "most of which took longer than the best");
	scripted = false;
}

static void
test_limits(void)
{
	struct canary canary = { .best = 100 };
	struct sample samples[110];

	fill(samples, 107.9);
	ok(canary_sift(&canary, samples, COUNT) == COUNT,
	   "seven percent more is quiet");
	fill(samples, 108.1);
	ok(canary_sift(&canary, samples, COUNT) == 0,
	   "more than eight are not");
	fill(samples, 50);
	ok(canary_sift(&canary, samples, 4) == 4 && canary.best == 100,
	   "four samples teach nothing");
	fill(samples, 50);
	ok(canary_sift(&canary, samples, 5) == 5 && canary.best == 50,
	   "five do");
	fill(samples, 200);
	for (int i = 0; i < 5; i++)
		samples[3 * i].canary = 50;
	ok(canary_sift(&canary, samples, COUNT) == 5, "five of twenty count");
	ok(samples[4].seconds == 12, "in their order");

	/* The readings of a hundred samples are looked at. */
	for (int i = 0; i < 110; i++)
		samples[i] = (struct sample){ .canary = i < 99 ? 50 : 10 };
	for (int i = 0; i < 9; i++)
		samples[i].canary = 10;
	canary.best = 100;
	canary_sift(&canary, samples, 110);
	ok(canary.best == 50, "of more than a hundred the first ones");
	for (int i = 0; i < 110; i++)
		samples[i] = (struct sample){ .canary = i < 99 ? 50 : 10 };
	for (int i = 0; i < 10; i++)
		samples[i].canary = 10;
	canary.best = 100;
	canary_sift(&canary, samples, 110);
	ok(canary.best == 10, "all of these");
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
	test_readings();
	test_limits();
	return tap_done();
}
