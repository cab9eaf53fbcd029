/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/bench.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/libcrypto.h"
#include "cpu/sha256.h"
#include "src/base/clock.h"
#include "src/base/engine.h"
#include "src/bench/canary.h"
#include "src/bench/cycles.h"
#include "src/base/json.h"
#include "src/pipeline/engines.h"

enum {
	/* A lane of the kernels: all lanes fit into a second-level cache. */
	LANE_BLOCKS = 256,
	/* A lane of the engines: as much as a lane's buffer. */
	ENGINE_LANE_BLOCKS = 1024,
	ENGINE_LANE_BYTES = ENGINE_LANE_BLOCKS * SHA256_BLOCK_BYTES,
	/* A file of 4 KiB with its padding: many of them are the hard case. */
	SMALL_BLOCKS = 65,
	SAMPLES = 60
};

/* Short ones, so that some of them are disturbed by nothing. */
#define SAMPLE_SECONDS 0.0003
#define SLOW_SECONDS 0.05

struct result {
	const char *kind; /* "kernel", "engine" or "library" */
	const char *name;
	const char *load; /* what was in the lanes */
	unsigned lanes;
	bool correct;
	bool disturbed; /* in every run, by others on this core */
	double gb_per_s;
	double cycles_per_byte;
};

/* Something that can be run again and again. */
struct workload {
	/* Returns the blocks that were hashed; 0 = it failed. */
	uint64_t (*run)(void *what);
	void *what;
};

struct report {
	FILE *out;
	bool json;
	bool no_memory;
	bool any_object; /* is in the list */
	bool any_wrong;
	bool any_disturbed;
	struct cycles cycles;
	struct canary canary;
	struct rates *rates;
};

/* Output ----------------------------------------------------------------- */

/* The report is kept in memory: nothing else can fail. */
__attribute__((format(printf, 2, 3))) static void
put(struct report *report, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vfprintf(report->out, format, args) < 0)
		report->no_memory = true;
	va_end(args);
}

static void
report_begin(struct report *report)
{
	const char *const cycles =
		cycles_has_counter(&report->cycles) ?
			"hardware counter" :
			"calibrated by a chain of dependent additions";

	if (report->json)
		put(report,
		    "{\"version\": \"%s\", \"cycles\": \"%s\", \"results\": [",
		    PACKAGE_VERSION, cycles);
	else
		put(report, "core cycles: %s\n%-8s %-14s %-13s %5s %8s %8s\n",
		    cycles, "", "", "lanes hold", "lanes", "GB/s", "cycles/B");
}

static void
report_object(struct report *report, const struct result *result)
{
	struct json object = { 0 };

	json_open(&object);
	json_string(&object, "kind", result->kind);
	json_string(&object, "name", result->name);
	json_string(&object, "load", result->load);
	json_number(&object, "lanes", result->lanes);
	json_flag(&object, "correct", result->correct);
	if (result->correct) {
		json_real(&object, "gb_per_s", result->gb_per_s);
		json_real(&object, "cycles_per_byte", result->cycles_per_byte);
		json_flag(&object, "disturbed", result->disturbed);
	}
	if (json_close(&object)) {
		/* Without its newline. */
		put(report, "%s\n %.*s", report->any_object ? "," : "",
		    (int)object.text.len - 1, object.text.bytes);
		report->any_object = true;
	} else {
		report->no_memory = true;
	}
	json_free(&object);
}

static void
report_row(struct report *report, const struct result *result)
{
	put(report, "%-8s %-14s %-13s %5u", result->kind, result->name,
	    result->load, result->lanes);
	if (result->correct)
		put(report, " %8.3f %8.3f%s\n", result->gb_per_s,
		    result->cycles_per_byte,
		    result->disturbed ? "  disturbed" : "");
	else
		put(report, " WRONG RESULT\n");
}

static void
report_result(struct report *report, const struct result *result)
{
	if (report->json)
		report_object(report, result);
	else
		report_row(report, result);
	report->any_wrong |= !result->correct;
	report->any_disturbed |= result->disturbed;
}

static void
report_end(struct report *report)
{
	if (report->json)
		put(report, "\n]}\n");
	else if (report->any_disturbed)
		put(report, "disturbed: another program shared the core during"
			    " every run; the true figures are better\n");
}

/* Timing ----------------------------------------------------------------- */

