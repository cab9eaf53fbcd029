/* SPDX-License-Identifier: MIT */
/*
 * Promise: a finding, and a place where a program stands, are printed with their
 * source line; a rule once for each line.  What traces and profiles look like is in
 * transcripts.golden.
 */
#include "config.h"

#include "qpu/debugger/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/emulator/emu.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

#define NOP UINT64_C(0x100009e7009e7000)

static void
test_profile_without_memory(void)
{
	static struct qpu_linemap_row row = { .file = "a.s",
					      .line = 7,
					      .text = "nop" };
	static const struct qpu_linemap lines = { &row, 1, 1, 0x1000 };
	static const struct machine_cost cost = { .executions = 1 };
	struct cost_table table = { .lines = &lines };
	char *written;
	size_t bytes;

	table.stream = open_memstream(&written, &bytes);
	cost_table_begin(&table);
	fault_from(FAULT_reallocarray, 1, ENOMEM);
	cost_table_add(&table, 0x1000, NOP, &cost);
	fault_clear();
	ok(!cost_table_end(&table),
	   "a profile without sums, for want of memory, is an error");
	fclose(table.stream);
	is(written,
	   "  executions\n"
	   "           1  00001000  nop  # a.s:7\n",
	   "without memory for sums the instructions are printed");
	free(written);
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
	machine_on_message(emu.machine, add_finding, told);
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
	test_profile_without_memory();
	test_messages();
	test_once();
	test_long_text();
	return tap_done();
}
