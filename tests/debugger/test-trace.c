/* SPDX-License-Identifier: MIT */
/*
 * Promise: an executed instruction is one line of text: clock, QPU, address,
 * instruction, flags, what both ALUs wrote, and the source line.  A profile
 * shows each instruction's cost with its causes, and the sums by source line.
 * A finding, and a place where a program stands, are printed with their source
 * line; a rule once for each line.
 */
#include "config.h"

#include "qpu/debugger/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/emulator/emu.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static char *written;
static size_t written_bytes;

static FILE *
text_begin(void)
{
	FILE *stream = open_memstream(&written, &written_bytes);

	if (!stream)
		exit(99);
	return stream;
}

/* Compare, and forget. */
static void
text_is(FILE *stream, const char *expected, const char *what)
{
	if (fclose(stream) != 0)
		exit(99);
	is(written, expected, "%s", what);
	free(written);
	written = NULL;
}
#define NOP UINT64_C(0x100009e7009e7000)
#define NO_INSTRUCTION UINT64_C(0xe400082700000000) /* reserved */
/* Padded to the width of the column of instructions. */
#define NOP_TEXT "nop                                         "
#define NONE_TEXT "(no instruction)                            "

static struct qpu_linemap lines = { .base = 0xc0001000 };
static struct machine *machine; /* that nothing has run on */

static void
step_is(const struct machine_step *step, const char *expected, const char *what)
{
	struct trace trace = { .lines = &lines,
			       .machine = machine,
			       .stream = text_begin() };

	trace_step(&trace, step);
	text_is(trace.stream, expected, what);
}

static void
test_line(void)
{
	step_is(&(const struct machine_step){ .qpu = 3,
					      .pc = 0x40002000,
					      .word = NOP,
					      .clock = 1234567,
					      .z = 0x8001,
					      .n = 0x7ffe,
					      .c = 0xf },
		" 1234567 qpu3  40002000  " NOP_TEXT "  z 8001 n 7ffe c 000f\n",
		"a line has clock, QPU, address, instruction and flags");
	step_is(&(const struct machine_step){ .qpu = 11,
					      .pc = 0x40001008,
					      .word = NO_INSTRUCTION },
		"       0 qpu11 40001008  " NONE_TEXT
		"  z 0000 n 0000 c 0000  # file.s:7\n",
		"a word that is no instruction is named so, and has its source line "
		"by any alias");
}

/* A result has values of 16 lanes; what is after them is not looked at. */
static void
test_results(void)
{
	uint32_t add[MACHINE_LANES + 1], mul[MACHINE_LANES];
	struct machine_step step = { .pc = 0x40002000, .word = NOP };

	for (unsigned i = 0; i <= MACHINE_LANES; i++)
		add[i] = 5;
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		mul[i] = 0x10 + i;
	add[MACHINE_LANES] = 6;
	step.add = add;
	step.mul = mul;
	step_is(&step,
		"       0 qpu0  40002000  " NOP_TEXT "  z 0000 n 0000 c 0000\n",
		"a result of no lane is not shown");
	step.lanes_add = 0xff;
	step.lanes_mul = 0xffff;
	step_is(&step,
		"       0 qpu0  40002000  " NOP_TEXT
		"  z 0000 n 0000 c 0000  add 00ff: 00000005  mul ffff:"
		" 00000010 00000011 00000012 00000013"
		" 00000014 00000015 00000016 00000017"
		" 00000018 00000019 0000001a 0000001b"
		" 0000001c 0000001d 0000001e 0000001f\n",
		"a result is one value if all lanes have it, else all values");
	step.add = NULL;
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		mul[i] = i == MACHINE_LANES - 1;
	step_is(&step,
		"       0 qpu0  40002000  " NOP_TEXT
		"  z 0000 n 0000 c 0000  mul ffff:"
		" 00000000 00000000 00000000 00000000"
		" 00000000 00000000 00000000 00000000"
		" 00000000 00000000 00000000 00000000"
		" 00000000 00000000 00000000 00000001\n",
		"a last lane that differs is shown, and no result that is not there");
}

/* A run with the cycle model: clock, text and stalls of each instruction, then
 * the sums of the QPU.  They change with the costs of the model. */
