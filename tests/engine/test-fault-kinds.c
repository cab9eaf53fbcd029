/* SPDX-License-Identifier: MIT */
/*
 * Promise: each kind of fault changes what it is said to change of a launch,
 * and nothing else; the same seed makes the same fault.  No QPU runs here.
 */
#include "config.h"

#include "qpu/engine/faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/abi.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	PROGRAMS = 3,
	RECORDS = 4,
	ROWS = RECORDS * 9 + 3,
	WORDS = 16,
	DATA_BYTES = 1024,
	BUS = 0x10000
};

/* What belongs to a program. */
struct place {
	uint32_t uniforms[16];
	struct kernel_job job;
	uint32_t results[ROWS][WORDS];
	uint8_t data[KERNEL_LANES][DATA_BYTES];
};

static struct place places[PROGRAMS], before[PROGRAMS];
static struct device_program programs[PROGRAMS];
static struct emulated_options words;
static struct faults faults; /* those of the last open_faults() */

/* What was looked for, and what is not to be found. */
static uint32_t lost_bus;
static struct {
	uint32_t bus;
	size_t bytes;
} looks[16];
static unsigned nlooks;

static uint32_t
bus_of(const void *what)
{
	return BUS + (uint32_t)((const uint8_t *)what - (uint8_t *)places);
}

static void *
find(void *context, uint32_t bus, size_t bytes)
{
	looks[nlooks % 16].bus = bus;
	looks[nlooks++ % 16].bytes = bytes;
	return context != places || bus == lost_bus || bus < BUS ||
			       bus - BUS > sizeof(places) ?
		       NULL :
		       (uint8_t *)places + (bus - BUS);
}

/* Segments of these many blocks; the others are not used. */
static void
set_segments(unsigned program, const uint32_t blocks[RECORDS])
{
	struct place *place = &places[program];

	for (unsigned i = 0; i < RECORDS; i++) {
		struct kernel_record *record = (void *)place->results[i * 9];
		const bool last = i == RECORDS - 1 || blocks[i + 1] == 0;

		record->blocks = last ? KERNEL_NO_SEGMENT : blocks[i + 1] - 1;
		record->next = 0x100 + i;
	}
	for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
		place->job.nblocks[lane] = blocks[0];
}

static void
open_faults(const char *text)
{
	static const uint32_t usual[RECORDS] = { 2, 3, 1, 4 };

	faults_close(&faults);
	if (!emulated_options_parse(&words, text, NULL))
		exit(99);
	memset(places, 0, sizeof(places));
	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct place *place = &places[i];

		for (unsigned row = 0; row < ROWS; row++)
			for (unsigned k = 0; k < WORDS; k++)
				place->results[row][k] =
					0xa0000000 + (row << 8) + k;
		place->uniforms[0] = bus_of(&place->job);
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			place->job.data[lane] = bus_of(place->data[lane]);
		set_segments(i, usual);
		programs[i] = (struct device_program){
			.uniforms = bus_of(place->uniforms),
			.results = bus_of(place->results),
			.result_rows = ROWS
		};
	}
	lost_bus = 0;
	nlooks = 0;
	fault_clear();
	faults_open(&faults, &words);
}

static void
begin_launch(uint64_t launch)
{
	faults_before(&faults, launch, programs, PROGRAMS, find, places);
}

/* The row of a record that the host writes. */
static bool
is_line(unsigned row)
{
	return row < ROWS - 3 && row % 9 == 8;
}

static void
fill_results(uint32_t results)
{
	for (unsigned i = 0; i < PROGRAMS; i++)
		for (unsigned row = 0; row < ROWS; row++)
			for (unsigned k = 0; k < WORDS && !is_line(row); k++)
				places[i].results[row][k] =
					results + (row << 8) + k;
}

/* All programs store their results; then the fault acts on them. */
static void
end_launch(uint32_t results)
{
	fill_results(results);
	memcpy(before, places, sizeof(before));
	faults_after(&faults, programs, PROGRAMS, find, places);
}

static void
launch(uint64_t number)
{
	begin_launch(number);
	end_launch(0xb0000000 + (uint32_t)(number - 1) * 0x10000);
}

