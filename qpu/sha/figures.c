/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/figures.h"

#include "src/base/batch.h"

static double
ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void
add_count(struct facts *facts, const char *label, uint64_t count)
{
	facts_add_value(facts, (double)count, 0, "", "%s", label);
}

/*
 * The model has one clock, of 250 MHz.  Memory stays as many clocks away at
 * any other rate, which flatters the higher ones a little; a launch takes the
 * same time.
 */
static void
add_modelled_rates(struct facts *facts, uint64_t blocks, uint64_t clocks,
		   uint64_t launch_clocks)
{
	static const unsigned rates[] = { 250, 300, 400 };
	const double launching = (double)launch_clocks / 250e6;

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		const double rate =
			ratio((double)blocks,
			      launching + (double)clocks / (rates[i] * 1e6));

		facts_add_value(facts, rate / 1e6, 3, "million blocks/s",
				"at %u MHz, modelled", rates[i]);
		facts_add_value(facts, rate * SHA256_BLOCK_BYTES / 1e6, 1,
				"MB/s with padding", "%s", "");
	}
}

/* The clock of a real device, and the rate that it has reached. */
static void
add_measured(struct facts *facts, uint64_t blocks, double busy_ms,
	     const struct device_totals *end)
{
	if (end->clock_hz > 0)
		facts_add_value(facts, end->clock_hz / 1000000, 0, "MHz",
				"clock of the QPUs, as the firmware tells");
	facts_add_value(facts, busy_ms, 1, "ms", "time in launches, measured");
	facts_add_value(facts, ratio((double)blocks, busy_ms / 1e3) / 1e6, 3,
			"million blocks/s", "%s", "");
}

void
figures_leave_out(struct device_totals *start,
		  const struct device_totals *before,
		  const struct device_totals *after)
{
	start->busy_ms += after->busy_ms - before->busy_ms;
	start->instructions += after->instructions - before->instructions;
	start->clocks += after->clocks - before->clocks;
	start->launch_clocks += after->launch_clocks - before->launch_clocks;
	for (unsigned i = 0; i < after->ncounters; i++)
		start->counters[i].value +=
			after->counters[i].value - before->counters[i].value;
}

void
figures_add_rows(const struct figures *figures,
		 const struct device_totals *start,
		 const struct device_totals *end, struct facts *facts)
{
	const uint64_t instructions = end->instructions - start->instructions;
	const uint64_t clocks = end->clocks - start->clocks;
	const uint64_t launch_clocks =
		end->launch_clocks - start->launch_clocks;

	add_count(facts, "QPUs", figures->qpus);
	add_count(facts, "launches", figures->launches);
	add_count(facts, "blocks on the device", figures->blocks);
	if (figures->failed_tests > 0)
		add_count(facts, "self-tests that failed",
			  figures->failed_tests);
	if (instructions > 0)
		facts_add_value(
			facts,
			ratio((double)instructions, (double)figures->vectors),
			1, end->modelled ? "(emulated)" : "",
			"instructions per block of %u lanes", figures->lanes);
	facts_add_value(facts,
			100 * ratio((double)figures->blocks,
				    (double)figures->capacity),
			1, "%", "lane occupancy");
	if (!end->modelled)
		add_measured(facts, figures->blocks,
			     end->busy_ms - start->busy_ms, end);
	if (end->memory)
		facts_add_text(facts, NULL, "memory of the QPUs", end->memory);
	for (unsigned i = 0; i < end->ncounters; i++)
		facts_add_value(facts,
				(double)(end->counters[i].value -
					 start->counters[i].value),
				0, end->modelled ? "(modelled)" : "",
				"counter: %s", end->counters[i].name);
	if (!end->timed)
		return;
	add_count(facts, "clocks, modelled", clocks);
	add_count(facts, "clocks of launches, modelled", launch_clocks);
	add_modelled_rates(facts, figures->blocks, clocks, launch_clocks);
}
