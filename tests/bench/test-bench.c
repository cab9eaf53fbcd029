/* SPDX-License-Identifier: MIT */
/*
 * Promise: --benchmark runs what this CPU can run, and engines with some lanes
 * and with all; it knows a wrong result in any lane and step, prints the speeds
 * of right ones, which are the best of many samples, and says when memory was
 * short.
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
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	/* Between two looks at the clock: additions at 2 GHz. */
	TICK = 16000,
	/* With the tick a run of 16 KiB in each lane takes 0.32768 ms. */
	RUN_NS = 327680 - TICK,
	KERNEL_BLOCKS = 256,
	/* As much as --benchmark gives to a lane. */
	LANE_BLOCKS = 1024,
	LANE_BYTES = LANE_BLOCKS * SHA256_BLOCK_BYTES,
	LANES_OF_BUFFER = 16,
	MOST_LANES = LANES_OF_BUFFER + 3
};

/* How the test's kernels and libcrypto run. */
static struct plan {
	uint64_t ns;	 /* of a run */
	uint64_t spread; /* if runs differ: a 60th of what they do */
	bool slows;	 /* the core, when it is measured */
	bool is_wrong;
} plan;

/* Bytes are random, and lanes differ in them and in their place in a page. */
static bool
is_good_data(const uint8_t *const *data, unsigned lanes, size_t nblocks)
{
	for (unsigned i = 0; i < lanes; i++) {
		unsigned seen[256] = { 0 }, different = 0;

		for (size_t at = 0; at < nblocks * SHA256_BLOCK_BYTES; at++)
			different += seen[data[i][at]]++ == 0;
		if (different < 200)
			return false;
		for (unsigned j = 0; j < i; j++)
			if (memcmp(data[i], data[j], SHA256_BLOCK_BYTES) == 0 ||
			    (uintptr_t)data[i] % 4096 ==
				    (uintptr_t)data[j] % 4096)
				return false;
	}
	return true;
}

/* Kernels ----------------------------------------------------------------- */

static unsigned runs;
static bool well_fed;

static void
note_run(const uint8_t *const *data, unsigned lanes, size_t nblocks)
{
	if (runs == 0)
		well_fed &= is_good_data(data, lanes, nblocks);
	well_fed &= nblocks == KERNEL_BLOCKS;
	if (plan.slows && runs > 0)
		fault_clock_step(2 * TICK);
	fault_clock_advance(plan.ns + plan.spread * ((59 + runs * 7) % 60));
	runs++;
}

static void
run_streams(uint32_t (*states)[SHA256_STATE_WORDS], const uint8_t *const *data,
	    size_t nblocks)
{
	note_run(data, 2, nblocks);
	for (unsigned i = 0; i < 2; i++)
		sha256_blocks(states[i], data[i], nblocks);
	states[0][0] ^= plan.is_wrong;
}

static void
run_lanes(uint32_t (*rows)[CPU_LANES], const uint8_t *const *data,
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
	rows[7][15] ^= plan.is_wrong;
}

enum {
	NO_KERNEL = 0,
	STREAMS = 1u << 0,
	LANES = 1u << 1,
	MISSING = 1u << 2 /* no CPU has it */
};

static const struct cpu_kernel kernels[] = {
	{ "streams", 2, STREAMS, run_streams, NULL, 0 },
	{ "streams", 2, STREAMS | MISSING, run_streams, NULL, 0 },
	{ "streams", 2, STREAMS, run_streams, NULL, MISSING },
	{ "lanes", 16, LANES, NULL, run_lanes, 0 },
	{ NULL, 0, 0, NULL, NULL, 0 }
};

/* libcrypto --------------------------------------------------------------- */

static int (*real_update)(SHA256_CTX *, const void *, size_t);