/* Near the best: other programs can only make a sample slower, but a clock
 * that changes after its calibration can also make one seem faster. */
#define NEAR_BEST 0.1

static void
summarize(struct report *report, struct sample *samples, size_t count,
	  struct result *result)
{
	double seconds[SAMPLES], cycles[SAMPLES];
	const size_t quiet = canary_sift(&report->canary, samples, count);

	result->disturbed = quiet == 0;
	if (quiet > 0)
		count = quiet;
	for (size_t i = 0; i < count; i++) {
		seconds[i] = samples[i].seconds;
		cycles[i] = samples[i].cycles;
	}
	result->gb_per_s = 1e-9 / cycles_quantile(seconds, count, NEAR_BEST);
	result->cycles_per_byte = cycles_quantile(cycles, count, NEAR_BEST);
}

static void
measure(struct report *report, const struct workload *workload,
	struct result *result)
{
	struct sample samples[SAMPLES];
	double before = canary_read(&report->canary);
	uint64_t repeat = 1;
	size_t count = 0;

	while (count < SAMPLES) {
		uint64_t blocks = 0;

		cycles_start(&report->cycles);
		for (uint64_t i = 0; i < repeat; i++) {
			const uint64_t run = workload->run(workload->what);

			if (run == 0) {
				result->correct = false;
				return;
			}
			blocks += run;
		}
		const struct cycles_span span = cycles_stop(&report->cycles);

		if (span.seconds < SAMPLE_SECONDS / 2) {
			repeat *= 2;
			continue;
		}

		const double len = (double)blocks * SHA256_BLOCK_BYTES;
		const double after = canary_read(&report->canary);
		samples[count].seconds = span.seconds / len;
		samples[count].cycles = span.cycles / len;
		samples[count++].canary = before > after ? before : after;
		before = after;
		/* One sample is enough of a slow engine (an emulator). */
		if (span.seconds > SLOW_SECONDS)
			break;
	}
	summarize(report, samples, count, result);
}

static void
fill(uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)random();
}

/* Kernels and libcrypto --------------------------------------------------- */

struct kernel_run {
	alignas(64) uint32_t rows[SHA256_STATE_WORDS][BATCH_LANES];
	uint32_t states[BATCH_LANES][SHA256_STATE_WORDS];
	const uint8_t *data[BATCH_LANES];
	const struct cpu_kernel *kernel;
	struct libcrypto crypto;
};

static uint64_t
run_kernel(void *what)
{
	struct kernel_run *job = what;
	const struct cpu_kernel *kernel = job->kernel;

	if (kernel->run_streams)
		kernel->run_streams(job->states, job->data, LANE_BLOCKS);
	else
		kernel->run_lanes(job->rows, job->data, LANE_BLOCKS);
	return (uint64_t)LANE_BLOCKS * kernel->lanes;
}

static uint64_t
run_libcrypto(void *what)
{
	struct kernel_run *job = what;

	libcrypto_blocks(&job->crypto, job->states[0], job->data[0],
			 LANE_BLOCKS);
	return LANE_BLOCKS;
}

/* Run once from the initial hash value and compare with the reference. */
static bool
kernel_is_right(struct kernel_run *job, uint64_t (*run)(void *), unsigned lanes,
		bool in_rows)
{
	bool right = true;

	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		for (int word = 0; word < SHA256_STATE_WORDS; word++) {
			job->states[lane][word] = sha256_initial[word];
			job->rows[word][lane] = sha256_initial[word];
		}
	run(job);
	for (unsigned lane = 0; lane < lanes; lane++) {
		uint32_t state[SHA256_STATE_WORDS];

		memcpy(state, sha256_initial, sizeof(state));
		sha256_blocks(state, job->data[lane], LANE_BLOCKS);
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			right &= state[word] ==
				 (in_rows ? job->rows[word][lane] :
					    job->states[lane][word]);
	}
	return right;
}

static void
bench_kernels(struct report *report, struct kernel_run *job)
{
	const uint32_t features = cpu_features_detect();

	for (const struct cpu_kernel *kernel = cpu_kernels; kernel->name;
	     kernel++) {
		struct result result = { .kind = "kernel",
					 .name = kernel->name,
					 .load = "16 KiB",
					 .lanes = kernel->lanes };

		if ((features & kernel->needs) != kernel->needs)
			continue;
		job->kernel = kernel;
		result.correct = kernel_is_right(job, run_kernel, kernel->lanes,
						 kernel->run_lanes);
		if (result.correct)
			measure(report, &(struct workload){ run_kernel, job },
				&result);
		report_result(report, &result);
	}
}

