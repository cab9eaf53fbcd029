/* SPDX-License-Identifier: MIT */
/*
 * qpu-sha256sum: print or check SHA-256 digests, as GNU sha256sum does.
 *
 * The story of the program: options, an engine, a source of jobs, the
 * pipeline between the two, and the exit status.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/libcrypto.h"
#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/bench/bench.h"
#include "src/bench/listing.h"
#include "src/bench/rates.h"
#include "src/inputs/check_source.h"
#include "src/inputs/hash_source.h"
#include "src/inputs/survey.h"
#include "src/options.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/stats.h"
#include "src/output/status_line.h"
#include "src/pipeline/engines.h"
#include "src/pipeline/pipeline.h"
#include "src/processors.h"

/* Return true for --device=auto. */
static bool
is_automatic(const struct options *options)
{
	return strcmp(options->device, "auto") == 0;
}

static void
use_fallback(struct pipeline_config *config)
{
	config->engine = config->fallback;
	config->options = "";
}

/* Return the number of files, or 0 if it is not known at once. */
static size_t
count_files(const struct options *options)
{
	const struct input_options *input = &options->input;

	if (options->check || input->files0_from || input->recursive)
		return 0;
	return input->noperands > 0 ? input->noperands : 1;
}

/* Fill *config.  Return false after a message if the options cannot be met. */
static bool
configure(const struct options *options, struct pipeline_config *config,
	  struct libcrypto *crypto)
{
	struct diag why_not;

	config->pool = options->input.pool;
	config->one_at_a_time = options->one_at_a_time;
	config->threads = options->one_at_a_time ? 1 : options->threads;
	config->one_input = count_files(options) == 1;
	config->uncached = options->uncached;
	config->crypto = NULL;
	config->fallback = engines_fallback;
	config->processors = NULL;
	/* To ask for quotas takes longer than to hash a small file. */
	if (config->threads == 0 && config->one_input) {
		config->threads = 1;
		config->processors = processors_count;
	} else if (config->threads == 0) {
		config->threads = processors_count();
	}
	config->reads_ahead = !options->one_at_a_time;
	/* A single message is fastest on the CPU, whatever else there is. */
	if (config->one_input && is_automatic(options) && !options->stats) {
		use_fallback(config);
	} else if (!engines_choose(options->device, config, &why_not)) {
		report_error("--device=%s: %s", options->device, why_not.text);
		return false;
	}
	/* A device wants many files at a time. */
	if (options->one_at_a_time)
		use_fallback(config);
	if (!options->verify)
		return true;
	config->crypto = crypto;
	if (!libcrypto_load(crypto, &why_not))
		report_error("--verify: %s", why_not.text);
	return crypto->handle != NULL;
}

/* Whether a device saves time. */
static void
report_choice(const struct engine *device, const struct device_choice *choice)
{
	report_warning("stats: %s is %s: estimated for %llu files, "
		       "%.3f s by the CPU alone, %.3f s by both",
		       device->name, choice->device ? "used" : "not used",
		       (unsigned long long)choice->files, choice->cpu_seconds,
		       choice->both_seconds);
	if (*choice->why_not.text)
		report_warning("stats: %s is not used: %s", device->name,
			       choice->why_not.text);
}

/* Report a failure of the engine, and the statistics. */
static void
report_outcome(const struct options *options,
	       const struct pipeline_config *config,
	       const struct run_report *outcome, uint64_t began_ns)
{
	if (outcome->healed)
		report_warning("warning: %s failed its self-test (%s), and "
			       "passed it after a restart",
			       outcome->healed->name, outcome->why_healed.text);
	if (outcome->failed)
		report_warning("warning: %s failed (%s); the files that were "
			       "not done were hashed on the CPU",
			       outcome->failed->name, outcome->why.text);
	if (outcome->is_wrong && outcome->by_device > 0)
		report_error(
			"%llu digest%s had come from %s before, and may be "
			"wrong; check with --device=cpu",
			(unsigned long long)outcome->by_device,
			outcome->by_device == 1 ? "" : "s",
			outcome->failed->name);
	if (options->stats && config->automatic)
		report_choice(config->engine, &outcome->choice);
	if (options->stats)
		stats_report(outcome->used, outcome, began_ns);
}

