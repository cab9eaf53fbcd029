/* SPDX-License-Identifier: MIT */
/*
 * Promise: --benchmark runs what this CPU can run, and engines with some lanes
 * and with all; it knows a wrong result in any lane and step, prints the speeds
 * of right ones, and says when memory was short.
 *
 * Kernels, an engine and libcrypto are the test's, and let the clock go on by
 * what they take, so that every figure is known.
 */
#include "config.h"

#include "src/bench/bench.h"

#include <errno.h>
#include <stdlib.h>

#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "tests/bench/fake-engine.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	/* Between two looks at the clock: additions at 2 GHz. */
	TICK = 16000,
	/* With the tick a run of 16 KiB in each lane takes 0.32768 ms. */
	RUN_NS = 327680 - TICK,
	KERNEL_BLOCKS = 256
};

/* Kernels ----------------------------------------------------------------- */

static unsigned runs;
static bool well_fed;

static void
note_run(const uint8_t *const *data, unsigned lanes, size_t nblocks)
{
	if (runs++ == 0)
		well_fed &= is_good_data(data, lanes, nblocks);
	well_fed &= nblocks == KERNEL_BLOCKS;
	fault_clock_advance(RUN_NS);
}

static void
run_streams(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
	    size_t nblocks)
{
	note_run(data, 2, nblocks);
	for (unsigned i = 0; i < 2; i++)
		sha256_blocks(states[i], data[i], nblocks);
}

static void
run_lanes(uint32_t (*rows)[BATCH_LANES], const uint8_t *const *data,
	  size_t nblocks)
{
	note_run(data, 16, nblocks);
	for (unsigned i = 0; i < 16; i++) {
		uint32_t state[SHA256_STATE_WORDS];

		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			state[word] = rows[word][i];
		sha256_blocks(state, data[i], nblocks);
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			rows[word][i] = state[word];
	}
}

static void
run_wrong_lane(uint32_t (*rows)[BATCH_LANES], const uint8_t *const *data,
	       size_t nblocks)
{
	run_lanes(rows, data, nblocks);
	rows[7][15] ^= 1;
}

static void
run_wrong_stream(uint32_t (*states)[SHA256_STATE_WORDS],
		 const uint8_t *const *data, size_t nblocks)
{
	run_streams(states, data, nblocks);
	states[0][0] ^= 1;
}

enum {
	NO_KERNEL = 0,
	STREAMS = 1u << 0,
	LANES = 1u << 1,
	WRONG_STREAM = 1u << 2,
	WRONG_LANE = 1u << 3,
	MISSING = 1u << 4 /* no CPU has it */
};

static const struct cpu_kernel kernels[] = {
	{ "streams", 2, STREAMS, run_streams, NULL },
	{ "streams", 2, STREAMS | MISSING, run_streams, NULL },
	{ "lanes", 16, LANES, NULL, run_lanes },
	{ "streams", 2, WRONG_STREAM, run_wrong_stream, NULL },
	{ "lanes", 16, WRONG_LANE, NULL, run_wrong_lane },
	{ NULL, 0, 0, NULL, NULL }
};
/* libcrypto --------------------------------------------------------------- */

static int (*real_update)(SHA256_CTX *, const void *, size_t);
static bool libcrypto_is_wrong;

static int
timed_update(SHA256_CTX *context, const void *bytes, size_t len)
{
	const uint8_t *const data = bytes;
	const int result = real_update(context, bytes, len);

	note_run(&data, 1, len / SHA256_BLOCK_BYTES);
	context->h[7] ^= libcrypto_is_wrong;
	return result;
}

static void *
find_timed(void *library, const char *name)
{
	int (*timed)(SHA256_CTX *, const void *, size_t) = timed_update;
	void *function = fault_real_dlsym(library, name);

	if (strcmp(name, "SHA256_Update") != 0)
		return function;
	memcpy(&real_update, &function, sizeof(function));
	memcpy(&function, &timed, sizeof(function));
	return function;
}

