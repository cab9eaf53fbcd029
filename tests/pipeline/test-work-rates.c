/* SPDX-License-Identifier: MIT */
/*
 * Promise: rates are those that are expected until something was measured, and
 * workers have what the feeder leaves of the cores; what was measured counts
 * from 50 ms on, the recent half of a second, and is forgotten while it cannot
 * be measured.
 */
#include "config.h"

#include "src/feed/work_rates.h"

#include "tests/support/tap.h"

enum { MS = 1000000 };

/* A lane does 1024 blocks a second, a core 4096, and 65536 are copied. */
static const struct engine_speed expected = { .lanes = 8,
					      .device_rate = 8 * 1024.0 * 64,
					      .core_rate = 4096.0 * 64,
					      .copy_rate = 65536.0 * 64 };
static const struct work_amount many = { 1000, 1000000 };
static struct work_speeds speeds;
static struct work_rates rates;

static void
begin(unsigned lanes, unsigned cores, unsigned workers)
{
	work_speeds_init(&speeds, &expected, lanes, cores, workers);
}

static void
get(void)
{
	work_speeds_get(&speeds, many, &rates);
}

static void
test_begin(void)
{
	begin(8, 4, 2);
	get();
	ok(rates.lane == 1024 && rates.device == 8192 && rates.workers == 2 &&
		   rates.core == 4096 && rates.worker == 4096 && !rates.feeding,
	   "at first rates are those that are expected");
	begin(2, 4, 2);
	get();
	ok(rates.lane == 1024 && rates.device == 2048,
	   "with fewer lanes the device is slower");
	begin(8, 1, 1);
	get();
	ok(rates.worker == 4096 * (1 - 0.125),
	   "feeding takes its part of a single core");
	begin(8, 1, 2);
	get();
	ok(rates.worker == 4096 * (1 - 0.125) / 2,
	   "two workers share what feeding leaves of a core");
	work_rates_expect(&expected, 4, 4, (struct work_amount){ 3, 900 },
			  &rates);
	ok(rates.device == 3072 && rates.lane == 1024,
	   "three messages have three lanes");
	work_rates_expect(&expected, 4, 4, (struct work_amount){ 0, 0 },
			  &rates);
	ok(rates.device == 0 && rates.core == 4096,
	   "no messages have no lanes");
}

static void
test_files(void)
{
	struct engine_speed slow = expected;

	/* Of 128 blocks: an 8192th of a second for each of them. */
	slow.look_seconds = 1.0 / 128;
	slow.file_seconds = 1.0 / 128;
	work_rates_expect(&slow, 4, 2, (struct work_amount){ 100, 12800 },
			  &rates);
	ok(rates.core == 1 / (1.0 / 4096 + 1.0 / 8192),
	   "to look up and open a file takes its time on a core");
	ok(rates.fillers == 2 && !rates.feeding && rates.device == 8192,
	   "two threads feed a device for which one core is too slow");
	work_rates_expect(&slow, 1, 1, (struct work_amount){ 100, 12800 },
			  &rates);
	ok(rates.fillers == 1 && rates.feeding &&
		   rates.device == 1 / (1.0 / 65536 + 1.0 / 8192) &&
		   rates.lane == rates.device / 8,
	   "looking up and opening files may limit the device");
	slow.modelled = true;
	work_rates_expect(&slow, 4, 2, (struct work_amount){ 100, 12800 },
			  &rates);
	ok(rates.fillers == 1 && rates.feeding,
	   "one thread feeds a modelled device, whatever it takes");
	work_rates_expect_cpu(&slow, 3, (struct work_amount){ 100, 12800 },
			      &rates);
	ok(rates.core == 1 / (1.0 / 4096 + 1.0 / 16384) &&
		   rates.worker == rates.core && rates.workers == 3 &&
		   rates.lane == 0 && rates.device == 0 && !rates.feeding,
	   "without the device nothing has to be looked up");
}

