/* SPDX-License-Identifier: MIT */
/*
 * Promise: the figures of --stats are those of the launches between two
 * readings of the device's totals, row by row as they are printed.
 */
#include "config.h"

#include "qpu/sha/figures.h"

#include <math.h>
#include <string.h>

#include "tests/support/tap.h"

/* A figure as it is to be shown; the last one has no label. */
struct row {
	const char *label;
	double value;
	unsigned decimals;
	const char *unit;
};

static const struct figures figures = { .qpus = 12,
					.lanes = 16,
					.launches = 3,
					.blocks = 600,
					.vectors = 50,
					.capacity = 800 };

static bool
near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected);
}

/* All rows, none more and none less. */
static void
shows(const struct figures *what, const struct device_totals *start,
      const struct device_totals *end, const struct row *rows, const char *name)
{
	struct facts stats = { .n = 0 };
	unsigned n = 0;
	bool good = true;

	figures_add_rows(what, start, end, &stats);
	for (; rows[n].label; n++) {
		const struct fact *got = &stats.rows[n];

		if (n < stats.n &&
		    strcmp(facts_label(&stats, got), rows[n].label) == 0 &&
		    near(got->value, rows[n].value) &&
		    got->decimals == rows[n].decimals &&
		    strcmp(got->unit, rows[n].unit) == 0)
			continue;
		if (good)
			tap_note("row %u is '%s' %.10g, %u decimals, '%s'", n,
				 n < stats.n ? facts_label(&stats, got) : "",
				 got->value, got->decimals,
				 n < stats.n ? got->unit : "");
		good = false;
	}
	ok(good && stats.n == n, "%s: %u rows", name, n);
}

/* Two seconds for launches, at any rate, and one at 300 MHz. */
static void
test_model(void)
{
	static const struct row rows[] = {
		{ "QPUs", 12, 0, "" },
		{ "launches", 3, 0, "" },
		{ "blocks on the device", 600, 0, "" },
		{ "instructions per block of 16 lanes", 20, 1, "(emulated)" },
		{ "lane occupancy", 75, 1, "%" },
		{ "counter: x", 5, 0, "(modelled)" },
		{ "counter: y", 700, 0, "(modelled)" },
		{ "clocks, modelled", 300e6, 0, "" },
		{ "clocks of launches, modelled", 500e6, 0, "" },
		{ "at 250 MHz, modelled", 187.5e-6, 3, "million blocks/s" },
		{ "", 0.012, 1, "MB/s with padding" },
		{ "at 300 MHz, modelled", 200e-6, 3, "million blocks/s" },
		{ "", 0.0128, 1, "MB/s with padding" },
		{ "at 400 MHz, modelled", 2400e-6 / 11, 3, "million blocks/s" },
		{ "", 0.1536 / 11, 1, "MB/s with padding" },
		{ .label = NULL },
	};
	const struct device_totals start = {
		.modelled = true,
		.timed = true,
		.clock_hz = 250000000,
		.instructions = 100,
		.clocks = 1000,
		.launch_clocks = 70,
		.ncounters = 2,
		.counters = { { .name = "x", .value = 2 }, { .name = "y" } },
	};
	struct device_totals end = start;

	end.busy_ms += 500;
	end.instructions += 1000;
	end.clocks += 300000000;
	end.launch_clocks += 500000000;
	end.counters[0].value += 5;
	end.counters[1].value += 700;
	shows(&figures, &start, &end, rows, "a device that a model times");
}

/* Nothing is measured, and no clock runs. */
static void
test_emulator(void)
{
	static const struct row rows[] = {
		{ "QPUs", 12, 0, "" },
		{ "launches", 3, 0, "" },
		{ "blocks on the device", 600, 0, "" },
		{ "instructions per block of 16 lanes", 0.02, 1, "(emulated)" },
		{ "lane occupancy", 75, 1, "%" },
		{ .label = NULL },
	};
	const struct device_totals start = { .modelled = true };
	const struct device_totals end = { .modelled = true,
					   .busy_ms = 500,
					   .instructions = 1,
					   .clocks = 7,
					   .launch_clocks = 8 };

	shows(&figures, &start, &end, rows, "an emulator without a clock");
}

static void
test_real(void)
{
	struct row rows[] = {
		{ "QPUs", 12, 0, "" },
		{ "launches", 3, 0, "" },
		{ "blocks on the device", 600, 0, "" },
		{ "instructions per block of 16 lanes", 20, 1, "" },
		{ "lane occupancy", 75, 1, "%" },
		{ "clock of the QPUs, as the firmware tells", 333, 0, "MHz" },
		{ "time in launches, measured", 500, 1, "ms" },
		{ "", 1200e-6, 3, "million blocks/s" },
		{ "writing to memory (somewhere), measured", 300, 0, "MB/s" },
		{ "reading from it, measured", 200, 0, "MB/s" },
		{ "counter: x", 5, 0, "" },
		{ .label = NULL },
	};
	const struct device_totals start = {
		.busy_ms = 1000,
		.clock_hz = 333999999,
		.memory = "somewhere",
		.write_rate = 3e8,
		.read_rate = 2e8,
		.instructions = 100,
		.ncounters = 1,
		.counters = { { .name = "x", .value = 2 } },
	};
	struct device_totals end = start;

	end.busy_ms += 500;
	end.instructions += 1000;
	end.counters[0].value += 5;
	shows(&figures, &start, &end, rows, "a real device");
	end.clock_hz = 1000000;
	rows[5].value = 1;
	shows(&figures, &start, &end, rows, "a clock of a whole MHz is told");
}

/* What is not known has no row, and nothing is divided by 0. */
static void
test_unknown(void)
{
	static const struct row rows[] = {
		{ "QPUs", 0, 0, "" },
		{ "launches", 0, 0, "" },
		{ "blocks on the device", 0, 0, "" },
		{ "lane occupancy", 0, 1, "%" },
		{ "time in launches, measured", 0, 1, "ms" },
		{ "", 0, 3, "million blocks/s" },
		{ .label = NULL },
	};
	const struct figures none = { .qpus = 0 };
	struct device_totals totals = { .memory = "somewhere" };

	shows(&none, &totals, &totals, rows, "a device that has done nothing");
	totals.memory = NULL;
	totals.write_rate = 1e6;
	shows(&none, &totals, &totals, rows,
	      "a device that names no memory has no rates");
}

/* As little as there can be is shown. */
static void
test_least(void)
{
	static const struct row rows[] = {
		{ "QPUs", 1, 0, "" },
		{ "launches", 1, 0, "" },
		{ "blocks on the device", 1, 0, "" },
		{ "instructions per block of 16 lanes", 1, 1, "" },
		{ "lane occupancy", 100, 1, "%" },
		{ "clock of the QPUs, as the firmware tells", 0, 0, "MHz" },
		{ "time in launches, measured", 1000, 1, "ms" },
		{ "", 1e-6, 3, "million blocks/s" },
		{ "writing to memory (m), measured", 1e-6, 0, "MB/s" },
		{ "reading from it, measured", 0, 0, "MB/s" },
		{ .label = NULL },
	};
	const struct figures one = { 1, 16, 1, 1, 1, 1, 0 };
	const struct device_totals start = { .busy_ms = 0 };
	const struct device_totals end = { .busy_ms = 1000,
					   .clock_hz = 1,
					   .memory = "m",
					   .write_rate = 1,
					   .instructions = 1 };

	shows(&one, &start, &end, rows, "a device that has done one block");
}

int
main(void)
{
	test_model();
	test_emulator();
	test_real();
	test_unknown();
	test_least();
	return tap_done();
}
