/* SPDX-License-Identifier: MIT */
/*
 * qpu-sha256sum: print or check SHA-256 digests, as GNU sha256sum does.
 *
 * The story of the program: options, an engine, a source of jobs, the
 * pipeline between the two, and the exit status.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cpu/libcrypto.h"
#include "src/bench.h"
#include "src/check.h"
#include "src/descriptor.h"
#include "src/engines.h"
#include "src/listing.h"
#include "src/lookahead.h"
#include "src/options.h"
#include "src/output.h"
#include "src/pipeline.h"
#include "src/report.h"
#include "src/stats.h"
#include "src/sum.h"
#include "src/ticker.h"

/* Those that this process may use. */
static unsigned
count_processors(void)
{
	cpu_set_t allowed;

	/* More than a set holds: as many as we can have anyway. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return CPU_SETSIZE;
	return (unsigned)CPU_COUNT(&allowed);
}

/*
 * Each worker may hold a FIFO whose turn has not come; the oldest input must
 * still find a descriptor.
 */
static unsigned
limit_by_descriptors(unsigned threads)
{
	enum { OURS = 8 };
	struct rlimit limit;
	rlim_t most = 1;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return threads;
	if (limit.rlim_cur > OURS + 2)
		most = (limit.rlim_cur - OURS) / 2;
	return threads < most ? threads : (unsigned)most;
}

/* Everything the pipeline needs; false after a message. */
static bool
configure(const struct options *options, struct pipeline_config *config,
	  struct libcrypto *crypto)
{
	struct diag why_not;

	config->threads = options->threads;
	config->crypto = NULL;
	config->fallback = engines_fallback();
	if (config->threads == 0)
		config->threads = count_processors();
	config->threads = limit_by_descriptors(config->threads);
	config->engine = engines_choose(options->device, &config->words,
					&why_not);
	if (!config->engine) {
		report_error("--device=%s: %s", options->device, why_not.text);
		return false;
	}
	if (!options->verify)
		return true;
	config->crypto = crypto;
	if (!libcrypto_load(crypto, &why_not))
		report_error("--verify: %s", why_not.text);
	return crypto->handle != NULL;
}

static void
use_fallback(struct pipeline_config *config)
{
	config->engine = config->fallback;
	config->words = "";
}

/* What has to be said about the engine when all is done. */
static void
tell(const struct options *options, const struct pipeline_config *config,
     const struct worker_report *outcome)
{
	if (outcome->failed)
		report_warning("warning: %s failed (%s); its work was redone "
			       "on the CPU",
			       outcome->failed->name, outcome->why.text);
	if (options->stats)
		stats_report(config->engine, outcome);
}

/*
 * A device that nobody asked for is used if enough messages wait.  Returns
 * the source to read from; `ahead` is to be closed in any case.
 */
static struct source *
choose_by_messages(struct pipeline_config *config, struct lookahead *ahead,
		   struct source *source)
{
	config->worth = config->engine->worth();
	if (lookahead_init(ahead, source, config->worth) < config->worth)
		use_fallback(config);
	return &ahead->source;
}

static void
run(const struct options *options, struct source *source)
{
	const bool automatic = strcmp(options->device, "auto") == 0;
	struct pipeline_config config = { 0 };
	struct worker_report outcome;
	struct libcrypto crypto = { 0 };
	struct lookahead ahead = { 0 };
	struct diag why_not;
	bool ran;

	if (!configure(options, &config, &crypto))
		return;
	ticker_begin(options);
	if (automatic && config.engine->worth)
		source = choose_by_messages(&config, &ahead, source);
	ran = pipeline_run(&config, source, &outcome, &why_not);
	if (!ran && automatic && config.engine != config.fallback) {
		if (options->stats)
			report_warning("stats: %s is not used: %s",
				       config.engine->name, why_not.text);
		use_fallback(&config);
		ran = pipeline_run(&config, source, &outcome, &why_not);
	}
	ticker_end();
	lookahead_close(&ahead);
	if (!ran)
		report_error("--device=%s: %s", options->device, why_not.text);
	else
		tell(options, &config, &outcome);
}

/* GNU closes a stdin that it has read, and says so if it was closed before. */
static void
close_stdin(bool was_read)
{
	if (was_read && descriptor_standard(STDIN_FILENO) < 0)
		report_errno(EBADF, "standard input");
}

static void
sum_files(const struct options *options)
{
	struct sum sum;

	sum_init(&sum, options);
	run(options, &sum.source);
	close_stdin(sum.read_stdin);
	sum_close(&sum);
}

static void
check_lists(const struct options *options)
{
	struct check check;

	check_init(&check, options);
	run(options, &check.source);
	close_stdin(check.read_stdin);
	check_close(&check);
}

/* The whole report at once, or none of it; --list-devices remembers. */
static void
benchmark(bool json)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);
	struct rates rates;

	if (!stream) {
		report_errno(errno, "--benchmark");
		return;
	}
	if (bench_run(stream, json, &rates) != 0)
		report_error("--benchmark: an engine computed a wrong digest");
	else
		rates_save(&rates);
	fclose(stream);
	output_add(text, len);
	free(text);
}

int
main(int argc, char **argv)
{
	struct options options;

	descriptor_init();
	setlocale(LC_ALL, "");
	report_init(argv[0]);
	switch (options_parse(argc, argv, &options)) {
	case OPTIONS_RUN:
		if (options.list_devices)
			listing_print();
		else if (options.benchmark)
			benchmark(options.json);
		else if (options.check)
			check_lists(&options);
		else
			sum_files(&options);
		break;
	case OPTIONS_DONE:
	case OPTIONS_BAD:
		break;
	}
	output_close();
	return report_status();
}
