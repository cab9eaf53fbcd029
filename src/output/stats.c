/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/stats.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/base/clock.h"
#include "src/lanes/sequencer.h"
#include "src/output/output.h"
#include "src/output/report.h"

static void
report_count(const char *name, uint64_t value)
{
	report_warning("stats: %s: %llu", name, (unsigned long long)value);
}

void
stats_report(const struct engine *engine, const struct run_report *report,
	     uint64_t began_ns)
{
	const uint64_t padded = report->blocks * SHA256_BLOCK_BYTES;
	const uint64_t ms = (clock_ns() - began_ns) / CLOCK_NS_PER_MS + 1;
	struct text line = { 0 };
	uint64_t kib, files;

	report_warning("stats: device: %s", engine->name);
	report_count("blocks", report->blocks);
	report_count("bytes, with padding", padded);
	if (padded > 0)
		report_warning("stats: content: %.1f %% of these bytes",
			       100 * (double)report->bytes / (double)padded);
	progress_sum(&kib, &files);
	report_warning("stats: seconds: %llu.%03u",
		       (unsigned long long)(ms / 1000), (unsigned)(ms % 1000));
	report_warning("stats: MB/s: %.1f", (double)kib * 1.024 / (double)ms);
	if (report->waits.n > 0)
		report_warning("stats: waits for storage: %llu, of %.1f ms on "
			       "average, at most %u at a time",
			       (unsigned long long)report->waits.n,
			       (double)report->waits.ns / CLOCK_NS_PER_MS /
				       (double)report->waits.n,
			       report->waits.max);
	for (unsigned i = 0; i < report->device_facts.n;)
		if (facts_line(&line, &report->device_facts, &i))
			report_warning("stats: %s", line.bytes);
	text_free(&line);
}

void
stats_report_counts(const struct stats_count *counts)
{
	struct text line = { 0 };
	char number[32];
	bool whole = true;

	for (const struct stats_count *row = counts; row->name; row++) {
		snprintf(number, sizeof(number), ": %" PRIuMAX, row->count);
		whole = whole &&
			text_add_string(&line, row > counts ? ", " : "") &&
			text_add_string(&line, row->name) &&
			text_add_string(&line, number);
	}
	if (whole)
		report_warning("stats: %s", line.bytes);
	text_free(&line);
}

void
stats_print_summary(struct json *object, const char *what,
		    const struct stats_count *counts)
{
	json_open(object);
	json_string(object, "summary", what);
	for (const struct stats_count *row = counts; row->name; row++)
		json_number(object, row->name, row->count);
	json_number(object, "status", (uintmax_t)report_status());
	output_add_line(&object->text, json_close(object), "summary");
}
