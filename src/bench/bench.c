/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "src/base/clock.h"
#include "src/base/engine.h"
#include "src/base/json.h"

enum {
	/* A lane of the kernels: all lanes fit into a second-level cache. */
	LANE_BLOCKS = 256,
	/* A lane of the engines: as much as a lane's buffer. */
	ENGINE_LANE_BLOCKS = 1024,
	ENGINE_LANE_BYTES = ENGINE_LANE_BLOCKS * SHA256_BLOCK_BYTES,
	LANES_OF_BUFFER = 16,
	/* A file of 4 KiB with its padding: many of them are the hard case. */
	SMALL_BLOCKS = 65
};

/* How cycles are counted. */
static const char cycles[] = "calibrated by a chain of dependent additions";

/* Measuring --------------------------------------------------------------- */

/* Samples are short, so that some of them are disturbed by nothing. */
enum { SAMPLES = 60 };

#define SAMPLE_SECONDS 0.0003
/* One sample is enough of a slow engine (an emulator). */
#define SLOW_SECONDS 0.05

/* Something to be measured; run() returns the blocks of 64 bytes that it has
 * hashed, 0 if it failed. */
struct work {
	uint64_t (*run)(void *what);
	void *what;
};

struct speed {
	double bytes_per_second;
	double cycles_per_byte;
};

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
static double
measure_hz(void)
{
	enum { READINGS = 9 };
	double hz[READINGS];

	for (int i = 0; i < READINGS; i++)
		hz[i] = time_additions();
	qsort(hz, READINGS, sizeof(*hz), compare_doubles);
	return hz[READINGS / 2];
}

/* Return false if the work failed. */
static bool
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

/* Output ----------------------------------------------------------------- */

struct result {
	const char *kind; /* "kernel", "engine" or "library" */
	const char *name;
	const char *load; /* what was in the lanes */
	unsigned lanes;
	bool correct;
	struct speed speed; /* if it is correct */
};

struct report {
	struct text *text;
	bool with_json;
	struct json json;
	bool no_memory;
	bool any_wrong;
	struct rates *rates;
};

static void
put(struct report *report, const char *line)
{
	report->no_memory |= !text_add_string(report->text, line);
}

static void
report_begin(struct report *report)
{
	char head[160];

	if (report->with_json) {
		json_open(&report->json);
		json_string(&report->json, "version", PACKAGE_VERSION);
		json_string(&report->json, "cycles", cycles);
		json_list(&report->json, "results");
		return;
	}
	snprintf(head, sizeof(head),
		 "core cycles: %s\n%-8s %-14s %-13s %5s %8s %8s\n", cycles, "",
		 "", "lanes hold", "lanes", "MB/s", "cycles/B");
	put(report, head);
}

static void
report_object(struct json *json, const struct result *result)
{
	json_item(json);
	json_string(json, "kind", result->kind);
	json_string(json, "name", result->name);
	json_string(json, "load", result->load);
	json_number(json, "lanes", result->lanes);
	json_flag(json, "correct", result->correct);
	if (result->correct) {
		json_real(json, "gb_per_s",
			  result->speed.bytes_per_second / 1e9);
		json_real(json, "cycles_per_byte",
			  result->speed.cycles_per_byte);
	}
	json_object_end(json);
}

static void
report_row(struct report *report, const struct result *result)
{
	const struct speed *speed = &result->speed;
	char row[160];
	int len;

	len = snprintf(row, sizeof(row), "%-8s %-14s %-13s %5u", result->kind,
		       result->name, result->load, result->lanes);
	if (result->correct)
		snprintf(row + len, sizeof(row) - (size_t)len, " %8.1f %8.3f\n",
			 speed->bytes_per_second / 1e6, speed->cycles_per_byte);
	else
		snprintf(row + len, sizeof(row) - (size_t)len,
			 " WRONG RESULT\n");
	put(report, row);
}

static void
report_end(struct report *report)
{
	if (!report->with_json)
		return;
	json_list_end(&report->json);
	if (!json_close(&report->json) ||
	    !text_add(report->text, report->json.text.bytes,
		      report->json.text.len))
		report->no_memory = true;
	json_free(&report->json);
}

/* Measure what has turned out to be correct, and report it. */
static void
report_result(struct report *report, struct result *result,
	      const struct work *work)
{
	if (result->correct)
		result->correct = measure_speed(work, &result->speed);
	if (report->with_json)
		report_object(&report->json, result);
	else
		report_row(report, result);
	report->any_wrong |= !result->correct;
}

static void
fill(uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)random();
}

/* Kernels and libcrypto --------------------------------------------------- */

struct kernel_work {
	struct cpu_run run;
	const struct cpu_kernel *kernel;
	struct libcrypto crypto; /* is run instead if it is loaded */
};

