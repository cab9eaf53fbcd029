/* SPDX-License-Identifier: MIT */
/*
 * Promise: --benchmark runs engines with some lanes and with all, knows a wrong
 * one in any lane and step, and says when memory was short.
 */
#include "config.h"

#include "tests/bench/bench-rig.h"
#include "tests/support/tap.h"

static double
rate_of_fake(void)
{
	const struct rate *rate = rates_find(&rates, "fake");

	return rate ? rate->bytes_per_second : 0;
}

#define HEAD "engine   fake           "
#define WRONG_64K HEAD "64 KiB            1 WRONG RESULT\n"
#define WRONG_4K HEAD "4 KiB files       1 WRONG RESULT\n"
#define GOOD_64K HEAD "64 KiB            1    0.200    0.500\n"
#define GOOD_4K HEAD "4 KiB files       1    0.013    7.877\n"

static void
test_loads(void)
{
	char report[4096];

	reset();
	fake.absent = false;
	fake.nbatches = 2;
	fake.lanes = 3;
	ok(run(false, report) == BENCH_DONE, "an engine of two batches");
	is(report,
	   HEAD "64 KiB            1    0.400    0.250\n" HEAD
		"4 KiB files       1    0.025    3.938\n" HEAD
		"64 KiB            2    0.800    0.125\n" HEAD
		"4 KiB files       2    0.051    1.969\n" HEAD
		"64 KiB            3    1.200    0.083\n" HEAD
		"4 KiB files       3    0.076    1.313\n",
	   "is run with one lane, and twice as many, up to all");
	ok(fake.steps == 6 * (3 + 60), "three steps of each are checked");
	ok(fake.lane_steps == 2 * (1 + 2 + 3) * 2 * (3 + 60),
	   "and no other lanes are occupied");
	ok(rate_of_fake() > 1.1999e9 && rate_of_fake() < 1.2001e9,
	   "its rate is the best of all");
	ok(fake.well_used && fake.opens == 1 && fake.closes == 1 &&
		   fake.buffers == 0,
	   "it is used as the contract says, and gets all back");

	reset();
	fake.absent = false;
	fake.lanes = 4;
	fake.slack = 4096;
	run(false, report);
	ok(fake.steps == 6 * (3 + 60) && fake.well_used,
	   "four lanes: one, two and four");

	reset();
	fake.absent = false;
	ok(run(true, report) == BENCH_DONE, "as JSON");
	is(strstr(report, "[") ? strstr(report, "[") : "",
	   "[\n {\"kind\":\"engine\",\"name\":\"fake\",\"load\":\"64 KiB\","
	   "\"lanes\":1,\"correct\":true,\"gb_per_s\":0.2000,"
	   "\"cycles_per_byte\":0.5000,\"disturbed\":false},\n"
	   " {\"kind\":\"engine\",\"name\":\"fake\",\"load\":\"4 KiB files\","
	   "\"lanes\":1,\"correct\":true,\"gb_per_s\":0.0127,"
	   "\"cycles_per_byte\":7.8769,\"disturbed\":false}\n]}\n",
	   "each load is an object");

	reset();
	fake.absent = false;
	fake.most_blocks = 600;
	ok(run(false, report) == BENCH_DONE,
	   "an engine that leaves a rest is right");
	is(report, HEAD "64 KiB            1    0.117    0.853\n" GOOD_4K,
	   "what it did is counted");

	reset();
	fake.absent = false;
	ns_a_look = 50000000;
	run(false, report);
	ok(fake.steps == 2 * (3 + 60),
	   "steps of 50 ms are checked three times");
	reset();
	fake.absent = false;
	ns_a_look = 50000001;
	run(false, report);
	ok(fake.steps == 2 * (1 + 60), "of slower ones one is enough");

	reset();
	ok(run(false, report) == BENCH_DONE && !*report && fake.opens == 0,
	   "an engine that is not there is left out");
	reset();
	fake.absent = false;
	fake.cannot_open = true;
	ok(run(false, report) == BENCH_DONE && !*report && fake.closes == 0 &&
		   rate_of_fake() == 0,
	   "one that cannot be opened, too");
}