static void
test_stalls(void)
{
	static const struct machine_options options = { .timed = true };
	static const struct {
		unsigned clock, pc;
		const char *text, *stalls;
	} rows[] = {
		{ 236, 0x40001018, "ldtmu1", "  ; stalls: TMU result 116" },
		{ 240, 0x40001020, "thrend", "" },
		{ 384, 0x40001028, "mov -, vw_wait",
		  "  ; stalls: DMA store 140" },
		{ 388, 0x40001030, "nop", "" },
	};
	struct emu emu = emu_open(&options);
	struct trace trace = { .lines = &lines,
			       .machine = emu.machine,
			       .stream = text_begin() };
	FILE *stream;

	emu_program(&emu,
		    emu_assemble(&emu, "ldi t1s, 0x40010000\n"
				       "ldi vw_setup, 0x88104000\n"
				       "ldi vw_addr, 0x40010000\nldtmu1\n"
				       "thrend\nmov -, vw_wait\nnop"),
		    NULL, 0);
	machine_on_step(emu.machine, trace_step, &trace);
	emu_go(&emu, 100);
	fclose(trace.stream);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char line[200];

		snprintf(line, sizeof(line),
			 "%8u qpu0  %08x  %-44s  z ffff n 0000 c 0000%s\n",
			 rows[i].clock, rows[i].pc, rows[i].text,
			 rows[i].stalls);
		ok(strstr(written, line),
		   "a line has what the QPU waited for before '%s'",
		   rows[i].text);
	}
	free(written);
	stream = text_begin();
	cost_print_qpus(stream, emu.machine, true);
	text_is(stream,
		"\nby QPU:\n"
		"           7          392          364  QPU 0"
		"  ; stalls: instruction fetch 108, TMU result 116, "
		"DMA store 140\n",
		"a QPU has a line with all that it waited for");
	emu_close(&emu);
}

static struct qpu_linemap_row profile_rows[] = {
	{ .addr = 0, .file = "a.s", .line = 7, .text = "nop" },
	{ .addr = 16, .file = "b.s", .line = 7, .text = "nop" },
	{ .addr = 24, .file = "a.s", .line = 7, .text = "nop" },
	{ .addr = 32, .file = "a.s", .line = 8, .text = "nop" },
	{ .addr = 40, .file = "a.s", .line = 9, .text = "not executed" },
};
static const struct qpu_linemap profile_lines = { profile_rows, 5, 5, 0x1000 };

static const struct machine_cost costs[] = {
	{ .executions = 10,
	  .stall = { [MACHINE_STALL_ICACHE] = 100,
		     [MACHINE_STALL_SEMAPHORE] = 20 } },
	{ .executions = 1 },
	{ .executions = 2 },
	{ .executions = 3, .stall = { [MACHINE_STALL_SEMAPHORE] = 4 } },
	{ .executions = 4 },
};

/* Print these rows of the profile; the one after the last has no cost. */
static bool
print_profile(FILE *stream, size_t first, size_t n, bool timed)
{
	const size_t all = sizeof(costs) / sizeof(*costs);
	struct cost_table table = { .stream = stream,
				    .lines = &profile_lines,
				    .timed = timed };

	cost_table_begin(&table);
	for (size_t i = first; i < first + n; i++)
		cost_table_add(&table, 0x1000 + 8 * i, NOP,
			       i < all ? &costs[i] : NULL);
	return cost_table_end(&table);
}