static void
bench_libcrypto(struct report *report, struct kernel_run *job)
{
	struct result result = { .kind = "library",
				 .name = "libcrypto",
				 .load = "16 KiB",
				 .lanes = 1 };

	if (!libcrypto_load(&job->crypto, NULL))
		return;
	result.correct = kernel_is_right(job, run_libcrypto, 1, false);
	if (result.correct)
		measure(report, &(struct workload){ run_libcrypto, job },
			&result);
	report_result(report, &result);
	libcrypto_unload(&job->crypto);
}

/* Engines ----------------------------------------------------------------- */

struct engine_run {
	const struct engine *engine;
	void *self;
	struct batch *batches;
	uint8_t *(*buffers)[BATCH_LANES];
	uint64_t (*hashed)[BATCH_LANES]; /* blocks since the beginning */
	unsigned nbatches;
	unsigned lanes;	      /* occupied lanes of a batch */
	uint32_t lane_blocks; /* of a message */
};

/* One step, refilling what has ended with the same message again. */
static uint64_t
run_engine(void *what)
{
	struct engine_run *job = what;
	uint64_t blocks = 0;

	for (unsigned b = 0; b < job->nbatches; b++) {
		struct batch *batch = &job->batches[b];

		for (unsigned lane = 0; lane < job->lanes; lane++)
			if (batch->nblocks[lane] == 0) {
				batch->data[lane] = job->buffers[b][lane];
				batch->nblocks[lane] = job->lane_blocks;
			}
	}
	if (job->engine->submit(job->self, job->batches, job->nbatches, NULL) !=
		    ENGINE_OK ||
	    job->engine->wait(job->self, NULL) != ENGINE_OK)
		return 0;
	for (unsigned b = 0; b < job->nbatches; b++) {
		struct batch *batch = &job->batches[b];

		for (unsigned lane = 0; lane < job->lanes; lane++) {
			const uint32_t done = batch->done[lane];

			blocks += done;
			batch->nblocks[lane] -= done;
			batch->data[lane] += (size_t)done * SHA256_BLOCK_BYTES;
		}
	}
	return blocks;
}

/* Run a few steps, or one slow one, from the initial hash value and compare all
 * lanes. */
static bool
engine_is_right(struct engine_run *job)
{
	bool right = true, slow = false;

	for (unsigned b = 0; b < job->nbatches; b++) {
		memset(job->batches[b].nblocks, 0,
		       sizeof(job->batches[b].nblocks));
		memset(job->hashed[b], 0, sizeof(job->hashed[b]));
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			batch_set_state(&job->batches[b], lane, sha256_initial);
	}
	for (int step = 0; right && step < 3 && !slow; step++) {
		const uint64_t start_ns = clock_ns();

		right = run_engine(job) > 0;
		slow = (double)(clock_ns() - start_ns) > SLOW_SECONDS * 1e9;
		for (unsigned b = 0; b < job->nbatches; b++)
			for (unsigned lane = 0; lane < job->lanes; lane++)
				job->hashed[b][lane] +=
					job->batches[b].done[lane];
	}
	for (unsigned b = 0; right && b < job->nbatches; b++)
		for (unsigned lane = 0; lane < job->lanes; lane++) {
			uint32_t state[SHA256_STATE_WORDS];
			uint32_t theirs[SHA256_STATE_WORDS];
			uint64_t left = job->hashed[b][lane];

			memcpy(state, sha256_initial, sizeof(state));
			while (left > 0) {
				const size_t run = left < job->lane_blocks ?
							   (size_t)left :
							   job->lane_blocks;

				sha256_blocks(state, job->buffers[b][lane],
					      run);
				left -= run;
			}
			batch_get_state(&job->batches[b], lane, theirs);
			right &= memcmp(state, theirs, sizeof(state)) == 0;
		}
	return right;
}