static void
test_wrong_engines(void)
{
	static const struct {
		const char *what;
		unsigned refuses_at, fails_at, wrong_at, wrong_batch;
		unsigned steps;
		const char *report;
	} rows[] = {
		{ "refuses the first step", 1, 0, 0, 0, 1 + 63,
		  WRONG_64K GOOD_4K },
		{ "fails in the third step", 0, 3, 0, 0, 3 + 63,
		  WRONG_64K GOOD_4K },
		{ "is wrong in the first step", 0, 0, 1, 0, 2 * 63 - 60,
		  WRONG_64K GOOD_4K },
		{ "is wrong in the third step", 0, 0, 3, 0, 2 * 63 - 60,
		  WRONG_64K GOOD_4K },
		{ "refuses what is measured", 4, 0, 0, 0, 4 + 63,
		  WRONG_64K GOOD_4K },
		{ "fails in the last step", 0, 126, 0, 0, 126,
		  GOOD_64K WRONG_4K },
	};
	char report[4096];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reset();
		fake.absent = false;
		fake.refuses_at = rows[i].refuses_at;
		fake.fails_at = rows[i].fails_at;
		fake.wrong_at = rows[i].wrong_at;
		ok(run(false, report) == BENCH_WRONG &&
			   fake.steps == rows[i].steps && fake.closes == 1 &&
			   fake.buffers == 0,
		   "an engine that %s", rows[i].what);
		is(report, rows[i].report, "its rows");
		ok((rate_of_fake() > 0.1e9) == (i == 5),
		   "a wrong result has no rate");
	}
	reset();
	fake.absent = false;
	fake.nbatches = 2;
	fake.lanes = 2;
	/* The third of four loads is the first with two lanes. */
	fake.wrong_at = 2 * 63 + 3;
	fake.wrong_batch = fake.wrong_lane = 1;
	ok(run(false, report) == BENCH_WRONG &&
		   strstr(report, HEAD "64 KiB            2 WRONG RESULT\n"),
	   "the last lane of the last batch is looked at");
}

static void
test_no_memory(void)
{
	bool told = true, given_back = true;
	char report[4096];
	unsigned needed;

	for (int json = 0; json < 2; json++) {
		reset();
		fake.absent = false;
		ok(run(json, report) == BENCH_DONE && live_blocks == 0,
		   "with memory all is well");
		needed = allocations;
		for (unsigned n = 0; n < needed; n++) {
			reset();
			fake.absent = false;
			first_failing = n;
			behind_failing = ~0u;
			told &= run(json, report) == BENCH_NO_MEMORY;
			given_back &= fake.opens == fake.closes &&
				      fake.buffers == 0 && opened == closed &&
				      live_blocks == 0;
		}
		ok(needed >= 5 && told, "if memory ends at any place, that is "
					"told, and no wrong digest");
		ok(given_back, "and all is given back");
	}

	/* The last two allocations of JSON are those of its two objects. */
	reset();
	fake.absent = false;
	first_failing = needed - 2;
	behind_failing = needed - 1;
	ok(run(true, report) == BENCH_NO_MEMORY && strstr(report, "[\n {\"k") &&
		   strstr(report, "}\n]}\n"),
	   "an object that is left out leaves no comma");

	told = given_back = true;
	for (unsigned n = 0; n < 6; n++) {
		reset();
		fake.absent = false;
		fake.nbatches = 2;
		fake.lanes = 3;
		fake.buffers_left = n;
		told &= run(false, report) == BENCH_NO_MEMORY && !*report;
		given_back &= fake.buffers == 0 && fake.closes == 1 &&
			      fake.steps == 0 && live_blocks == 0;
	}
	ok(told && given_back, "a buffer that cannot be had is told, too");

	FILE *unwritable = fopen("/dev/null", "r");

	reset();
	fake.absent = false;
	ok(unwritable &&
		   bench_run(unwritable, false, &rates) == BENCH_NO_MEMORY,
	   "a report that cannot be kept");
	reset();
	fake.absent = false;
	fake.wrong_at = 1;
	ok(bench_run(unwritable, false, &rates) == BENCH_WRONG,
	   "a wrong digest is worse");
	fclose(unwritable);
}

int
main(void)
{
	test_loads();
	test_wrong_engines();
	test_no_memory();
	return tap_done();
}