static uint64_t
run_kernel(void *what)
{
	struct kernel_work *job = what;

	if (job->crypto.handle)
		libcrypto_blocks(&job->crypto, job->run.states[0],
				 job->run.data[0], LANE_BLOCKS);
	else
		cpu_kernel_run(job->kernel, &job->run, LANE_BLOCKS);
	return (uint64_t)LANE_BLOCKS * job->kernel->lanes;
}

/* Run once from the initial hash value and compare with the reference. */
static bool
kernel_is_right(struct kernel_work *job)
{
	bool right = true;

	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		cpu_run_set_state(&job->run, job->kernel, lane, sha256_initial);
	run_kernel(job);
	for (unsigned lane = 0; lane < job->kernel->lanes; lane++) {
		uint32_t state[SHA256_STATE_WORDS], its[SHA256_STATE_WORDS];

		memcpy(state, sha256_initial, sizeof(state));
		sha256_blocks(state, job->run.data[lane], LANE_BLOCKS);
		cpu_run_get_state(&job->run, job->kernel, lane, its);
		right &= memcmp(state, its, sizeof(state)) == 0;
	}
	return right;
}

static void
bench_kernel(struct report *report, struct kernel_work *job, const char *kind)
{
	struct result result = { .kind = kind,
				 .name = job->kernel->name,
				 .load = "16 KiB",
				 .lanes = job->kernel->lanes,
				 .correct = kernel_is_right(job) };

	report_result(report, &result, &(struct work){ run_kernel, job });
}

static void
bench_kernels(struct report *report, const struct bench_subjects *subjects,
	      struct kernel_work *job)
{
	/* OpenSSL's code has the state of one message, as a stream has. */
	static const struct cpu_kernel libcrypto = { .name = "libcrypto",
						     .lanes = 1 };

	for (job->kernel = subjects->kernels; job->kernel->name;
	     job->kernel++) {
		const uint32_t needs = job->kernel->needs | job->kernel->family;

		if ((subjects->features & needs) == needs)
			bench_kernel(report, job, "kernel");
	}
	if (libcrypto_load(&job->crypto, NULL)) {
		job->kernel = &libcrypto;
		bench_kernel(report, job, "library");
		libcrypto_unload(&job->crypto);
	}
}

/* Engines ----------------------------------------------------------------- */

struct engine_run {
	const struct engine *engine;
	void *self;
	struct engine_lane *lanes;
	/* An engine has a few large ones: each is for LANES_OF_BUFFER lanes, the
	 * last one for the rest. */
	uint8_t **buffers;
	size_t stride;	      /* from lane to lane */
	unsigned all;	      /* lanes that there are */
	unsigned nlanes;      /* occupied */
	uint32_t lane_blocks; /* of the message in each */
};

static uint8_t *
lane_data(const struct engine_run *job, unsigned lane)
{
	return job->buffers[lane / LANES_OF_BUFFER] +
	       lane % LANES_OF_BUFFER * job->stride;
}

static size_t
buffer_bytes(const struct engine_run *job, unsigned buffer)
{
	const unsigned rest = job->all - buffer * LANES_OF_BUFFER;

	return (rest < LANES_OF_BUFFER ? rest : LANES_OF_BUFFER) * job->stride;
}

/* Go past the blocks that a step has hashed.  Return how many are left. */
static uint64_t
advance(struct engine_run *job)
{
	uint64_t left = 0;

	for (unsigned i = 0; i < job->nlanes; i++) {
		struct engine_lane *lane = &job->lanes[i];

		lane->nblocks -= lane->done;
		lane->data += (size_t)lane->done * SHA256_BLOCK_BYTES;
		left += lane->nblocks;
	}
	return left;
}

/* Hash the message of each lane. */
static uint64_t
run_engine(void *what)
{
	struct engine_run *job = what;

	for (unsigned i = 0; i < job->nlanes; i++) {
		struct engine_lane *lane = &job->lanes[i];

		memcpy(lane->state, sha256_initial, sizeof(lane->state));
		lane->data = lane_data(job, i);
		lane->nblocks = job->lane_blocks;
	}
	do
		if (job->engine->submit(job->self, job->lanes, job->nlanes,
					NULL) != ENGINE_OK ||
		    job->engine->wait(job->self, NULL) != ENGINE_OK)
			return 0;
	while (advance(job) > 0);
	return (uint64_t)job->nlanes * job->lane_blocks;
}

/* Run once and compare all lanes. */
static bool
engine_is_right(struct engine_run *job)
{
	bool right = run_engine(job) > 0;

	for (unsigned i = 0; right && i < job->nlanes; i++) {
		uint32_t state[SHA256_STATE_WORDS];

		memcpy(state, sha256_initial, sizeof(state));
		sha256_blocks(state, lane_data(job, i), job->lane_blocks);
		right = memcmp(state, job->lanes[i].state, sizeof(state)) == 0;
	}
	return right;
}

