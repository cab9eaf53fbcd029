/* SPDX-License-Identifier: MIT */
/*
 * Promise: the figures of --stats cover the launches between two readings of
 * the device's totals, line by line as they are printed.
 */
#include "config.h"

#include "qpu/sha/launcher.h"

#include <string.h>

#include "tests/support/tap.h"

static const struct figures figures = { .qpus = 12,
					.lanes = 16,
					.launches = 3,
					.blocks = 600,
					.vectors = 50,
					.capacity = 800 };

static void
shows(const struct figures *what, const struct device_totals *start,
      const struct device_totals *end, const char *lines, const char *name)
{
	struct facts stats = { .n = 0 };
	char got[2048] = "";

	figures_add_rows(what, start, end, &stats);
	for (unsigned i = 0; i < stats.n; i++) {
		const struct fact *fact = &stats.rows[i];
		char *at = got + strlen(got);
		const size_t room = sizeof(got) - strlen(got);

		if (fact->kind == FACT_TEXT)
			snprintf(at, room, "%s: %s\n",
				 facts_label(&stats, fact),
				 facts_text(&stats, fact));
		else
			snprintf(at, room, "%s: %.*f %s\n",
				 facts_label(&stats, fact), (int)fact->decimals,
				 fact->value, fact->unit);
	}
	is(got, lines, "%s has its figures", name);
}

/* Two seconds for launches, at any rate, and one at 300 MHz. */
static void
test_model(void)
{
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
	struct figures many = figures;
	struct device_totals end = start;

	many.blocks = 600000000;
	many.capacity = 800000000;
	end.busy_ms += 500;
	end.instructions += 1000;
	end.clocks += 300000000;
	end.launch_clocks += 500000000;
	end.counters[0].value += 5;
	end.counters[1].value += 700;
	shows(&many, &start, &end,
	      "QPUs: 12 \nlaunches: 3 \nblocks on the device: 600000000 \n"
	      "instructions per block of 16 lanes: 20.0 (emulated)\n"
	      "lane occupancy: 75.0 %\n"
	      "counter: x: 5 (modelled)\ncounter: y: 700 (modelled)\n"
	      "clocks, modelled: 300000000 \n"
	      "clocks of launches, modelled: 500000000 \n"
	      "at 250 MHz, modelled: 187.500 million blocks/s\n"
	      ": 12000.0 MB/s with padding\n"
	      "at 300 MHz, modelled: 200.000 million blocks/s\n"
	      ": 12800.0 MB/s with padding\n"
	      "at 400 MHz, modelled: 218.182 million blocks/s\n"
	      ": 13963.6 MB/s with padding\n",
	      "a device that a model times");
}

static void
test_real(void)
{
	const struct device_totals start = {
		.busy_ms = 1000,
		.clock_hz = 333999999,
		.memory = "somewhere",
		.instructions = 100,
		.ncounters = 1,
		.counters = { { .name = "x", .value = 2 } },
	};
	struct device_totals end = start;
	struct figures many = figures;

	many.blocks = 600000;
	many.failed_tests = 1;
	end.busy_ms += 500;
	end.instructions += 1000;
	end.counters[0].value += 5;
	shows(&many, &start, &end,
	      "QPUs: 12 \nlaunches: 3 \nblocks on the device: 600000 \n"
	      "self-tests that failed: 1 \n"
	      "instructions per block of 16 lanes: 20.0 \n"
	      "lane occupancy: 75000.0 %\n"
	      "clock of the QPUs, as the firmware tells: 333 MHz\n"
	      "time in launches, measured: 500.0 ms\n"
	      ": 1.200 million blocks/s\n"
	      "memory of the QPUs: somewhere\ncounter: x: 5 \n",
	      "a real device");
}

/* Unknown figures have no row, and nothing is divided by 0. */
static void
test_unknown(void)
{
	static const char *const lines =
		"QPUs: 0 \nlaunches: 0 \nblocks on the device: 0 \n"
		"lane occupancy: 0.0 %\n"
		"time in launches, measured: 0.0 ms\n"
		": 0.000 million blocks/s\n";
	const struct figures none = { .qpus = 0 };
	const struct device_totals totals = { .busy_ms = 0 };

	shows(&none, &totals, &totals, lines, "a device that has done nothing");
}

int
main(void)
{
	test_model();
	test_real();
	test_unknown();
	return tap_done();
}