/* Runs -------------------------------------------------------------------- */

static struct rates rates;
static struct text report;

/* Nothing is there, and the clock is the test's. */
static void
reset(void)
{
	fault_clear();
	fault_from(FAULT_dlopen, 1, ENOENT);
	fault_clock_set(1);
	fault_clock_step(TICK);
	fake_reset(RUN_NS);
	libcrypto_is_wrong = false;
	runs = 0;
	well_fed = true;
}

static void
add_libcrypto(void)
{
	fault_clear();
	fault_clock_set(1);
	fault_clock_step(TICK);
	fault_hooks.dlsym = find_timed;
}

static enum bench_result
run(uint32_t features, bool json)
{
	const struct bench_subjects subjects = { .kernels = kernels,
						 .features = features,
						 .engines = engines };
	text_cut(&report, 0);
	return bench_run(&subjects, &report, json, &rates);
}

#define HEAD                                                                   \
	"core cycles: calibrated by a chain of dependent additions\n"          \
	"                        lanes hold    lanes     MB/s cycles/B\n"

/* The report is a table of these rows. */
static void
rows_are(const char *rows, const char *promise)
{
	const char *text = report.bytes ? report.bytes : "";
	const size_t len = strlen(HEAD);

	is(strncmp(text, HEAD, len) == 0 ? text + len : text, rows, "%s",
	   promise);
}