static int
timed_update(SHA256_CTX *context, const void *bytes, size_t len)
{
	const uint8_t *const data = bytes;
	const int result = real_update(context, bytes, len);

	note_run(&data, 1, len / SHA256_BLOCK_BYTES);
	context->h[7] ^= plan.is_wrong;
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

/* An engine --------------------------------------------------------------- */

/* An engine that fails or is wrong in a given step, and counts its calls. */
static struct fake {
	bool absent, cannot_open;
	unsigned lanes, slack;
	uint32_t most_blocks; /* of a step */
	/* The step, from 1 on, in which this goes wrong, or 0 for none. */
	unsigned refuses_at, fails_at, wrong_at;
	unsigned wrong_lane;
	/* Calls so far. */
	unsigned steps, lane_steps, buffers, opens, closes;
	size_t used_bytes; /* of its memory, which is for its lanes alone */
	bool well_used;
} fake;

static bool
fake_probe(const void *context, struct diag *why_not)
{
	(void)why_not;
	return context == &fake && !fake.absent;
}

static void *
fake_open(const void *context, const char *words, struct engine_limits *limits,
	  struct diag *why_not)
{
	(void)why_not;
	fake.well_used &= context == &fake && !*words && limits->lanes == 0;
	limits->lanes = fake.lanes;
	limits->slack_bytes = fake.slack;
	fake.opens++;
	return fake.cannot_open ? NULL : &fake;
}

static void *
fake_alloc(void *self, size_t bytes)
{
	const size_t slack = engine_slack_bytes(
		&(struct engine_limits){ .slack_bytes = fake.slack });
	/* Lanes begin at multiples of a block. */
	const size_t lane = (LANE_BYTES + slack + SHA256_BLOCK_BYTES - 1) /
			    SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
	void *buffer = malloc(bytes);

	fake.used_bytes += bytes;
	fake.well_used &= self == &fake && bytes % lane == 0 &&
			  fake.used_bytes <= fake.lanes * lane;
	fake.buffers += buffer != NULL;
	return buffer;
}

static void
fake_free(void *self, void *buffer, size_t bytes)
{
	fake.well_used &= self == &fake && buffer && bytes >= LANE_BYTES;
	fake.used_bytes -= bytes;
	fake.buffers--;
	free(buffer);
}

static enum engine_status
fake_submit(void *self, struct engine_lane *lanes, unsigned n,
	    struct diag *why_not)
{
	const uint8_t *data[MOST_LANES];

	(void)why_not;
	fake.well_used &= self == &fake && n >= 1 && n <= fake.lanes;
	fake.steps++;
	for (unsigned i = 0; i < n; i++)
		data[i] = lanes[i].data;
	if (lanes[n - 1].nblocks == LANE_BLOCKS)
		fake.well_used &= is_good_data(data, n, LANE_BLOCKS);
	for (struct engine_lane *lane = lanes; lane < lanes + n; lane++) {
		lane->done = lane->nblocks < fake.most_blocks ?
				     lane->nblocks :
				     fake.most_blocks;
		fake.lane_steps += lane->done > 0;
		sha256_blocks(lane->state, lane->data, lane->done);
	}
	if (fake.wrong_at == fake.steps)
		lanes[fake.wrong_lane].state[7] ^= 1;
	fault_clock_advance(RUN_NS);
	return fake.refuses_at == fake.steps ? ENGINE_REFUSED : ENGINE_OK;
}

static enum engine_status
fake_wait(void *self, struct diag *why_not)
{
	(void)self, (void)why_not;
	return fake.fails_at == fake.steps ? ENGINE_FAULT : ENGINE_OK;
}

static void
fake_close(void *self)
{
	fake.well_used &= self == &fake;
	fake.closes++;
}

static const struct engine fake_engine = { .name = "fake",
					   .about = "",
					   .context = &fake,
					   .probe = fake_probe,
					   .open = fake_open,
					   .alloc = fake_alloc,
					   .free = fake_free,
					   .submit = fake_submit,
					   .wait = fake_wait,
					   .close = fake_close };
static const struct engine_row engines[] = {
	{ .device = "fake", .automatic = true, .engine = &fake_engine },
	{ .device = NULL }
};

/* It is absent, has one lane, and makes no mistake. */
static void
fake_reset(void)
{
	fake = (struct fake){ .absent = true,
			      .lanes = 1,
			      .most_blocks = LANE_BLOCKS,
			      .well_used = true };
}

/* Runs -------------------------------------------------------------------- */

static struct rates rates;
static struct text report;

static void *
find_nothing(const char *path, int flags)
{
	(void)path, (void)flags;
	return NULL;
}

/* Nothing is there, and the clock is the test's. */
static void
prepare(void)
{
	fault_hooks.dlopen = find_nothing;
	fault_clock_set(1);
	fault_clock_step(TICK);
	fake_reset();
	plan = (struct plan){ .ns = RUN_NS };
	runs = 0;
	well_fed = true;
}

static void
reset(void)
{
	fault_clear();
	prepare();
}

static void
add_libcrypto(void)
{
	fault_hooks.dlopen = NULL;
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
	const size_t len = strlen(HEAD);
	const bool has_head = strncmp(report.bytes, HEAD, len) == 0;

	is(report.bytes + (has_head ? len : 0), rows, "%s", promise);
}

#define STREAMS_ROW "kernel   streams        16 KiB            2"
#define LANES_ROW "kernel   lanes          16 KiB           16"

static void
test_kernels(void)
{
	static const struct {
		const char *what;
		uint32_t features;
		unsigned runs; /* the first one is checked */
		uint64_t ns, spread;
		bool slows, is_wrong;
		const char *rows;
	} cases[] = {
		{ "nothing that the CPU can run", 0, 0, 0, 0, 0, 0, "" },
		{ "a kernel of streams", STREAMS, 1 + 60, RUN_NS, 0, false,
		  false, STREAMS_ROW "    100.0   20.000\n" },
		{ "a kernel of lanes", LANES, 1 + 60, RUN_NS, 0, false, false,
		  LANES_ROW "    800.0    2.500\n" },
		{ "short runs, of which four are a sample", STREAMS,
		  1 + 1 + 2 + 60 * 4, 40000, 0, false, false,
		  STREAMS_ROW "    744.7    2.686\n" },
		{ "runs that differ, of which the best counts", STREAMS, 1 + 60,
		  1000000 - TICK, 10000, false, false,
		  STREAMS_ROW "     32.8   61.035\n" },
		{ "runs of 50 ms", STREAMS, 1 + 60, 50000000 - TICK, 0, false,
		  false, STREAMS_ROW "      0.7 3051.758\n" },
		{ "a longer run, while the core becomes half as fast", STREAMS,
		  1 + 1, 50000001 - TICK, 0, true, false,
		  STREAMS_ROW "      0.7 2288.818\n" },
		{ "a kernel whose first stream is wrong", STREAMS, 1, RUN_NS, 0,
		  false, true, STREAMS_ROW " WRONG RESULT\n" },
		{ "a kernel whose last lane is wrong", LANES, 1, RUN_NS, 0,
		  false, true, LANES_ROW " WRONG RESULT\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		reset();
		plan = (struct plan){ cases[i].ns, cases[i].spread,
				      cases[i].slows, cases[i].is_wrong };
		rates.n = 1;
		ok(run(cases[i].features, false) ==
				   (plan.is_wrong ? BENCH_WRONG : BENCH_DONE) &&
			   rates.n == 0,
		   "%s: the result, and no rate of an engine", cases[i].what);
		rows_are(cases[i].rows, cases[i].what);
		ok(well_fed && runs == cases[i].runs,
		   "%s: one run is checked, the others are measured",
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
	plan.is_wrong = true;
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
	fake.lanes = 6;
	ok(run(NO_KERNEL, false) == BENCH_DONE,
	   "an engine of six lanes is measured");
	rows_are(FAKE "64 KiB            1    200.0   10.000\n" FAKE
		      "4 KiB files       1     12.7  157.538\n" FAKE
		      "64 KiB            2    400.0    5.000\n" FAKE
		      "4 KiB files       2     25.4   78.769\n" FAKE
		      "64 KiB            4    800.0    2.500\n" FAKE
		      "4 KiB files       4     50.8   39.385\n" FAKE
		      "64 KiB            6   1200.0    1.667\n" FAKE
		      "4 KiB files       6     76.2   26.256\n",
		 "an engine is run with one lane, twice as many, and all");
	ok(fake.steps == 8 * (1 + 60) &&
		   fake.lane_steps == (1 + 2 + 4 + 6) * 2 * (1 + 60),
	   "one step of the lanes that a row tells is checked, sixty are "
	   "measured");
	ok(rate_of_fake() > 1.1999e9 && rate_of_fake() < 1.2001e9,
	   "the rate of an engine is the best of its rows");
	ok(fake.well_used && fake.opens == 1 && fake.closes == 1 &&
		   fake.buffers == 0 && fake.used_bytes == 0,
	   "an engine is used as its contract says, and gets all back");

	reset();
	fake.absent = false;
	fake.lanes = 16;
	fake.slack = 4000;
	fake.most_blocks = 1;
	ok(run(NO_KERNEL, false) == BENCH_DONE && fake.well_used &&
		   fake.lane_steps ==
			   (1 + 2 + 4 + 8 + 16) * (2 * 1024 + 65 * (1 + 60)),
	   "an engine of all lanes that hashes a block a step is run with one "
	   "up to sixteen, and a slow load is measured once");

	reset();
	ok(run(NO_KERNEL, false) == BENCH_DONE && fake.opens == 0,
	   "an engine that cannot run here is left out");

	reset();
	fake.absent = false;
	fake.cannot_open = true;
	ok(run(NO_KERNEL, false) == BENCH_DONE && fake.closes == 0 &&
		   strcmp(report.bytes, HEAD) == 0,
	   "an engine that cannot be opened is left out");
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
	fake.lanes = MOST_LANES;
	/* Two loads with 1, 4, 16 lanes come before the first with all. */
	fake.wrong_at = 6 * 61 + 1;
	fake.wrong_lane = MOST_LANES - 1;
	ok(run(NO_KERNEL, false) == BENCH_WRONG &&
		   strstr(report.bytes,
			  FAKE "64 KiB           19 WRONG RESULT\n"),
	   "the last lane of the last buffer is looked at");
}

static void
test_json(void)
{
	reset();
	fake.absent = false;
	plan.is_wrong = true;
	run(STREAMS, true);
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

static bool as_json;

static enum fault_outcome
make_report(void)
{
	enum bench_result result;

	prepare();
	fake.absent = false;
	result = run(NO_KERNEL, as_json);
	text_free(&report);
	if (fake.opens != fake.closes || fake.buffers > 0 ||
	    result == BENCH_WRONG)
		return FAULT_WRONG;
	return result == BENCH_DONE ? FAULT_WHOLE : FAULT_TOLD;
}

static void
test_no_memory(void)
{
	fault_each(FAULT_MEMORY, ENOMEM, make_report, "a report as text");
	as_json = true;
	fault_each(FAULT_MEMORY, ENOMEM, make_report, "a report as JSON");
	reset();
	fake.absent = false;
	fake.wrong_at = 1;
	text_free(&report);
	fault_from(FAULT_realloc, 1, ENOMEM);
	ok(run(NO_KERNEL, false) == BENCH_WRONG,
	   "a wrong digest is worse than a report that is incomplete");
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
	text_free(&report);
	return tap_done();
}