/* How fast a device and the CPU beside it should be: as --benchmark has
 * measured them here, or else as they are modelled. */
static void
expect_speed(struct pipeline_config *config)
{
	const struct engine *engine = config->engine;
	const struct rate *rate;
	struct rates rates;

	engine->speed(engine->context, &config->speed);
	rates_load(&rates);
	rate = rates_find(&rates, engine->name);
	if (rate)
		config->speed.device_rate = rate->bytes_per_second;
	rate = rates_find(&rates, config->fallback->name);
	if (rate)
		config->speed.core_rate = rate->bytes_per_second;
}

/* Hash all inputs.  Return false if none was looked at. */
static bool
run(const struct options *options, struct source *source)
{
	/* Static, since a signal may come after the end. */
	static struct survey survey;
	/* Static, since it is too large for the smallest stacks. */
	static struct run_report outcome;
	struct pipeline_config config = { 0 };
	struct libcrypto crypto = { 0 };
	struct diag why_not;
	const uint64_t began_ns = clock_ns();
	bool ran;

	if (!configure(options, &config, &crypto))
		return false;
	survey_init(&survey, &options->input, options->check,
		    options->progress);
	status_line_begin(&survey.forecast, options->progress);
	if (!config.engine->per_thread) {
		config.automatic = is_automatic(options);
		expect_speed(&config);
	}
	ran = pipeline_run(&config, source, &outcome, &why_not);
	status_line_end();
	survey_close(&survey);
	if (!ran)
		report_error("--device=%s: %s", options->device, why_not.text);
	else
		report_outcome(options, &config, &outcome, began_ns);
	return ran;
}

/* Like GNU, report a stdin that was read although it was closed. */
static void
close_stdin(bool was_read)
{
	if (was_read && descriptor_standard(STDIN_FILENO) < 0)
		report_errno(EBADF, "standard input");
}

static void
hash_files(const struct options *options)
{
	struct hash_source hash;
	const bool ran = hash_source_init(&hash, &options->input) &&
			 run(options, &hash.source);

	close_stdin(hash.read_stdin);
	if (ran)
		hash_source_sum_up(&hash, options->stats);
	hash_source_close(&hash);
}

static void
check_lists(const struct options *options)
{
	struct check_source check;
	bool ran;

	check_source_init(&check, &options->input);
	ran = run(options, &check.source);
	close_stdin(check.read_stdin);
	if (ran)
		check_source_sum_up(&check, options->stats);
	check_source_close(&check);
}

/* Print what was measured; keep the rates for --list-devices. */
static void
benchmark(const struct options *options)
{
	struct bench_subjects subjects;
	struct text text = { 0 };
	struct rates rates;

	bench_all(&subjects, options->device);
	switch (bench_run(&subjects, &text, options->input.json, &rates)) {
	case BENCH_DONE: rates_save(&rates); break;
	case BENCH_WRONG:
		report_error("--benchmark: an engine computed a wrong digest");
		break;
	case BENCH_NO_MEMORY:
		report_error("--benchmark: memory exhausted; the report is "
			     "incomplete");
		break;
	}
	output_add(text.bytes, text.len);
	text_free(&text);
}

int
main(int argc, char **argv)
{
	struct options options;
	struct pool pool;

	descriptor_init();
	descriptor_raise_limit();
	report_init(argv[0]);
	switch (options_parse(argc, argv, &options)) {
	case OPTIONS_RUN:
		pool_init(&pool, POOL_THREADS);
		options.input.pool = &pool;
		if (options.input.recursive || options.input.json ||
		    options.input.update)
			output_wait();
		if (options.list_devices)
			listing_print(engine_rows,
				      *options.list_devices != '\0',
				      options.input.json);
		else if (options.benchmark)
			benchmark(&options);
		else if (options.check)
			check_lists(&options);
		else
			hash_files(&options);
		pool_end(&pool);
		output_flush();
		break;
	case OPTIONS_DONE:
	case OPTIONS_BAD: break;
	}
	output_close();
	return report_status();
}