static void
test_kernels(void)
{
	static const struct {
		const char *what;
		uint32_t features;
		bool wrong;
		const char *rows;
	} cases[] = {
		{ "nothing that the CPU can run", NO_KERNEL, false, "" },
		{ "a kernel of streams", STREAMS, false,
		  "kernel   streams        16 KiB            2    100.0   "
		  "20.000\n" },
		{ "a kernel of lanes", LANES, false,
		  "kernel   lanes          16 KiB           16    800.0    "
		  "2.500\n" },
		{ "a kernel whose first stream is wrong", WRONG_STREAM, true,
		  "kernel   streams        16 KiB            2 WRONG RESULT\n" },
		{ "a kernel whose last lane is wrong", WRONG_LANE, true,
		  "kernel   lanes          16 KiB           16 WRONG RESULT\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		reset();
		rates.n = 1;
		ok(run(cases[i].features,
		       false) == (cases[i].wrong ? BENCH_WRONG : BENCH_DONE) &&
			   rates.n == 0,
		   "%s: the result, and no rate of an engine", cases[i].what);
		rows_are(cases[i].rows, cases[i].what);
		ok(well_fed && runs == (i == 0	       ? 0u :
					cases[i].wrong ? 1u :
							 61u),
		   "%s: one run is checked, sixty are measured if it is right",
		   cases[i].what);
	}
}

static void
test_libcrypto(void)
{
	reset();
	add_libcrypto();
	if (run(NO_KERNEL, false) != BENCH_DONE || !real_update) {
		tap_skip("no libcrypto");
		return;
	}
	rows_are("library  libcrypto      16 KiB            1     50.0   "
		 "40.000\n",
		 "libcrypto has a row with one lane");
	ok(runs == 61 && well_fed && fault_count(FAULT_dlclose) == 1,
	   "libcrypto is run as kernels are, and unloaded");
	reset();
	add_libcrypto();
	libcrypto_is_wrong = true;
	ok(run(NO_KERNEL, false) == BENCH_WRONG &&
		   fault_count(FAULT_dlclose) == 1,
	   "a libcrypto that is wrong is told, and unloaded");
	rows_are("library  libcrypto      16 KiB            1 WRONG RESULT\n",
		 "a libcrypto that is wrong has no figures");
}

static double
rate_of_fake(void)
{
	const struct rate *rate = rates_find(&rates, "fake");

	return rate ? rate->bytes_per_second : 0;
}

#define FAKE "engine   fake           "
#define WRONG_64K FAKE "64 KiB            1 WRONG RESULT\n"
#define WRONG_4K FAKE "4 KiB files       1 WRONG RESULT\n"
#define GOOD_64K FAKE "64 KiB            1    200.0   10.000\n"
#define GOOD_4K FAKE "4 KiB files       1     12.7  157.538\n"

static void
test_loads(void)
{
	reset();
	fake.absent = false;
	fake.nbatches = 2;
	fake.lanes = 3;
	ok(run(NO_KERNEL, false) == BENCH_DONE,
	   "an engine of two batches is measured");
	rows_are(FAKE "64 KiB            1    400.0    5.000\n" FAKE
		      "4 KiB files       1     25.4   78.769\n" FAKE
		      "64 KiB            2    800.0    2.500\n" FAKE
		      "4 KiB files       2     50.8   39.385\n" FAKE
		      "64 KiB            3   1200.0    1.667\n" FAKE
		      "4 KiB files       3     76.2   26.256\n",
		 "an engine is run with one lane, twice as many, and all");
	ok(fake.steps == 6 * (1 + 60),
	   "one step of each load is checked, sixty are measured");
	ok(fake.lane_steps == 2 * (1 + 2 + 3) * 2 * (1 + 60),
	   "no lanes are occupied but those that the row tells");
	ok(rate_of_fake() > 1.1999e9 && rate_of_fake() < 1.2001e9,
	   "the rate of an engine is the best of its rows");
	ok(fake.well_used && fake.opens == 1 && fake.closes == 1 &&
		   fake.buffers == 0,
	   "an engine is used as its contract says, and gets all back");

	reset();
	fake.absent = false;
	fake.lanes = 4;
	fake.slack = 4000;
	run(NO_KERNEL, false);
	ok(fake.steps == 6 * (1 + 60) && fake.well_used,
	   "an engine of four lanes is run with one, two and four");

	reset();
	fake.absent = false;
	fake.lanes = 16;
	fake.most_blocks = 1;
	ok(run(NO_KERNEL, false) == BENCH_DONE && fake.well_used &&
		   fake.lane_steps ==
			   (1 + 2 + 4 + 8 + 16) * (2 * 1024 + 65 * (1 + 60)),
	   "an engine of all lanes that hashes a block a step is run with one "
	   "up to sixteen, and a slow load is measured once");

	reset();
	fake.absent = false;
	fake.most_blocks = 600;
	ok(run(NO_KERNEL, false) == BENCH_DONE,
	   "an engine that leaves blocks for the next step is right");
	rows_are(FAKE "64 KiB            1    102.5   19.512\n" GOOD_4K,
		 "a message takes as many steps as the engine needs");

	reset();
	ok(run(NO_KERNEL, false) == BENCH_DONE && fake.opens == 0,
	   "an engine that cannot run here is left out");
	reset();
	fake.absent = false;
	fake.cannot_open = true;
	ok(run(NO_KERNEL, false) == BENCH_DONE && fake.closes == 0 &&
		   rate_of_fake() == 0,
	   "an engine that cannot be opened is left out");
	rows_are("", "an engine that is left out has no row");
}

static void
test_wrong_engines(void)
{
	static const struct {
		const char *what;
		unsigned refuses_at, fails_at, wrong_at, steps;
		const char *rows;
	} cases[] = {
		{ "refuses the first step", 1, 0, 0, 1 + 61,
		  WRONG_64K GOOD_4K },
		{ "fails in the first step", 0, 1, 0, 1 + 61,
		  WRONG_64K GOOD_4K },
		{ "is wrong in the first step", 0, 0, 1, 1 + 61,
		  WRONG_64K GOOD_4K },
		{ "refuses what is measured", 2, 0, 0, 2 + 61,
		  WRONG_64K GOOD_4K },
		{ "fails in the last step", 0, 122, 0, 122, GOOD_64K WRONG_4K },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		reset();
		fake.absent = false;
		fake.refuses_at = cases[i].refuses_at;
		fake.fails_at = cases[i].fails_at;
		fake.wrong_at = cases[i].wrong_at;
		ok(run(NO_KERNEL, false) == BENCH_WRONG &&
			   fake.steps == cases[i].steps && fake.closes == 1 &&
			   fake.buffers == 0,
		   "an engine that %s is told", cases[i].what);
		rows_are(cases[i].rows, cases[i].what);
		ok((rate_of_fake() > 0.1e9) == (i == 4),
		   "a load whose result is wrong has no rate");
	}
	reset();
	fake.absent = false;
	fake.nbatches = 2;
	fake.lanes = 2;
	/* The third of four loads is the first with two lanes. */
	fake.wrong_at = 2 * 61 + 1;
	fake.wrong_batch = fake.wrong_lane = 1;
	ok(run(NO_KERNEL, false) == BENCH_WRONG &&
		   strstr(report.bytes,
			  FAKE "64 KiB            2 WRONG RESULT\n"),
	   "the last lane of the last batch is looked at");
}

static void
test_json(void)
{
	reset();
	fake.absent = false;
	run(WRONG_STREAM, true);
	is(report.bytes,
	   "{\"version\":\"" PACKAGE_VERSION
	   "\",\"cycles\":\"calibrated by a chain of dependent additions\","
	   "\"results\":["
	   "{\"kind\":\"kernel\",\"name\":\"streams\",\"load\":\"16 KiB\","
	   "\"lanes\":2,\"correct\":false},"
	   "{\"kind\":\"engine\",\"name\":\"fake\",\"load\":\"64 KiB\","
	   "\"lanes\":1,\"correct\":true,\"gb_per_s\":0.2000,"
	   "\"cycles_per_byte\":10.0000},"
	   "{\"kind\":\"engine\",\"name\":\"fake\",\"load\":\"4 KiB files\","
	   "\"lanes\":1,\"correct\":true,\"gb_per_s\":0.0127,"
	   "\"cycles_per_byte\":157.5385}]}\n",
	   "JSON is one object with an object for each measurement");
	reset();
	run(NO_KERNEL, true);
	ok(strstr(report.bytes, "\"results\":[]}\n"),
	   "JSON of nothing is an empty list");
}

static void
test_no_memory(void)
{
	const struct balance before = balance_now();
	unsigned calls, n = 0;

	for (int json = 0; json < 2; json++) {
		bool told = true, given_back = true;

		for (n = 1; n < 100; n++) {
			text_free(&report);
			reset();
			fake.absent = false;
			fake.most_blocks = 1;
			fault_from(FAULT_MEMORY, n, ENOMEM);
			const enum bench_result result = run(NO_KERNEL, json);
			calls = fault_count(FAULT_MEMORY);
			text_free(&report);
			if (calls < n)
				break;
			told &= result == BENCH_NO_MEMORY;
			given_back &= fake.opens == fake.closes &&
				      fake.buffers == 0 &&
				      balance_now().blocks == before.blocks;
		}
		ok(n > 6 && n < 100 && told,
		   "wherever memory ends, that is told, and no wrong digest");
		ok(given_back, "wherever memory ends, all is given back");
	}
	reset();
	fake.absent = false;
	fake.wrong_at = 1;
	text_free(&report);
	fault_from(FAULT_realloc, 1, ENOMEM);
	ok(run(NO_KERNEL, false) == BENCH_WRONG,
	   "a wrong digest is worse than a report that is incomplete");
}

static void
test_here(void)
{
	struct bench_subjects subjects;

	fault_clear();
	bench_all(&subjects);
	ok(subjects.kernels == cpu_kernels && subjects.engines == engine_rows,
	   "all kernels and engines are measured");
}

int
main(void)
{
	test_kernels();
	test_libcrypto();
	test_loads();
	test_wrong_engines();
	test_json();
	test_no_memory();
	test_here();
	text_free(&report);
	return tap_done();
}
