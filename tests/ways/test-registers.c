/* SPDX-License-Identifier: MIT */
/*
 * Promise: programs are started by registers, and events are counted by them,
 * as the V3D wants it; seen from plain memory in their place: what is written
 * there stays, and nothing runs.  Offsets are literal.
 */
#include "config.h"

#include "qpu/ways/registers.h"

#include <sched.h>

#include "qpu/emulator/emulator.h"
#include "src/base/clock.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	IDENT0 = 0x000,
	L2CACTL = 0x020,
	SLCACTL = 0x024,
	SQRSV0 = 0x410,
	SQRSV1 = 0x414,
	SRQPC = 0x430,
	SRQUA = 0x434,
	SRQUL = 0x438,
	SRQCS = 0x43c,
	VPMBASE = 0x504,
	DBCFG = 0xe00,
	DBQITE = 0xe2c,
	DBQITC = 0xe30
};

static uint32_t page[1024];
static const struct registers registers = { .base = page };

static uint32_t
at(unsigned offset)
{
	return page[offset / 4];
}

/* As the firmware, and a program that was killed, may leave it. */
static void
reset(void)
{
	memset(page, 0, sizeof(page));
	page[IDENT0 / 4] = 0x02443356;
	page[DBCFG / 4] = 0x21;
	page[DBQITE / 4] = 0x0fff;
	page[SRQUL / 4] = 0x123;
	page[SQRSV0 / 4] = 0x11;
	page[SQRSV1 / 4] = 0x1111;
	page[VPMBASE / 4] = 4;
}

static const struct device_program programs[2] = {
	{ .code = 0xde001000, .uniforms = 0xde002000 },
	{ .code = 0xde003000, .uniforms = 0xde004000 }
};

/* The hardware goes on while the driver waits, looks at the clock, or orders
 * its accesses to memory. */
static struct {
	bool ends_in_yield, ends_at_deadline;
	bool was_masked; /* no interrupt could come */
	bool was_ours;	 /* all QPUs and rows of the VPM */
	bool ended;
	bool ordered_before_start;
	bool ordered_after_end;
	uint64_t now;
} world;

/* The interrupt of the last program is pending. */
static void
end_programs(void)
{
	world.was_masked = at(DBCFG) == 0 && at(DBQITE) == 0 &&
			   at(DBQITC) == 0xffff;
	world.was_ours = at(SQRSV0) == 0 && at(SQRSV1) == 0 &&
			 at(VPMBASE) == 16;
	page[SRQCS / 4] = 2 << 16;
	page[DBQITC / 4] = 0x3;
	world.ended = true;
}

static int
yield(void)
{
	if (world.ends_in_yield)
		end_programs();
	return 0;
}

/* 10 ms later with each look: the sixth one is that of test_deadline's end. */
static int
read_clock(clockid_t clock, struct timespec *to)
{
	(void)clock;
	world.now += 10 * CLOCK_NS_PER_MS;
	if (world.ends_at_deadline && world.now >= 60 * CLOCK_NS_PER_MS)
		end_programs();
	to->tv_sec = (time_t)(world.now / CLOCK_NS_PER_S);
	to->tv_nsec = (long)(world.now % CLOCK_NS_PER_S);
	return 0;
}

/* In the place of the driver's own barrier (--wrap): what it does to the order
 * of accesses cannot be seen by the thread that makes them. */
void
__wrap_memory_barrier(void);

void
__wrap_memory_barrier(void)
{
	if (at(SRQPC) == 0)
		world.ordered_before_start = true;
	if (world.ended && at(DBCFG) == 0)
		world.ordered_after_end = true;
}

static void
begin(void)
{
	memset(&world, 0, sizeof(world));
	fault_hooks.sched_yield = yield;
	fault_hooks.clock_gettime = read_clock;
	reset();
}

static void
test_end(void)
{
	begin();
	world.ends_in_yield = true;
	ok(registers_run(&registers, programs, 2, 1000),
	   "two programs that end while the driver waits");
	ok(world.was_masked, "interrupts were disabled, and none was pending");
	ok(world.was_ours, "no QPU and no row of the VPM was reserved");
	ok(at(SQRSV0) == 0x11 && at(SQRSV1) == 0x1111 && at(VPMBASE) == 4,
	   "QPUs and rows that others have reserved are theirs again");
	ok(at(DBQITC) == 0xffff && at(DBCFG) == 0x21 && at(DBQITE) == 0x0fff,
	   "a pending interrupt is cleared before the firmware's settings are "
	   "restored");
	ok(world.ordered_before_start,
	   "what was written to memory comes before the start");
	ok(world.ordered_after_end, "results are read after the end");
}

