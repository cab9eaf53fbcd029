/* SPDX-License-Identifier: MIT */
/*
 * Promise: a finding, and a place where a program stands, are told with their
 * source line; a rule once for each line.
 */
#include "config.h"

#include "qpu/trace/finding_text.h"

#include <errno.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static struct trace_lines lines = { .base = 0x1000 };

static const struct machine_finding hazard = { .rule = 5,
					       .name = "R5",
					       .qpu = 3,
					       .pc = 0x40001000,
					       .text = "what is wrong" };

static struct machine_finding
finding_at(unsigned rule, uint32_t pc)
{
	struct machine_finding finding = hazard;

	finding.rule = rule;
	finding.pc = pc;
	return finding;
}

static void
test_findings(void)
{
	struct findings_told told = { .lines = &lines };
	struct machine_finding finding = hazard;
	char text[FINDING_TEXT_SIZE];

	ok(finding_text(&told, &finding, text),
	   "a hazard is told the first time");
	is(text,
	   "a.s:7: hazard R5: what is wrong (QPU 3 at 0x40001000)\n"
	   "    mov r0, r4",
	   "the text of a hazard has the source line");
	finding = finding_at(22, 0x40001008);
	finding.warning = true;
	ok(finding_text(&told, &finding, text),
	   "a warning is told the first time");
	is(text, "a.s:8: warning R5: what is wrong (QPU 3 at 0x40001008)",
	   "a text has one line where the source is not known");
	for (unsigned i = 0; i < 2; i++) {
		finding = finding_at(5, 0x40002000);
		ok(finding_text(&told, &finding, text),
		   "a hazard without a line is told each time");
		is(text, "hazard R5: what is wrong (QPU 3 at 0x40002000)",
		   "a hazard without a line is told with its address");
	}
	findings_told_free(&told);
}

/* Lines of code: a.s:7, a.s:8, again a.s:7, b.s:7. */
static void
test_once(void)
{
	struct findings_told told = { .lines = &lines };
	const struct {
		unsigned rule;
		uint32_t pc;
		bool told;
		const char *what;
	} rows[] = {
		{ 5, 0x1000, true, "a rule is told of a line the first time" },
		{ 6, 0x1000, true, "another rule is told of the same line" },
		{ 5, 0x1008, true, "the same rule is told of another line" },
		{ 5, 0x1018, true,
		  "the same rule is told of a line with this number in another file" },
		{ 5, 0x1000, false, "a rule is not told twice of a line" },
		{ 6, 0x1000, false,
		  "another rule is not told twice of a line" },
		{ 5, 0x1010, false,
		  "a rule is not told again for other code of its line" },
		{ 5, 0x1018, false,
		  "a rule is not told twice of a line in another file" },
	};
	char text[FINDING_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct machine_finding finding =
			finding_at(rows[i].rule, rows[i].pc);

		ok(finding_text(&told, &finding, text) == rows[i].told, "%s",
		   rows[i].what);
	}
	findings_told_free(&told);
	ok(finding_text(&told, &hazard, text),
	   "a rule is told again after all was forgotten");
	fault_from(FAULT_realloc, 1, ENOMEM);
	for (unsigned i = 0; i < 2; i++) {
		const struct machine_finding finding = finding_at(6, 0x1000);

		ok(finding_text(&told, &finding, text),
		   "a rule that cannot be remembered is told each time");
	}
	fault_clear();
	ok(!finding_text(&told, &hazard, text),
	   "what was told before memory was short is still known");
	findings_told_free(&told);
}

static void
test_places(void)
{
	struct findings_told told = { .lines = &lines };
	struct machine_place place = { .qpu = 11, .pc = 0x1000 };
	char text[FINDING_TEXT_SIZE];

	ok(place_text(&told, &place, text),
	   "a place with a source line is told");
	is(text, "a.s:7: QPU 11 is here\n    mov r0, r4",
	   "the text says that a QPU waits for nothing");
	place.waits = MACHINE_STALL_SEMAPHORE;
	ok(place_text(&told, &place, text), "a place is told each time");
	is(text, "a.s:7: QPU 11 waits for semaphore\n    mov r0, r4",
	   "the text says what a QPU waits for");
	place.pc = 0x2000;
	ok(!place_text(&told, &place, text),
	   "a place without a source line is not told");
}

/* One byte more than fits is cut off. */
static void
test_long_text(void)
{
	static char source[2 * FINDING_TEXT_SIZE];
	struct trace_lines own = { .base = 0x1000 };
	struct findings_told told = { .lines = &own };
	const struct machine_place place = { .pc = 0x1000 };
	char text[FINDING_TEXT_SIZE + 1];

	memset(source, 'x', sizeof(source) - 1);
	memset(text, '#', sizeof(text));
	if (!qpu_linemap_add(&own.map, 0, "a.s", 1, source))
		exit(99);
	ok(place_text(&told, &place, text) &&
		   strlen(text) == FINDING_TEXT_SIZE - 1 &&
		   text[FINDING_TEXT_SIZE - 2] == 'x' &&
		   text[FINDING_TEXT_SIZE] == '#',
	   "a text that is too long is cut off");
	qpu_linemap_free(&own.map);
}

int
main(void)
{
	if (!qpu_linemap_add(&lines.map, 0, "a.s", 7, "mov r0, r4") ||
	    !qpu_linemap_add(&lines.map, 8, "a.s", 8, "") ||
	    !qpu_linemap_add(&lines.map, 16, "a.s", 7, "mov r0, r4") ||
	    !qpu_linemap_add(&lines.map, 24, "b.s", 7, "mov r0, r4"))
		return 99;
	test_findings();
	test_once();
	test_places();
	test_long_text();
	qpu_linemap_free(&lines.map);
	return tap_done();
}