/* The fault of these words acts on a first launch. */
static void
strike(const char *text)
{
	open_faults(text);
	launch(1);
}

/* Rows of a program that are not what it has stored, and the last of them. */
static unsigned
changed_rows(unsigned program, unsigned *last)
{
	unsigned n = 0;

	for (unsigned row = 0; row < ROWS; row++)
		if (memcmp(places[program].results[row],
			   before[program].results[row], 64) != 0) {
			*last = row;
			n++;
		}
	return n;
}

static bool
nothing_changed(void)
{
	return memcmp(places, before, sizeof(places)) == 0;
}

/* Is one bit of one lane wrong in each of the rows, and all else as stored? */
static bool
bits_are_wrong(unsigned program, unsigned lane, unsigned rows)
{
	for (unsigned row = 0; row < rows; row++) {
		uint32_t *word = &places[program].results[row][lane];
		const uint32_t bits = *word ^
				      before[program].results[row][lane];

		if (is_line(row) ? bits != 0 :
				   bits == 0 || (bits & (bits - 1)) != 0)
			return false;
		*word ^= bits;
	}
	return nothing_changed();
}

/* Every row is as before it was stored, in `rows` of them. */
static bool
rows_are(unsigned program, unsigned from, unsigned to, uint32_t results)
{
	for (unsigned row = from; row < to; row++)
		for (unsigned k = 0; k < WORDS && !is_line(row); k++)
			if (places[program].results[row][k] !=
			    results + (row << 8) + k)
				return false;
	return true;
}