static void
bench_loads(struct report *report, struct engine_run *job)
{
	static const struct load {
		const char *name;
		uint32_t blocks;
	} loads[] = { { "64 KiB", ENGINE_LANE_BLOCKS },
		      { "4 KiB files", SMALL_BLOCKS } };

	const unsigned worth = job->all;
	const unsigned step = worth > CPU_LANES ? 4 : 2;

	for (unsigned lanes = 1; lanes <= worth;
	     lanes = lanes < worth && step * lanes > worth ? worth :
							     step * lanes) {
		for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
			struct result result = { .kind = "engine",
						 .name = job->engine->name,
						 .load = loads[i].name,
						 .lanes = lanes };

			job->nlanes = lanes;
			job->lane_blocks = loads[i].blocks;
			result.correct = engine_is_right(job);
			report_result(report, &result,
				      &(struct work){ run_engine, job });
			if (result.correct)
				rates_note(report->rates, result.name,
					   result.speed.bytes_per_second);
		}
	}
}

/* Return false if memory is short; free_lanes() frees what there is. */
static bool
allocate_lanes(struct engine_run *job)
{
	const unsigned n = job->all;

	job->lanes = calloc(n, sizeof(*job->lanes));
	job->buffers = calloc(n / LANES_OF_BUFFER + 2, sizeof(*job->buffers));
	if (!job->lanes || !job->buffers)
		return false;
	for (unsigned i = 0; i < n; i++) {
		const unsigned b = i / LANES_OF_BUFFER;

		if (!job->buffers[b])
			job->buffers[b] = job->engine->alloc(
				job->self, buffer_bytes(job, b));
		if (!job->buffers[b])
			return false;
		fill(lane_data(job, i), ENGINE_LANE_BYTES);
	}
	return true;
}

static void
free_lanes(struct engine_run *job)
{
	for (unsigned b = 0; job->buffers && job->buffers[b]; b++)
		job->engine->free(job->self, job->buffers[b],
				  buffer_bytes(job, b));
	free(job->buffers);
	free(job->lanes);
}

static void
bench_engine(struct report *report, const struct engine *engine)
{
	struct engine_run job = { .engine = engine };
	struct engine_limits limits = { .lanes = 0 };

	if (!engine_probe(engine, NULL))
		return;
	job.self = engine_open(engine, "", &limits, NULL);
	if (!job.self)
		return;
	job.stride = ENGINE_LANE_BYTES + engine_slack_bytes(&limits);
	job.stride += -job.stride % SHA256_BLOCK_BYTES;
	job.all = limits.lanes;
	if (allocate_lanes(&job))
		bench_loads(report, &job);
	else
		report->no_memory = true;
	free_lanes(&job);
	engine->close(job.self);
}

void
bench_all(struct bench_subjects *subjects, const char *device)
{
	const uint32_t features = cpu_features_detect();

	*subjects = (struct bench_subjects){
		.kernels = cpu_kernels,
		.features = features,
		.engines = engine_rows,
		.device = strcmp(device, "auto") == 0 ? NULL : device,
	};
}

/* Emulated devices, whose speed is of no use, are measured where they are
 * named. */
static bool
is_subject(const struct bench_subjects *subjects, const struct engine_row *row)
{
	const char *const only = subjects->device;
	const size_t len = strlen(row->device);

	return only ? strncmp(only, row->device, len) == 0 &&
			       strcspn(only + len, ":+") == 0 :
		      row->automatic;
}

enum bench_result
bench_run(const struct bench_subjects *subjects, struct text *text, bool json,
	  struct rates *rates)
{
	struct report report = { .text = text,
				 .with_json = json,
				 .rates = rates };
	/* The distance of lanes is a power of two plus a cache line, so that
	 * they do not compete for the same sets of a cache. */
	const size_t stride = (LANE_BLOCKS + 1) * SHA256_BLOCK_BYTES;
	uint8_t *bytes = aligned_alloc(SHA256_BLOCK_BYTES, CPU_LANES * stride);
	struct kernel_work *job =
		aligned_alloc(alignof(struct kernel_work), sizeof(*job));

	rates->n = 0;
	if (!bytes || !job) {
		free(bytes);
		free(job);
		return BENCH_NO_MEMORY;
	}
	memset(job, 0, sizeof(*job));
	fill(bytes, CPU_LANES * stride);
	for (unsigned lane = 0; lane < CPU_LANES; lane++)
		job->run.data[lane] = bytes + lane * stride;

	report_begin(&report);
	if (!subjects->device || strcmp(subjects->device, "cpu") == 0)
		bench_kernels(&report, subjects, job);
	for (const struct engine_row *row = subjects->engines; row->device;
	     row++)
		if (is_subject(subjects, row))
			bench_engine(&report, row->engine);
	report_end(&report);
	free(bytes);
	free(job);
	return report.any_wrong ? BENCH_WRONG :
	       report.no_memory ? BENCH_NO_MEMORY :
				  BENCH_DONE;
}
