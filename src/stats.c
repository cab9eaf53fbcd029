/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/stats.h"

#include "src/report.h"

static double
ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void
report_count(const char *name, uint64_t value)
{
	report_warning("stats: %s: %llu", name, (unsigned long long)value);
}

/*
 * The model has one clock, of 250 MHz.  Memory stays as many clocks away at
 * any other rate, which flatters the higher ones a little; a launch takes the
 * same time.
 */
static void
report_rates(const struct engine_stats *stats)
{
	static const unsigned rates[] = { 250, 300, 400 };
	const double launching = (double)stats->launch_clocks / 250e6;

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		const double blocks =
			ratio((double)stats->blocks, launching +
			      (double)stats->clocks / (rates[i] * 1e6));

		report_warning("stats: at %u MHz, modelled: %.3f million "
			       "blocks/s, %.1f MB/s", rates[i], blocks / 1e6,
			       blocks * SHA256_BLOCK_BYTES / 1e6);
	}
}

/* Of a device that is no model: its clock, and what it has achieved. */
static void
report_measured(const struct engine_stats *stats)
{
	const double blocks = ratio((double)stats->blocks,
				    stats->busy_ms / 1e3);

	if (stats->clock_hz > 0)
		report_warning("stats: clock of the QPUs, as the firmware "
			       "tells: %u MHz", stats->clock_hz / 1000000);
	report_warning("stats: time in launches, measured: %.1f ms, %.3f "
		       "million blocks/s", stats->busy_ms, blocks / 1e6);
}

static void
report_device(const struct engine_stats *stats)
{
	report_count("QPUs", stats->qpus);
	report_count("launches", stats->launches);
	report_count("blocks on the device", stats->blocks);
	if (stats->instructions > 0)
		report_warning("stats: instructions per block of %u lanes: "
			       "%.1f%s", (unsigned)BATCH_LANES,
			       ratio((double)stats->instructions,
				     (double)stats->vectors),
			       stats->modelled ? " (emulated)" : "");
	report_warning("stats: lane occupancy: %.1f %%",
		       100 * ratio((double)stats->blocks,
				   (double)stats->room));
	if (!stats->modelled)
		report_measured(stats);
	for (unsigned i = 0; i < stats->ncounters; i++)
		report_warning("stats: counter: %s: %llu%s",
			       stats->counters[i].name,
			       (unsigned long long)stats->counters[i].value,
			       stats->modelled ? " (modelled)" : "");
	if (!stats->timed)
		return;
	report_count("clocks, modelled", stats->clocks);
	report_count("clocks of launches, modelled", stats->launch_clocks);
	report_rates(stats);
}

void
stats_report(const struct engine *engine, const struct worker_report *stats)
{
	report_warning("stats: device: %s", engine->name);
	report_count("blocks", stats->blocks);
	report_count("bytes, with padding",
		     stats->blocks * SHA256_BLOCK_BYTES);
	if (stats->engine.qpus > 0)
		report_device(&stats->engine);
}