/* 100 lanes of 1 MB/s; a core hashes 32, copies 320, and opens 1000 files. */
static const struct engine_speed slow_files = { .lanes = 100,
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
test_opening(void)
{
	work_rates_expect(&slow_files, 4, 4, long_ones, &rates);
	ok(near(rates.lane, 1e6 / 64) && near(rates.device, 100e6 / 64) &&
		   near(rates.core, 0.5e6) && !rates.feeding,
	   "long files have the device's full rate, and a core's");
	ok(near(rates.worker * 4, (4 - 100.0 / 320) * 0.5e6),
	   "workers have what copying leaves");
	work_rates_expect(&slow_files, 4, 4, short_ones, &rates);
	ok(rates.fillers == 4 && rates.feeding && near(rates.device, 4000) &&
		   near(rates.lane, rates.device / 100),
	   "short files go as fast as four threads can open them");
	ok(rates.worker > 0 && rates.worker < 0.02 * rates.core,
	   "opening short files on all cores leaves workers next to nothing");
	work_rates_expect(&slow_files, 6, 6, short_ones, &rates);
	ok(rates.fillers == 4 && near(rates.worker * 6, 2 * rates.core),
	   "at most four cores open short files");
	work_rates_expect(&slow_files, 1, 1, short_ones, &rates);
	ok(rates.worker > 0 && rates.worker < 0.02 * rates.core,
	   "opening short files leaves next to nothing of a single core");
	work_rates_expect(&slow_files, 1, 1, (struct work_amount){ 1, 1 << 30 },
			  &rates);
	ok(near(rates.device, rates.lane) && near(rates.worker, rates.core),
	   "one file is in one lane, and hardly has to be fed");
}

static void
test_launches(void)
{
	begin(8, 4, 2);
	work_speeds_note_launch(&speeds, 100, 50 * MS - 1, 0);
	get();
	ok(rates.lane == 1024, "launches are believed in not before 50 ms");
	work_speeds_note_launch(&speeds, 0, 1, 0);
	get();
	ok(rates.lane == 2000 && rates.device == 16000,
	   "launches are believed in from 50 ms on");
	begin(8, 4, 2);
	work_speeds_note_launch(&speeds, 0, 500 * MS, 0);
	get();
	ok(rates.lane == 1024, "nothing done is nothing measured");
	begin(8, 1, 1);
	work_speeds_note_launch(&speeds, 100, 100 * MS, 90 * MS);
	get();
	ok(!rates.feeding && rates.worker > 409 && rates.worker < 410,
	   "a core has what filling leaves");
	work_speeds_note_launch(&speeds, 100, 100 * MS, 91 * MS);
	get();
	ok(rates.feeding, "filling that takes more limits the device");
}

static void
test_recent(void)
{
	begin(8, 4, 2);
	work_speeds_note_launch(&speeds, 600, 1000 * MS, 300 * MS);
	ok(speeds.lane.blocks == 600 && speeds.lane.ns == 1000 * (uint64_t)MS &&
		   speeds.launches_ns == 1000 * (uint64_t)MS &&
		   speeds.filling_ns == 300 * MS,
	   "all launches of a second count");
	work_speeds_note_launch(&speeds, 400, 2, 2);
	ok(speeds.lane.blocks == 500 &&
		   speeds.lane.ns == 500 * (uint64_t)MS + 1 &&
		   speeds.launches_ns == 500 * (uint64_t)MS + 1 &&
		   speeds.filling_ns == 150 * MS + 1,
	   "of more than a second of launches the recent half counts");
	work_speeds_note_worker(&speeds, 600, 1000 * MS);
	work_speeds_note_worker(&speeds, 400, 2);
	ok(speeds.worker.blocks == 500 &&
		   speeds.worker.ns == 500 * (uint64_t)MS + 1,
	   "what workers hash counts for a second, and half of it after that");
}

static void
test_idle(void)
{
	begin(8, 4, 2);
	work_speeds_note_worker(&speeds, 800, 80 * MS);
	work_speeds_note_launch(&speeds, 1, 1, 0);
	get();
	ok(speeds.worker.blocks == 800 && rates.worker == 10000,
	   "what a worker has hashed beside a launch counts");
	work_speeds_note_launch(&speeds, 1, 1, 0);
	ok(speeds.worker.blocks == 700 && speeds.worker.ns == 70 * MS,
	   "an eighth is forgotten in a launch without that");
	work_speeds_note_worker(&speeds, 0, 0);
	work_speeds_note_launch(&speeds, 1, 1, 0);
	ok(speeds.worker.blocks == 700,
	   "what a worker does is kept when it hashes again");
}

static void
test_lost(void)
{
	begin(8, 4, 0);
	work_speeds_note_launch(&speeds, 100, 100 * MS, 0);
	work_speeds_lose_device(&speeds);
	get();
	ok(rates.workers == 4 && rates.device == 0 && rates.lane == 0 &&
		   rates.worker == 4096,
	   "without a device its lanes do nothing");
}

int
main(void)
{
	test_begin();
	test_files();
	test_opening();
	test_launches();
	test_recent();
	test_idle();
	test_lost();
	return tap_done();
}
