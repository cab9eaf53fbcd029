/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/stats.h"

#include "src/output/fact_line.h"
#include "src/output/report.h"

static void
report_count(const char *name, uint64_t value)
{
	report_warning("stats: %s: %llu", name, (unsigned long long)value);
}

void
stats_report(const struct engine *engine, const struct worker_report *report)
{
	const uint64_t padded = report->blocks * SHA256_BLOCK_BYTES;
	struct text line = { 0 };

	report_warning("stats: device: %s", engine->name);
	report_count("blocks", report->blocks);
	report_count("bytes, with padding", padded);
	if (padded > 0)
		report_warning("stats: content: %.1f %% of these bytes",
			       100 * (double)report->bytes / (double)padded);
	for (unsigned i = 0; i < report->engine.n;)
		if (fact_line(&line, &report->engine, &i))
			report_warning("stats: %s", line.bytes);
	text_free(&line);
}
