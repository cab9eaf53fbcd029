/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/launcher.h"

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
add_modelled_rates(struct facts *facts, uint64_t blocks,
		   const struct device_totals *done)
{
	static const unsigned rates[] = { 250, 300, 400 };
	const double launching = (double)done->launch_clocks / 250e6;

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		const double rate = ratio((double)blocks,
					  launching + (double)done->clocks /
							      (rates[i] * 1e6));

		facts_add_value(facts, rate / 1e6, 3, "million blocks/s",
				"at %u MHz, modelled", rates[i]);
		facts_add_value(facts, rate * SHA256_BLOCK_BYTES / 1e6, 1,
				"MB/s with padding", "%s", "");
	}
}

/* The clock of a real device, and the rate that it has reached. */
static void
add_measured(struct facts *facts, uint64_t blocks,
	     const struct device_totals *done)
{
	if (done->clock_hz > 0)
		facts_add_value(facts, done->clock_hz / 1000000, 0, "MHz",
				"clock of the QPUs, as the firmware tells");
	facts_add_value(facts, done->busy_ms, 1, "ms",
			"time in launches, measured");
	facts_add_value(facts, ratio((double)blocks, done->busy_ms / 1e3) / 1e6,
			3, "million blocks/s", "%s", "");
}

/* Add the sums of other totals, or take them away. */
static void
add(struct device_totals *to, const struct device_totals *what, int sign)
{
	to->busy_ms += sign * what->busy_ms;
	to->instructions += (uint64_t)sign * what->instructions;
	to->clocks += (uint64_t)sign * what->clocks;
	to->launch_clocks += (uint64_t)sign * what->launch_clocks;
	for (unsigned i = 0; i < what->ncounters; i++)
		to->counters[i].value +=
			(uint64_t)sign * what->counters[i].value;
}

void
figures_leave_out(struct device_totals *start,
		  const struct device_totals *before,
		  const struct device_totals *after)
{
	add(start, after, 1);
	add(start, before, -1);
}

void
figures_add_rows(const struct figures *figures,
		 const struct device_totals *start,
		 const struct device_totals *end, struct facts *facts)
{
	struct device_totals done = *end;

	add(&done, start, -1);
	add_count(facts, "QPUs", figures->qpus);
	add_count(facts, "launches", figures->launches);
	add_count(facts, "blocks on the device", figures->blocks);
	if (figures->failed_tests > 0)
		add_count(facts, "self-tests that failed",
			  figures->failed_tests);
	if (done.instructions > 0)
		facts_add_value(facts,
				ratio((double)done.instructions,
				      (double)figures->vectors),
				1, done.modelled ? "(emulated)" : "",
				"instructions per block of %u lanes",
				figures->lanes);
	facts_add_value(facts,
			100 * ratio((double)figures->blocks,
				    (double)figures->capacity),
			1, "%", "lane occupancy");
	if (!done.modelled)
		add_measured(facts, figures->blocks, &done);
	if (done.memory)
		facts_add_text(facts, NULL, "memory of the QPUs", done.memory);
	for (unsigned i = 0; i < done.ncounters; i++)
		facts_add_value(facts, (double)done.counters[i].value, 0,
				done.modelled ? "(modelled)" : "",
				"counter: %s", done.counters[i].name);
	if (!done.timed)
		return;
	add_count(facts, "clocks, modelled", done.clocks);
	add_count(facts, "clocks of launches, modelled", done.launch_clocks);
	add_modelled_rates(facts, figures->blocks, &done);
}
