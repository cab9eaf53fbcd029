/* SPDX-License-Identifier: MIT */
/*
 * Promise: a profile shows each instruction's cost with its causes, and the
 * sums by source line.
 */
#include "config.h"

#include "qpu/trace/profile.h"

#include <errno.h>

#include "tests/support/fault.h"
#include "tests/trace/text.h"

#define NOP UINT64_C(0x100009e7009e7000)

static const struct qpu_linemap_row lines[] = {
	{ .file = "a.s", .line = 7, .text = "nop" },
	{ .file = "b.s", .line = 7, .text = "nop" },
	{ .file = "a.s", .line = 8, .text = "nop" },
	{ .file = "a.s", .line = 9, .text = "not executed" },
};

static const struct profile_row rows[] = {
	{ .cost = { .pc = 0x1000,
		    .executions = 10,
		    .stall = { [MACHINE_STALL_ICACHE] = 100,
			       [MACHINE_STALL_SEMAPHORE] = 20 } },
	  .word = NOP,
	  .line = &lines[0] },
	{ .cost = { .pc = 0x1008, .executions = 1 }, .word = NOP },
	{ .cost = { .pc = 0x1010, .executions = 2 },
	  .word = NOP,
	  .line = &lines[1] },
	{ .cost = { .pc = 0x1018,
		    .executions = 3,
		    .stall = { [MACHINE_STALL_SEMAPHORE] = 4 } },
	  .word = NOP,
	  .line = &lines[0] },
	{ .cost = { .pc = 0x1020, .executions = 4 },
	  .word = NOP,
	  .line = &lines[2] },
	{ .cost = { .pc = 0x1028 }, .word = NOP, .line = &lines[3] },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static void
test_timed(void)
{
	FILE *stream = text_begin();

	ok(profile_print(stream, rows, ROWS, true), "a profile is printed");
	text_is(stream,
		"  executions       clocks      stalled  (modelled)\n"
		"          10          160          120  00001000  nop"
		"  # a.s:7  ; stalls: instruction fetch 100, semaphore 20\n"
		"           1            4            0  00001008  nop\n"
		"           2            8            0  00001010  nop"
		"  # b.s:7\n"
		"           3           16            4  00001018  nop"
		"  # a.s:7  ; stalls: semaphore 4\n"
		"           4           16            0  00001020  nop"
		"  # a.s:8\n"
		"           0            0            0  00001028  nop"
		"  # a.s:9\n"
		"\nby source line:\n"
		"          13          176          124  a.s:7  nop"
		"  ; stalls: instruction fetch 100, semaphore 24\n"
		"           2            8            0  b.s:7  nop\n"
		"           4           16            0  a.s:8  nop\n",
		"a profile has clocks, stalls and their causes, also by source line");
}

static void
test_untimed(void)
{
	FILE *stream = text_begin();

	ok(profile_print(stream, rows + 1, 2, false),
	   "a profile without clocks is printed");
	text_is(stream,
		"  executions\n"
		"           1  00001008  nop\n"
		"           2  00001010  nop  # b.s:7\n"
		"\nby source line:\n"
		"           2  b.s:7  nop\n",
		"without the cycle model there is only how often each instruction was "
		"executed");
	stream = text_begin();
	profile_print(stream, rows + 1, 1, false);
	text_is(stream,
		"  executions\n"
		"           1  00001008  nop\n",
		"a profile has no sums where no line is known");
	stream = text_begin();
	ok(profile_print(stream, rows, 0, false),
	   "a profile of no instructions is printed");
	text_is(stream, "  executions\n",
		"a profile of no instructions has a head alone");
}

static void
test_no_memory(void)
{
	FILE *stream = text_begin();
	bool printed;

	fault_from(FAULT_calloc, 1, ENOMEM);
	printed = profile_print(stream, rows + 1, 2, false);
	fault_clear();
	ok(!printed, "a profile without sums, for want of memory, is an error");
	text_is(stream,
		"  executions\n"
		"           1  00001008  nop\n"
		"           2  00001010  nop  # b.s:7\n",
		"without memory for sums the instructions are printed");
}

int
main(void)
{
	test_timed();
	test_untimed();
	test_no_memory();
	return tap_done();
}
