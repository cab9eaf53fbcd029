/* SPDX-License-Identifier: MIT */
/*
 * Promise: the figures of --stats are those of the launches between two
 * readings of the device's totals.
 */
#include "config.h"

#include "qpu/engine/figures.h"

#include <math.h>
#include <string.h>

#include "tests/support/tap.h"

static const struct figures figures = {
	.qpus = 12, .launches = 3, .blocks = 600, .vectors = 50, .room = 800
};

/* The value of the row, `behind` rows behind the one with the label; -1: there
 * is none. */
static double
value_of(const struct engine_stats *stats, const char *label, unsigned behind)
{
	for (unsigned i = 0; i + behind < stats->nrows; i++)
		if (strcmp(stats->rows[i].label, label) == 0)
			return stats->rows[i + behind].value;
	return -1;
}

static bool
near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected);
}

static void
test_launches(const struct engine_stats *stats)
{
	ok(value_of(stats, "QPUs", 0) == 12 &&
		   value_of(stats, "launches", 0) == 3 &&
		   value_of(stats, "blocks on the device", 0) == 600,
	   "what was launched is counted");
	ok(near(value_of(stats, "lane occupancy", 0), 75),
	   "how full the lanes were");
	ok(near(value_of(stats, "instructions per block of 16 lanes", 0), 20),
	   "instructions per block");
	ok(value_of(stats, "counter: x", 0) == 5, "counters");
}

static void
test_model(void)
{
	const struct device_totals start = {
		.modelled = true,
		.timed = true,
		.instructions = 100,
		.clocks = 1000,
		.launch_clocks = 70,
		.ncounters = 1,
		.counters = { { .name = "x", .value = 2 } },
	};
	struct device_totals end = start;
	struct engine_stats stats = { .nrows = 0 };

	end.instructions += 1000;
	end.clocks += 300000000;
	end.launch_clocks += 500000000;
	end.counters[0].value += 5;
	figures_add_rows(&figures, &start, &end, &stats);
	test_launches(&stats);
	ok(value_of(&stats, "clocks, modelled", 0) == 300e6 &&
		   value_of(&stats, "clocks of launches, modelled", 0) == 500e6,
	   "clocks of the model");
	/* Two seconds for launches, at any rate, and one at 300 MHz. */
	ok(near(value_of(&stats, "at 300 MHz, modelled", 0), 600 / 3.0 / 1e6) &&
		   near(value_of(&stats, "at 300 MHz, modelled", 1),
			600 * 64 / 3.0 / 1e6),
	   "and the rates at which it would have hashed");
	ok(value_of(&stats, "time in launches, measured", 0) == -1 &&
		   value_of(&stats, "reading from it, measured", 0) == -1,
	   "nothing has been measured");
}

static void
test_real(void)
{
	const struct device_totals start = {
		.busy_ms = 1000,
		.clock_hz = 400000000,
		.memory = "somewhere",
		.write_rate = 3e8,
		.read_rate = 2e8,
		.instructions = 100,
		.ncounters = 1,
		.counters = { { .name = "x", .value = 2 } },
	};
	struct device_totals end = start;
	struct engine_stats stats = { .nrows = 0 };

	end.busy_ms += 500;
	end.instructions += 1000;
	end.counters[0].value += 5;
	figures_add_rows(&figures, &start, &end, &stats);
	test_launches(&stats);
	ok(value_of(&stats, "clock of the QPUs, as the firmware tells", 0) ==
			   400 &&
		   value_of(&stats, "time in launches, measured", 0) == 500 &&
		   near(value_of(&stats, "time in launches, measured", 1),
			1200 / 1e6),
	   "a real device: its clock, and the rate that was reached");
	ok(value_of(&stats, "writing to memory (somewhere), measured", 0) ==
			   300 &&
		   value_of(&stats, "reading from it, measured", 0) == 200,
	   "what its memory costs");
	ok(value_of(&stats, "clocks, modelled", 0) == -1,
	   "nothing is modelled");
}

int
main(void)
{
	test_model();
	test_real();
	return tap_done();
}
