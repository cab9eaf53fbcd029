/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/stats.h"

#include "src/base/text.h"
#include "src/output/report.h"

static void
report_count(const char *name, uint64_t value)
{
	report_warning("stats: %s: %llu", name, (unsigned long long)value);
}

/* "VALUE UNIT" */
static bool
add_value(struct text *line, const struct engine_stat *row)
{
	char number[48];

	snprintf(number, sizeof(number), "%.*f", (int)row->decimals,
		 row->value);
	return text_add_string(line, number) &&
	       (!*row->unit || (text_add_string(line, " ") &&
				text_add_string(line, row->unit)));
}

/* One line; returns the row behind it. */
static unsigned
report_row(const struct engine_stats *stats, unsigned i)
{
	struct text line = { 0 };
	const char *label = stats->rows[i].label;
	bool complete = add_value(&line, &stats->rows[i]);

	for (i++; i < stats->nrows && !*stats->rows[i].label; i++)
		complete = complete && text_add_string(&line, ", ") &&
			   add_value(&line, &stats->rows[i]);
	if (complete)
		report_warning("stats: %s: %s", label, line.bytes);
	text_free(&line);
	return i;
}

void
stats_report(const struct engine *engine, const struct worker_report *report)
{
	report_warning("stats: device: %s", engine->name);
	report_count("blocks", report->blocks);
	report_count("bytes, with padding",
		     report->blocks * SHA256_BLOCK_BYTES);
	for (unsigned i = 0; i < report->engine.nrows;)
		i = report_row(&report->engine, i);
}
