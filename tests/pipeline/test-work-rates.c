/* SPDX-License-Identifier: MIT */
/*
 * Promise: rates are those that are expected until something was measured, and
 * workers have what the feeder leaves of the cores.
 */
#include "config.h"

#include "src/feed/work_rates.h"

#include "src/base/clock.h"
#include "tests/support/tap.h"

/* 100 lanes of 1 MB/s; a core hashes 32 and copies 320. */
static const struct engine_speed speed = { .lanes = 100,
					   .device_rate = 100e6,
					   .core_rate = 32e6,
					   .copy_rate = 320e6,
					   .file_seconds = 1e-3 };

/* 64 bytes a block. */
static const struct work_amount long_ones = { 1000, 1000ull << 30 };
static const struct work_amount short_ones = { 1000, 1000 };

static bool
near(double is, double should_be)
{
	return is > 0.99 * should_be && is < 1.01 * should_be;
}

static void
test_expected(void)
{
	struct work_rates rates;

	work_rates_expect(&speed, 4, 4, long_ones, &rates);
	ok(near(rates.lane, 1e6 / 64) && near(rates.device, 100e6 / 64) &&
		   near(rates.core, 0.5e6) && !rates.feeding,
	   "long files: the device's full rate, and a core's");
	ok(near(rates.worker * 4, (4 - 100.0 / 320) * 0.5e6),
	   "workers have what copying leaves");
	work_rates_expect(&speed, 4, 4, short_ones, &rates);
	ok(rates.fillers == 4 && rates.feeding && near(rates.device, 4000) &&
		   near(rates.lane, rates.device / 100),
	   "short files: as many as four threads can open");
	ok(rates.worker > 0 && rates.worker < 0.02 * rates.core,
	   "opening short files on all cores leaves workers next to nothing");
	work_rates_expect(&speed, 6, 6, short_ones, &rates);
	ok(rates.fillers == 4 && near(rates.worker * 6, 2 * rates.core),
	   "at most four cores open short files");
	work_rates_expect(&speed, 1, 1, short_ones, &rates);
	ok(rates.worker > 0 && rates.worker < 0.02 * rates.core,
	   "opening short files leaves next to nothing of a single core");
	work_rates_expect(&speed, 1, 1, (struct work_amount){ 1, 1 << 30 },
			  &rates);
	ok(near(rates.device, rates.lane) && near(rates.worker, rates.core),
	   "one file is in one lane, and hardly has to be fed");
	work_rates_expect_cpu(&speed, 4, long_ones, &rates);
	ok(rates.lane == 0 && rates.device == 0 && rates.workers == 4 &&
		   near(rates.worker, 0.5e6),
	   "the CPU alone: the rate of its cores");
}

static void
test_measured(void)
{
	const uint64_t ms = CLOCK_NS_PER_MS;
	struct work_speeds speeds;
	struct work_rates rates;

	work_speeds_init(&speeds, &speed, 50, 2, 2);
	work_speeds_note_launch(&speeds, 1000000, 1 * ms, 0);
	work_speeds_note_worker(&speeds, 1000000, 1 * ms);
	work_speeds_get(&speeds, long_ones, &rates);
	ok(near(rates.device, 50e6 / 64) && near(rates.core, 0.5e6) &&
		   rates.worker <= rates.core,
	   "what was measured for a short time only is not believed");
	work_speeds_init(&speeds, &speed, 50, 2, 2);
	work_speeds_note_launch(&speeds, 1000, 100 * ms, 50 * ms);
	work_speeds_get(&speeds, long_ones, &rates);
	ok(near(rates.lane, 10000) && near(rates.device, 500000) &&
		   near(rates.worker * 2, 1.5 * rates.core) && !rates.feeding,
	   "launches: the rate of their longest lanes, and the feeder's part");
	work_speeds_note_launch(&speeds, 1000, 100 * ms, 100 * ms);
	work_speeds_note_launch(&speeds, 8000, 800 * ms, 800 * ms);
	work_speeds_get(&speeds, long_ones, &rates);
	ok(rates.feeding, "filling that takes all the time limits the device");
	work_speeds_note_worker(&speeds, 10000, 100 * ms);
	work_speeds_get(&speeds, long_ones, &rates);
	ok(near(rates.worker, 100000), "workers: as measured");
	for (unsigned i = 0; i < 20; i++)
		work_speeds_note_launch(&speeds, 1000, 100 * ms, 0);
	work_speeds_get(&speeds, long_ones, &rates);
	ok(rates.worker > 400000,
	   "a worker that has long been idle may have a whole core by now");
	work_speeds_lose_device(&speeds, false);
	work_speeds_get(&speeds, long_ones, &rates);
	ok(rates.device == 0 && rates.workers == 2,
	   "without the device all cores are workers");
}

int
main(void)
{
	test_expected();
	test_measured();
	return tap_done();
}