/* The thread may have slept from before the end until after the deadline. */
static void
test_deadline(void)
{
	begin();
	world.ends_at_deadline = true;
	ok(registers_run(&registers, programs, 2, 50),
	   "what has ended by the last look is no timeout");
}

/* Counters ----------------------------------------------------------------- */

enum { FIRST = 0x680 / 4 /* counter and source, in turn */ };

/* Source of a counter, by what was written to its register. */
static unsigned
source_of(const uint32_t *words, unsigned n)
{
	return words[FIRST + 2 * n + 1];
}

static void
test_counters_begin(void)
{
	uint32_t *const words = page;
	unsigned on = 0;
	bool distinct = true;

	reset();
	counters_begin(&registers);
	for (unsigned n = 0; n < COUNTERS; n++)
		on += words[0x674 / 4] >> n & 1;
	for (unsigned n = 1; n < on; n++)
		distinct = distinct &&
			   source_of(words, n) > source_of(words, n - 1);
	ok(words[0x674 / 4] >> 31 && on == 13, "13 counters are switched on");
	ok(distinct, "each counter counts something else");
	ok(words[0x670 / 4] == 0xffff, "all counters start at 0");
}

static void
test_counters_end(void)
{
	uint32_t *const words = page;
	struct counters counters = { 0 };
	struct device_totals totals = { 0 };
	bool names = true, values = true;

	reset();
	counters_tell(&counters, &totals);
	ok(totals.ncounters == 0, "without a launch there is nothing to tell");
	counters_begin(&registers);
	for (unsigned n = 0; n < COUNTERS; n++)
		words[FIRST + 2 * n] = 0xfffffff0 + n;
	counters_end(&registers, &counters);
	ok(counters.any && counters.totals[0] == 0xfffffff0 &&
		   counters.totals[12] == 0xfffffffc &&
		   counters.totals[13] == 0,
	   "the value of each counter is added");
	counters_end(&registers, &counters);
	counters_tell(&counters, &totals);
	for (unsigned n = 0; n < totals.ncounters; n++) {
		const char *name = machine_counter_name(source_of(words, n));

		names = names && strcmp(totals.counters[n].name, name) == 0;
		values = values && totals.counters[n].value ==
					   2 * (UINT64_C(0xfffffff0) + n);
	}
	ok(totals.ncounters == 13, "after a launch there are 13 counters");
	ok(names, "counters are called as in the emulator");
	ok(values, "counts of launches add up beyond 32 bits");
	ok(words[0x674 / 4] == 0, "counters are switched off after a launch");
}

int
main(void)
{
	const struct registers none = { .base = NULL };

	begin();
	ok(registers_answer(&registers), "a V3D is known by its name");
	page[IDENT0 / 4] = 0xdeadbeef;
	ok(!registers_answer(&registers),
	   "a V3D without power does not answer");
	ok(!registers_answer(&none),
	   "a V3D that could not be mapped does not answer");

	/* What resets the count of ends, bit 16, reads as one end here. */
	reset();
	ok(registers_run(&registers, programs, 1, 1000), "one program ends");
	ok(at(SRQUA) == 0xde002000 && at(SRQPC) == 0xde001000,
	   "a program is started with its uniforms");
	ok(at(SRQCS) == 0x10180, "errors, requests and ends were reset");
	ok(at(L2CACTL) == 4 && at(SLCACTL) == 0x0f0f0f0f,
	   "all caches were cleared");
	ok(at(DBCFG) == 0x21 && at(DBQITE) == 0x0fff,
	   "interrupts are the firmware's again");
	ok(at(DBQITC) == 0xffff, "no interrupt of ours is left");
	ok(at(SRQUL) == 0x123, "the limit of uniforms is left alone");

	reset();
	ok(!registers_run(&registers, programs, 2, 1),
	   "two programs of which one does not end");
	ok(at(SRQUA) == 0xde004000 && at(SRQPC) == 0xde003000,
	   "both programs were started");
	ok(at(DBCFG) == 0 && at(DBQITE) == 0,
	   "after a timeout nothing is touched");
	test_end();
	test_deadline();
	test_counters_begin();
	test_counters_end();
	return tap_done();
}