static void
test_profile(void)
{
	FILE *stream = text_begin();

	ok(print_profile(stream, 0, 6, true), "a profile is printed");
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
test_profile_without_clocks(void)
{
	FILE *stream = text_begin();

	ok(print_profile(stream, 1, 2, false),
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
	print_profile(stream, 1, 1, false);
	text_is(stream,
		"  executions\n"
		"           1  00001008  nop\n",
		"a profile has no sums where no line is known");
}

static void
test_profile_without_memory(void)
{
	FILE *stream = text_begin();
	bool printed;

	fault_from(FAULT_reallocarray, 1, ENOMEM);
	printed = print_profile(stream, 1, 2, false);
	fault_clear();
	ok(!printed, "a profile without sums, for want of memory, is an error");
	text_is(stream,
		"  executions\n"
		"           1  00001008  nop\n"
		"           2  00001010  nop  # b.s:7\n",
		"without memory for sums the instructions are printed");
}

static void
test_messages(void)
{
	struct qpu_message message = { .severity = QPU_SEVERITY_ERROR,
				       .rule = "R5",
				       .text = "what is wrong",
				       .file = "a.s",
				       .line = 7,
				       .source = "mov r0, r4",
				       .address = 0x40001000,
				       .qpu = 3 };
	char text[MESSAGE_TEXT_SIZE];

	message_text(&message, text);
	is(text,
	   "a.s:7: hazard R5: what is wrong (QPU 3 at 0x40001000)\n"
	   "    mov r0, r4",
	   "the text of a hazard has the source line");
	message.severity = QPU_SEVERITY_WARNING;
	message.source = NULL;
	message_text(&message, text);
	is(text, "a.s:7: warning R5: what is wrong (QPU 3 at 0x40001000)",
	   "a text has one line where the source is not known");
	message.severity = QPU_SEVERITY_NOTE;
	message.rule = "";
	message_text(&message, text);
	is(text, "a.s:7: what is wrong (QPU 3 at 0x40001000)",
	   "a note has no rule");
	message.file = NULL;
	message_text(&message, text);
	is(text, "what is wrong (QPU 3 at 0x40001000)",
	   "a message without a line has its address");
	message.qpu = -1;
	message.file = "a.s";
	message_text(&message, text);
	is(text, "a.s:7: what is wrong", "a message may be of no QPU");
}

static void
add_finding(void *context, const struct qpu_message *message)
{
	char *told = context;

	snprintf(told + strlen(told), 200 - strlen(told), "%.3s%u ",
		 message->text, message->line);
}

/* Return the report of a program that reads registers before it writes them,
 * each at two addresses of a line, and in two lines. */
static const char *
told_of(bool with_lines)
{
	static const struct machine_options checking = { .check = true };
	static char told[200];
	struct emu emu = emu_open(&checking);
	struct qpu_linemap map = { .rows = NULL };
	const uint32_t code = emu_assemble_lines(
		&emu, "a.s",
		".rep i, 2\nmov r0, ra0 + i\nmov r1, ra0 + i * 2\n"
		"mov r2, rb7\n.endr\nmov irq, 1\nthrend\nnop\nnop",
		&map);

	map.base = code;
	*told = '\0';
	machine_on_finding(emu.machine, add_finding, told);
	machine_set_lines(emu.machine, with_lines ? &map : NULL);
	emu_program(&emu, code, NULL, 0);
	machine_launch(emu.machine, emu.programs, 1, &emu.why);
	machine_run(emu.machine, 100, 0, &emu.why);
	emu_close(&emu);
	qpu_linemap_free(&map);
	return told;
}

static void
test_once(void)
{
	is(told_of(true), "ra02 ra03 rb74 ra12 ra23 ",
	   "a rule is told once of each register in each line");
	is(told_of(false), "ra00 ra00 rb70 ra10 ra20 rb70 ",
	   "without lines it is told at each address");
}

/* One byte more than fits is cut off. */
static void
test_long_text(void)
{
	static char source[2 * MESSAGE_TEXT_SIZE];
	const struct qpu_message message = { .rule = "",
					     .text = "",
					     .source = source };
	char text[MESSAGE_TEXT_SIZE + 1];

	memset(source, 'x', sizeof(source) - 1);
	memset(text, '#', sizeof(text));
	message_text(&message, text);
	ok(strlen(text) == MESSAGE_TEXT_SIZE - 1 &&
		   text[MESSAGE_TEXT_SIZE - 2] == 'x' &&
		   text[MESSAGE_TEXT_SIZE] == '#',
	   "a text that is too long is cut off");
}

int
main(void)
{
	if (!qpu_linemap_add(&lines, 8, "file.s", 7, "nop"))
		return 99;
	machine = machine_create(&(const struct machine_options){ 0 }, NULL);
	if (!machine)
		return 99;
	test_line();
	test_results();
	test_stalls();
	test_profile();
	test_profile_without_clocks();
	test_profile_without_memory();
	test_messages();
	test_once();
	test_long_text();
	qpu_linemap_free(&lines);
	machine_destroy(machine);
	return tap_done();
}
