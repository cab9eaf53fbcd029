/* SPDX-License-Identifier: MIT */
/*
 * Promise: --benchmark runs what this CPU can run, compares it with the
 * reference, and prints its speed by the best of many samples.
 */
#include "config.h"

#include "tests/bench/bench-rig.h"
#include "tests/support/tap.h"

static void
test_head(void)
{
	char report[4096];
	FILE *stream;

	for (int counter = 0; counter < 2; counter++) {
		reset();
		has_counter = counter;
		stream = fmemopen(report, sizeof(report), "w");
		if (!stream)
			exit(99);
		rates.n = 1;
		ok(bench_run(stream, false, &rates) == BENCH_DONE &&
			   rates.n == 0,
		   "a CPU that can run nothing has no rates");
		fclose(stream);
		is(report,
		   counter ? "core cycles: hardware counter\n"
			     "                        lanes hold    lanes     "
			     "GB/s cycles/B\n" :
			     "core cycles: calibrated by a chain of dependent "
			     "additions\n"
			     "                        lanes hold    lanes     "
			     "GB/s cycles/B\n",
		   "the head says where cycles come from");
		ok(opened == 1 && closed == 1, "the counter is closed");
	}
	reset();
	run(true, report);
	is(report,
	   "{\"version\": \"" PACKAGE_VERSION
	   "\", \"cycles\": \"calibrated by a chain of dependent additions\", "
	   "\"results\": [\n]}\n",
	   "an object of nothing");
}

static void
test_kernels(void)
{
	char report[4096];

	reset();
	features = STREAMS;
	ok(run(false, report) == BENCH_DONE, "a kernel of streams");
	is(report,
	   "kernel   streams        16 KiB            2    0.100    1.000\n",
	   "both streams count");
	ok(runs_before == 1 && runs == 1 + 60 && spans == 60 && data_is_good &&
		   one_size,
	   "one run is checked, sixty are measured");

	reset();
	features = LANES;
	ok(run(false, report) == BENCH_DONE, "a kernel of lanes");
	is(report,
	   "kernel   lanes          16 KiB           16    0.800    0.125\n",
	   "all lanes count");
	ok(runs == 1 + 60 && data_is_good && one_size, "as many runs");

	reset();
	features = WRONG_LANE;
	ok(run(false, report) == BENCH_WRONG, "one whose last lane is wrong");
	is(report, "kernel   lanes          16 KiB           16 WRONG RESULT\n",
	   "is not measured");
	ok(runs == 1, "it was run once");

	reset();
	features = WRONG_STREAM;
	ok(run(true, report) == BENCH_WRONG, "one whose first stream is wrong");
	is(strstr(report, "[") ? strstr(report, "[") : "",
	   "[\n {\"kind\":\"kernel\",\"name\":\"streams\",\"load\":\"16 KiB\","
	   "\"lanes\":2,\"correct\":false}\n]}\n",
	   "has no figures");
}

static void
test_libcrypto(void)
{
	char report[4096];

	reset();
	has_libcrypto = true;
	ok(run(false, report) == BENCH_DONE, "libcrypto");
	is(report,
	   "library  libcrypto      16 KiB            1    0.050    2.000\n",
	   "has one lane");
	ok(loaded == 1 && unloaded == 1 && runs == 1 + 60 && one_size &&
		   data_is_good,
	   "and is unloaded");
	reset();
	ok(run(false, report) == BENCH_DONE && unloaded == 0,
	   "a system without it");
	is(report, "", "has no row of it");
	reset();
	has_libcrypto = libcrypto_is_wrong = true;
	ok(run(false, report) == BENCH_WRONG && unloaded == 1,
	   "one that is wrong");
	is(report, "library  libcrypto      16 KiB            1 WRONG RESULT\n",
	   "is unloaded, too");
}

/* Samples ----------------------------------------------------------------- */

/* The first two are too short; then each takes a little longer, or less, than
 * the one before, and so do their cycles, in another order. */
static struct cycles_span
uneven_span(unsigned n)
{
	if (n < 2)
		return (struct cycles_span){ 0.000149, 1 };
	return (struct cycles_span){ 0.001 + 0.00001 * (n * 7 % 60),
				     65536 * (1 + 0.01 * (n * 11 % 60)) };
}

/* Only some moments are quiet. */
static double
busy_canary(unsigned n)
{
	return n >= 20 && n < 27 ? 100 : 200;
}

static double
always_busy(unsigned n)
{
	(void)n;
	return 200;
}

static struct cycles_span
span_at_limit(unsigned n)
{
	(void)n;
	return (struct cycles_span){ 0.05, 32768 };
}

static struct cycles_span
span_above_limit(unsigned n)
{
	(void)n;
	return (struct cycles_span){ 0.0501, 32768 };
}

static struct cycles_span
shortest_span(unsigned n)
{
	(void)n;
	return (struct cycles_span){ 0.00015, 32768 };
}

static void
test_samples(void)
{
	char report[4096];

	reset();
	has_libcrypto = true;
	span_of = uneven_span;
	run(false, report);
	ok(spans == 62 && runs == 1 + 1 + 2 + 60 * 4,
	   "runs are doubled until a sample is long enough");
	/* 4 * 16 KiB in 1.06 ms, and 1.06 cycles: the seventh of sixty. */
	is(report,
	   "library  libcrypto      16 KiB            1    0.062    1.060\n",
	   "one tenth of the samples are better than the figures");

	reset();
	has_libcrypto = true;
	span_of = uneven_span;
	canary_of = busy_canary;
	run(false, report);
	ok(canaries == 61, "the canary is asked before the first sample and "
			   "behind each");
	/* Both readings of samples 20 to 25 are quiet, of spans 22 to 27. */
	is(report,
	   "library  libcrypto      16 KiB            1    0.064    1.020\n",
	   "only quiet samples count");

	reset();
	has_libcrypto = true;
	canary_of = always_busy;
	ok(run(false, report) == BENCH_DONE, "a core that is never quiet");
	is(report,
	   "library  libcrypto      16 KiB            1    0.050    2.000"
	   "  disturbed\n"
	   "disturbed: another program shared the core during every run; the "
	   "true figures are better\n",
	   "is told");
	reset();
	has_libcrypto = true;
	canary_of = always_busy;
	run(true, report);
	is(strstr(report, "[") ? strstr(report, "[") : "",
	   "[\n {\"kind\":\"library\",\"name\":\"libcrypto\",\"load\":"
	   "\"16 KiB\",\"lanes\":1,\"correct\":true,\"gb_per_s\":0.0500,"
	   "\"cycles_per_byte\":2.0000,\"disturbed\":true}\n]}\n",
	   "also in JSON");

	reset();
	has_libcrypto = true;
	span_of = span_at_limit;
	run(false, report);
	ok(spans == 60, "sixty samples, if each takes 50 ms");
	reset();
	has_libcrypto = true;
	span_of = span_above_limit;
	run(false, report);
	ok(spans == 1, "one is enough if it takes longer");
	reset();
	has_libcrypto = true;
	span_of = shortest_span;
	run(false, report);
	ok(spans == 60 && runs == 1 + 60, "0.15 ms are long enough");
}

int
main(void)
{
	test_head();
	test_kernels();
	test_libcrypto();
	test_samples();
	return tap_done();
}