static void
bench_loads(struct report *report, struct engine_run *job, unsigned worth)
{
	static const struct load {
		const char *name;
		uint32_t blocks;
	} loads[] = { { "64 KiB", ENGINE_LANE_BLOCKS },
		      { "4 KiB files", SMALL_BLOCKS } };

	for (unsigned lanes = 1; lanes <= worth;
	     lanes = lanes < worth && 2 * lanes > worth ? worth : 2 * lanes) {
		for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
			struct result result = { .kind = "engine",
						 .name = job->engine->name,
						 .load = loads[i].name,
						 .lanes = lanes };

			job->lanes = lanes;
			job->lane_blocks = loads[i].blocks;
			result.correct = engine_is_right(job);
			if (result.correct)
				measure(report,
					&(struct workload){ run_engine, job },
					&result);
			report_result(report, &result);
			if (result.correct)
				rates_note(report->rates, result.name,
					   result.gb_per_s * 1e9);
		}
	}
}

/* False: memory is short, and free_lanes() frees what there is. */
static bool
allocate_lanes(struct engine_run *job, unsigned lanes, size_t bytes)
{
	const size_t n = job->nbatches;
	bool complete = true;

	job->batches =
		aligned_alloc(alignof(struct batch), n * sizeof(*job->batches));
	job->buffers = calloc(n, sizeof(*job->buffers));
	job->hashed = calloc(n, sizeof(*job->hashed));
	if (!job->batches || !job->buffers || !job->hashed)
		return false;
	memset(job->batches, 0, n * sizeof(*job->batches));
	for (unsigned b = 0; b < n; b++)
		for (unsigned lane = 0; lane < lanes; lane++) {
			uint8_t *buffer = job->engine->alloc(job->self, bytes);

			job->buffers[b][lane] = buffer;
			if (buffer)
				fill(buffer, ENGINE_LANE_BYTES);
			complete &= buffer != NULL;
		}
	return complete;
}

static void
free_lanes(struct engine_run *job, unsigned lanes, size_t bytes)
{
	for (unsigned b = 0; job->buffers && b < job->nbatches; b++)
		for (unsigned lane = 0; lane < lanes; lane++)
			if (job->buffers[b][lane])
				job->engine->free(job->self,
						  job->buffers[b][lane], bytes);
	free(job->hashed);
	free(job->buffers);
	free(job->batches);
}

static void
bench_engine(struct report *report, const struct engine *engine)
{
	struct engine_run job = { .engine = engine };
	struct engine_limits limits = { .batches = 0 };
	size_t bytes;

	if (!engine_probe(engine, NULL))
		return;
	job.self = engine_open(engine, "", &limits, NULL);
	if (!job.self)
		return;
	bytes = ENGINE_LANE_BYTES + engine_slack_bytes(&limits);
	job.nbatches = limits.batches;
	if (allocate_lanes(&job, limits.lanes, bytes))
		bench_loads(report, &job, limits.lanes);
	else
		report->no_memory = true;
	free_lanes(&job, limits.lanes, bytes);
	engine->close(job.self);
}

static enum bench_result
find_result(const struct report *report)
{
	return report->any_wrong ? BENCH_WRONG :
	       report->no_memory ? BENCH_NO_MEMORY :
				   BENCH_DONE;
}

enum bench_result
bench_run(FILE *out, bool json, struct rates *rates)
{
	struct report report = { .out = out, .json = json, .rates = rates };
	/* The distance of lanes is a power of two plus a cache line, so that
	 * they do not compete for the same sets of a cache. */
	const size_t stride = (LANE_BLOCKS + 1) * SHA256_BLOCK_BYTES;
	uint8_t *bytes =
		aligned_alloc(SHA256_BLOCK_BYTES, BATCH_LANES * stride);
	struct kernel_run *job =
		aligned_alloc(alignof(struct kernel_run), sizeof(*job));

	rates->n = 0;
	if (!bytes || !job) {
		free(bytes);
		free(job);
		return BENCH_NO_MEMORY;
	}
	fill(bytes, BATCH_LANES * stride);
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		job->data[lane] = bytes + lane * stride;

	cycles_open(&report.cycles);
	canary_open(&report.canary);
	report_begin(&report);
	bench_kernels(&report, job);
	bench_libcrypto(&report, job);
	for (const struct engine_row *row = engine_rows; row->device; row++)
		bench_engine(&report, row->engine);
	report_end(&report);
	cycles_close(&report.cycles);
	free(bytes);
	free(job);
	return find_result(&report);
}