static void
test_choice(void)
{
	static const struct {
		const char *words;
		unsigned qpu, lane;
	} rows[] = { { "fault=lane@1", 2, 15 },
		     { "fault=lane@1,seed=1", 2, 14 },
		     { "fault=lane@1,seed=17", 1, 14 },
		     { "fault=lane@1,seed=47", 0, 0 },
		     { "fault=lane@1,seed=48", 2, 15 },
		     { "fault=lane@1.0.5", 0, 5 },
		     { "fault=lane@1.7.5,seed=3", 1, 5 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		strike(rows[i].words);
		ok(faults.qpu == rows[i].qpu && faults.lane == rows[i].lane &&
			   bits_are_wrong(rows[i].qpu, rows[i].lane, ROWS - 3),
		   "'%s': lane %u of QPU %u is wrong, except in the seal",
		   rows[i].words, rows[i].lane, rows[i].qpu);
	}
	ok(nlooks == 1 && looks[0].bus == programs[1].results &&
		   looks[0].bytes == ROWS * 64,
	   "results are looked for, and nothing else");
}

/* Which launches suffer. */
static void
test_launches(void)
{
	open_faults("");
	launch(0);
	ok(nothing_changed() && !faults_strike(&faults, DEVICE_NO_FAULT),
	   "without a fault all launches are right");
	strike("fault=lane@2");
	ok(nothing_changed(), "the launch before is right");
	launch(2);
	ok(!nothing_changed() && faults_strike(&faults, DEVICE_WRONG_LANE) &&
		   !faults_strike(&faults, DEVICE_WRONG_ONCE),
	   "the one that is named is wrong");
	launch(3);
	ok(!nothing_changed(), "a lane is wrong from then on");
	open_faults("fault=stores@2");
	launch(3);
	ok(nothing_changed(), "other faults strike once");
	launch(2);
	lost_bus = programs[2].results;
	launch(2);
	ok(nothing_changed() && !faults.strikes,
	   "results that nobody has cannot be wrong");
	lost_bus = 0;
	fault_from(FAULT_malloc, 1, ENOMEM);
	launch(2);
	ok(nothing_changed() && !faults.strikes,
	   "results that there is no memory for cannot be wrong");
}

static void
test_rows(void)
{
	unsigned row = 0;

	strike("fault=once@1.1.4,seed=3");
	ok(changed_rows(1, &row) == 1 && row == 27 &&
		   places[1].results[27][4] == (0xb0001b04 ^ 1u << 31),
	   "the fault once makes one result of a lane wrong");
	strike("fault=once@1.1.4,seed=4");
	ok(changed_rows(1, &row) == 1 && row == 0 &&
		   places[1].results[0][4] == (0xb0000004 ^ 1u << 1),
	   "behind the last row comes the first");
	strike("fault=row@1.1.4,seed=10");
	ok(changed_rows(1, &row) == 1 && row == 27 &&
		   rows_are(1, row, row + 1, 0xa0000000),
	   "the fault row loses one row");
	strike("fault=row@1.1.4,seed=13");
	ok(changed_rows(1, &row) == 1 && row == ROWS - 1 &&
		   rows_are(1, row, row + 1, 0xa0000000),
	   "the fault row may lose one of the seal");
	strike("fault=row@1.1.4,seed=86");
	ok(changed_rows(1, &row) == 1 && row == 0 &&
		   rows_are(1, row, row + 1, 0xa0000000),
	   "the fault row may lose the first row");

	strike("fault=stores@1.1.4");
	ok(rows_are(1, 0, ROWS, 0xa0000000) &&
		   rows_are(0, 0, ROWS, 0xb0000000) &&
		   rows_are(2, 0, ROWS, 0xb0000000),
	   "the fault stores loses all rows of a QPU");

	strike("fault=swap@1.1.5");
	for (row = 0; row < ROWS && !is_line(row); row++)
		if (places[1].results[row][4] != 0xb0000005 + (row << 8) ||
		    places[1].results[row][5] != 0xb0000004 + (row << 8))
			break;
	ok(row == 8 && changed_rows(1, &row) == ROWS - RECORDS &&
		   places[1].results[3][3] == 0xb0000303 &&
		   places[1].results[3][6] == 0xb0000306,
	   "the fault swap exchanges two lanes in all rows");
}

static void
test_stale(void)
{
	open_faults("fault=stale@3.1.0");
	begin_launch(1);
	end_launch(0xd0000000);
	programs[1].result_rows = 20;
	begin_launch(2);
	end_launch(0xe0000000);
	ok(nothing_changed(), "results are kept for the fault stale");
	open_faults("fault=stale@3.1.0");
	begin_launch(2);
	programs[1].result_rows = 20;
	end_launch(0xe0000000);
	programs[1].result_rows = ROWS;
	fill_results(0x70000000);
	begin_launch(3);
	end_launch(0xf0000000);
	ok(rows_are(1, 0, 20, 0xe0000000) && rows_are(0, 0, ROWS, 0xf0000000),
	   "the fault stale leaves the results of the launch before");
	ok(rows_are(1, 20, ROWS, 0x70000000),
	   "the fault stale loses rows that the launch before did not store");

	strike("fault=stale@2.2.0");
	launch(2);
	ok(rows_are(2, 0, ROWS, 0xb0000000),
	   "the fault stale keeps results of the last program, too");

	open_faults("fault=stale@2.1.0");
	fault_from(FAULT_malloc, 2, ENOMEM);
	launch(1);
	fault_clear();
	begin_launch(2);
	end_launch(0xf0000000);
	ok(rows_are(1, 0, ROWS, 0xb0000000),
	   "the fault stale loses all rows without memory for earlier ones");

	open_faults("fault=stale@2.1.0");
	lost_bus = bus_of(places[1].results);
	launch(1);
	lost_bus = 0;
	begin_launch(2);
	end_launch(0xf0000000);
	ok(rows_are(1, 0, ROWS, 0xb0000000),
	   "the fault stale loses all rows where earlier ones cannot be found");

	strike("fault=stale@3.1.0");
	fault_from(FAULT_malloc, 1, ENOMEM);
	launch(2);
	fault_clear();
	launch(3);
	ok(rows_are(1, 0, ROWS, 0xb0010000),
	   "the fault stale loses rows, although earlier ones were kept");
}

/* Programs that are not the kernels' store the rows that they name. */
static void
test_other_programs(void)
{
	unsigned row = 0;

	for (unsigned n = 3; n <= 4; n++) {
		open_faults("fault=lane@1.1.2");
		programs[1].result_rows = n;
		begin_launch(1);
		memcpy(before, places, sizeof(before));
		faults_after(&faults, programs, PROGRAMS, find, places);
		if (n == 3)
			ok(bits_are_wrong(1, 2, 3),
			   "three rows of another program are stored");
		else
			ok(nothing_changed(),
			   "a fourth makes it a kernel, which has to store");
	}
	open_faults("fault=row@1.1.2");
	begin_launch(1);
	memcpy(before, places, sizeof(before));
	faults_after(&faults, programs, PROGRAMS, find, places);
	ok(nothing_changed(), "where nothing was stored no row is lost");
	open_faults("fault=once@1.1.2");
	programs[1].result_rows = 4;
	launch(1);
	ok(changed_rows(1, &row) == 1 && row == 0,
	   "three of four rows are the seal");
}

static void
test_short(void)
{
	static const struct {
		uint32_t before[RECORDS], after[RECORDS];
	} rows[] = { { { 2, 3, 1, 4 }, { 1, 3, 1, 4 } },
		     { { 1, 3, 1, 4 }, { 1, 2, 1, 4 } },
		     { { 1, 1, 1, 4 }, { 1, 1, 1, 3 } },
		     { { 1, 1, 1, 2 }, { 1, 1, 1, 1 } },
		     { { 1, 1, 1, 1 }, { 1, 1, 1, 0 } },
		     { { 1, 1, 0, 0 }, { 1, 0, 0, 0 } } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint32_t *was = rows[i].before, *is = rows[i].after;
		unsigned last = 0, n = 0;

		open_faults("fault=short@1.1.3");
		set_segments(1, was);
		begin_launch(1);
		before[0].job = places[1].job;
		for (unsigned k = 0; k < RECORDS; k++) {
			const struct kernel_record *record =
				(void *)places[1].results[k * 9];

			if (k == 0 || is[k] > 0)
				n += k == 0 ? 0 :
					      record[-1].blocks == is[k] - 1;
			last += is[k] > 0;
		}
		const struct kernel_record *end =
			(void *)places[1].results[(last - 1) * 9];
		for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
			n += places[1].job.nblocks[lane] == is[0];
		ok(n == last - 1 + KERNEL_LANES &&
			   end->blocks == KERNEL_NO_SEGMENT &&
			   end->next == (last < RECORDS && was[last] > 0 ?
						 0x100 + last :
						 0xff + last),
		   "segments of %u, %u, %u and %u blocks: one too few",
		   (unsigned)was[0], (unsigned)was[1], (unsigned)was[2],
		   (unsigned)was[3]);
		ok(nlooks == 3 && looks[1].bytes == 4 &&
			   looks[2].bytes == sizeof(struct kernel_job),
		   "the job of a program is found by its uniforms");
	}
	open_faults("fault=short@1.1.3");
	memcpy(before, places, sizeof(before));
	lost_bus = programs[1].uniforms;
	begin_launch(1);
	ok(nothing_changed(), "a program without uniforms is left alone");
}

/* Ten blocks of a lane. */
static void
test_data(void)
{
	unsigned where = 0, bits = 0, bytes = 0;

	open_faults("fault=data@1.1.3,seed=9");
	begin_launch(1);
	nlooks = 0;
	faults_corrupt(&faults, programs, find, places);
	for (unsigned i = 0; i < DATA_BYTES; i++)
		if (places[1].data[3][i]) {
			where = i;
			bits = places[1].data[3][i];
			bytes++;
		}
	ok(bytes == 1 && where == 365 && bits == 8,
	   "a bit of a lane's data is wrong: byte %u, 0x%02x", where, bits);
	ok(nlooks == 3 && looks[2].bus == bus_of(places[1].data[3]) &&
		   looks[2].bytes == 640,
	   "a bit is flipped within the blocks of the launch");

	open_faults("fault=data@1.1.3");
	begin_launch(1);
	memcpy(before, places, sizeof(before));
	lost_bus = bus_of(places[1].data[3]);
	faults_corrupt(&faults, programs, find, places);
	lost_bus = bus_of(&places[1].job);
	faults_corrupt(&faults, programs, find, places);
	ok(nothing_changed(), "data that nobody has stay as they are");
	end_launch(0xb0000000);
	ok(nothing_changed(), "flipping a bit of data leaves results alone");
}

int
main(void)
{
	test_choice();
	test_launches();
	test_rows();
	test_stale();
	test_other_programs();
	test_short();
	test_data();
	faults_close(&faults);
	return tap_done();
}
