/* SPDX-License-Identifier: MIT */
/*
 * Places in the code: breakpoints, and the source text in which users name
 * them.
 */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "qpu/debugger/breakpoints.h"
#include "qpu/debugger/source_text.h"
#include "tests/emulator/emu.h"
#include "tests/support/capture.h"
#include "tests/support/scarce.h"

static char directory[64];

/* A map of two files; its rows are ours, and behind them is one more. */
static char one[96], two[96];
/* What stands before a name is no part of it. */
static const char before_three[] = "/dir/three";
#define three (before_three + 5)
static struct qpu_linemap_row rows[] = {
	{ 0, 2, one, "text of one:2" },	     { 8, 2, one, "again" },
	{ 16, 5, two, "text of two:5" },     { 24, 4, one, "text of one:4" },
	{ 32, 3, one, "text of one:3" },     { 40, 2, one, "text of one:2" },
	{ 64, 7, three, "text of three:7" }, { 72, 9, one, "beyond the map" },
};
static const struct trace_lines lines = {
	.map = { .rows = rows, .nrows = 7, .capacity = 7 },
	.base = 0x40001000,
};

static const struct trace_lines no_lines;

/* Adds a breakpoint; at a line where there is a file, else at an address. */
static struct breakpoint *
add(struct breakpoints *points, uint32_t pc, const char *file, unsigned line)
{
	const struct place place = { .pc = pc, .file = file, .line = line };

	return breakpoints_add(points, &place);
}

/* The number of the breakpoint that stops QPU 0 there; 0: none. */
static unsigned
stops(const struct breakpoints *points, uint32_t pc)
{
	const struct breakpoint *point =
		breakpoints_find(points, &lines, NULL, 0, pc);

	return point ? point->number : 0;
}

static void
test_addresses(void)
{
	struct breakpoints points = { .n = 0 };
	const struct breakpoint *second;
	bool good;

	ok(!breakpoints_find(&points, &no_lines, NULL, 0, 0),
	   "without breakpoints there is none");
	good = add(&points, 0x40001008, NULL, 0)->number == 1;
	second = add(&points, 0x40001010, NULL, 2);
	ok(good && second->number == 2 && !second->conditional,
	   "breakpoints are numbered from 1");
	add(&points, 0x40001008, NULL, 0);
	ok(stops(&points, 0x40001010) == 2 && !stops(&points, 0x40001018) &&
		   !stops(&points, 0x40001000),
	   "a breakpoint stops at its address alone");
	ok(stops(&points, 0x40001008) == 1,
	   "of two at one address the first is told");
	ok(stops(&points, 0xc0001010) == 2,
	   "an alias of the bus is the same address");
	ok(!breakpoints_delete(&points, 0) && !breakpoints_delete(&points, 4),
	   "what is no breakpoint cannot be deleted");
	ok(breakpoints_delete(&points, 1) && points.n == 2 &&
		   stops(&points, 0x40001008) == 3 &&
		   stops(&points, 0x40001010) == 2,
	   "the first is deleted, the others stay");
	ok(add(&points, 0x40001020, NULL, 0)->number == 4,
	   "no number is given twice");
	ok(breakpoints_delete(&points, 4) && points.n == 2 &&
		   !stops(&points, 0x40001020) &&
		   !breakpoints_delete(&points, 4),
	   "the last is deleted, once");
	breakpoints_free(&points);
	ok(!points.all && !points.n && !points.last, "nothing is left");
}

static void
test_lines(void)
{
	struct breakpoints points = { .n = 0 };

	add(&points, 0, one, 2);
	ok(stops(&points, 0x40001000) == 1,
	   "a line stops at its first instruction");
	ok(!stops(&points, 0x40001008), "and not at its second");
	ok(stops(&points, 0x40001028) == 1,
	   "it stops again where another run of it begins");
	ok(!stops(&points, 0x40001010) && !stops(&points, 0x40001018),
	   "other lines do not stop");
	ok(!stops(&points, 0x40001030), "nor does an address without a line");
	add(&points, 0, two, 4);
	add(&points, 0, one, 5);
	ok(!stops(&points, 0x40001010) && !stops(&points, 0x40001018),
	   "the file counts, and so does the line");
	add(&points, 0, strdup(three), 7);
	ok(stops(&points, 0x40001040) == 4,
	   "a line behind a gap stops; files are compared by name");
	free((char *)points.all[3].place.file);
	breakpoints_free(&points);
}

static void
test_conditional(void)
{
	struct emu emu = emu_open(NULL);
	struct breakpoints points = { .n = 0 };
	struct breakpoint *point = add(&points, 0x40001000, NULL, 0);

	point->conditional = true;
	ok(condition_parse("r0 == 1", &point->condition, NULL) &&
		   !breakpoints_find(&points, &lines, emu.machine, 3,
				     0x40001000),
	   "a condition that does not hold does not stop");
	ok(condition_parse("r0 == 0", &point->condition, NULL) &&
		   breakpoints_find(&points, &lines, emu.machine, 3,
				    0x40001000) == point,
	   "one that holds does");
	ok(!breakpoints_find(&points, &lines, emu.machine, 3, 0x40001008),
	   "but nowhere else");
	breakpoints_free(&points);
	emu_close(&emu);
}

static void
test_no_memory(void)
{
	struct breakpoints points = { .n = 0 };

	add(&points, 0x40001000, NULL, 0);
	scarce_left = 0;
	ok(!add(&points, 0x40001008, NULL, 0) && points.n == 1 &&
		   points.last == 1,
	   "without memory there is no new breakpoint");
	scarce_left = UINT_MAX;
	ok(stops(&points, 0x40001000) == 1, "and the old one is still there");
	breakpoints_free(&points);
}

static void
write_file(const char *path, const char *text)
{
	FILE *stream = fopen(path, "w");

	if (!stream || fputs(text, stream) < 0 || fclose(stream)) {
		printf("Bail out! %s cannot be written\n", path);
		exit(99);
	}
}

static bool
line_is(struct source_text *source, const char *file, unsigned line,
	const char *expected)
{
	const char *text = source_text_line(source, file, line);

	if (!text || !expected)
		return text == expected;
	if (strcmp(text, expected) == 0)
		return true;
	tap_note("'%s', expected '%s'", text, expected);
	return false;
}

static void
test_text(void)
{
	struct source_text source = { .map = &lines };

	write_file(one, "first\nsecond\n\n\ttab\033[31m\nlast");
	write_file(two, "only\n");
	ok(line_is(&source, one, 1, "first") &&
		   line_is(&source, one, 2, "second") &&
		   line_is(&source, one, 3, "") &&
		   line_is(&source, one, 5, "last"),
	   "lines of a file are counted from 1");
	ok(line_is(&source, one, 0, NULL) && line_is(&source, one, 6, NULL),
	   "there are none before and behind");
	ok(line_is(&source, one, 4, "\ttab?[31m"),
	   "what would control the terminal is replaced");
	ok(line_is(&source, two, 1, "only") && line_is(&source, two, 2, NULL),
	   "an end of the last line is no line more");
	ok(source.nfiles == 2, "each file is read once");
	unlink(one);
	ok(line_is(&source, one, 5, "last"), "and then kept");
	ok(line_is(&source, three, 7, "text of three:7"),
	   "of a file that cannot be read the line map has the text");
	ok(line_is(&source, three, 6, NULL) &&
		   line_is(&source, "four", 7, NULL) &&
		   line_is(&source, three, 9, NULL),
	   "but only of lines that it has");
	source_text_free(&source);
	ok(!source.files && !source.nfiles && !source.map, "nothing is left");
}

static void
test_odd_files(void)
{
	struct source_text source = { .map = &lines };

	write_file(one, "");
	ok(line_is(&source, one, 1, NULL) && line_is(&source, one, 2, NULL),
	   "an empty file has no lines");
	mkdir(two, 0777);
	ok(line_is(&source, two, 5, "text of two:5"),
	   "a directory is no source: the line map has the text");
	rmdir(two);
	source_text_free(&source);
}

/* More than is read at a time, and then as much as is read at most. */
static void
test_long_files(void)
{
	enum { LINES = 9000, MOST = 16 << 20 };
	struct source_text source = { .map = &lines };
	FILE *stream = fopen(one, "w");
	bool good = stream;

	for (unsigned i = 1; good && i <= LINES; i++)
		fprintf(stream, "line %u\n", i);
	if (stream)
		fclose(stream);
	for (unsigned i = 1; good && i <= LINES; i++) {
		char text[32];

		snprintf(text, sizeof(text), "line %u", i);
		good = line_is(&source, one, i, text);
	}
	ok(good && line_is(&source, one, LINES + 1, NULL),
	   "a long file is read to its end");
	source_text_free(&source);

	source = (struct source_text){ .map = &lines };
	write_file(one, "first\nsecond\n");
	good = truncate(one, MOST - 1) == 0;
	ok(good && line_is(&source, one, 2, "second"),
	   "a file of 16 MiB less a byte is read");
	source_text_free(&source);
	source = (struct source_text){ .map = &lines };
	good = truncate(one, MOST) == 0;
	ok(good && line_is(&source, one, 2, "text of one:2"),
	   "one of 16 MiB is not: the line map has the text");
	source_text_free(&source);
}

static void
test_no_memory_for_text(void)
{
	struct source_text source = { .map = &lines };

	write_file(one, "first\nsecond\n");
	scarce_left = 0;
	ok(line_is(&source, one, 2, "text of one:2") && !source.nfiles,
	   "without memory for the file the line map has the text");
	scarce_left = 1;
	ok(line_is(&source, one, 2, "text of one:2") && source.nfiles == 1,
	   "without memory for its text, too");
	scarce_left = UINT_MAX;
	source_text_free(&source);
}

/* place: "FILE:LINE ADDR", or why there is none. */
static void
find(struct source_text *source, const char *text, const char *file,
     char found[256])
{
	struct place place = { .pc = 1, .file = "nowhere", .line = 99 };
	struct diag why = { .text = "" };
	const char *name;

	if (!source_text_place(source, text, file, &place, &why)) {
		snprintf(found, 256, "%.255s", why.text);
		return;
	}
	name = place.file ? strrchr(place.file, '/') : NULL;
	snprintf(found, 256, "%s:%u %08x",
		 name	    ? name + 1 :
		 place.file ? place.file :
			      "-",
		 place.line, (unsigned)place.pc);
}

static void
test_places(void)
{
	static const struct {
		const char *text, *place;
	} wanted[] = {
		{ "2", "one:2 40001000" },
		{ "1", "one:2 40001000" },
		{ "0", "one:2 40001000" },
		{ "3", "one:3 40001020" },
		{ "4", "one:4 40001018" },
		{ "5", "no instruction at or behind line '5'" },
		{ "2x", "no instruction at or behind line '2x'" },
		{ "two:1", "two:5 40001010" },
		{ "two:5", "two:5 40001010" },
		{ "two:6", "no instruction at or behind line 'two:6'" },
		{ "three:1", "three:7 40001040" },
		{ "hree:1", "no instruction at or behind line 'hree:1'" },
		{ "xthree:1", "no instruction at or behind line 'xthree:1'" },
		{ "ne:1", "no instruction at or behind line 'ne:1'" },
		{ "dir/three:1",
		  "no instruction at or behind line 'dir/three:1'" },
		{ "thre:1", "no instruction at or behind line 'thre:1'" },
		{ "*40001008", "-:0 40001008" },
		{ "*0x40001010", "-:0 40001010" },
		{ "*4000100c", "'4000100c' is not the hexadecimal address of "
			       "an instruction" },
		{ "*40001008 ", "'40001008 ' is not the hexadecimal address "
				"of an instruction" },
		{ "*x", "'x' is not the hexadecimal address of an "
			"instruction" },
		{ "*", "'' is not the hexadecimal address of an instruction" },
		{ "start", "one:2 40001000" },
		{ "loop", "one:3 40001020" },
		{ "indented", "one:4 40001018" },
		{ "next", "two:5 40001010" },
		{ "late", "no label 'late' in the source" },
		{ "sta", "no label 'sta' in the source" },
		{ "loo", "no label 'loo' in the source" },
		{ "startle", "no label 'startle' in the source" },
		{ "word", "no label 'word' in the source" },
		{ "two:", "no label 'two:' in the source" },
		{ "label", "one:2 40001000" },
		{ "lab", "no label 'lab' in the source" },
	};
	struct source_text source = { .map = &lines };
	char found[256], path[128];

	write_file(one, ":start\n:label_1: word\n :loop # x\n"
			"\tindented :\n:late\n:label\n");
	write_file(two, "next: word\n");
	/* The first definition counts, and what is behind the map is none. */
	write_file(one, ":start\nlabel:\n\t :loop # :word\n"
			"  indented\t: word :\n:late\n:lab_2\n:lab3\n");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		find(&source, wanted[i].text, one, found);
		is(found, wanted[i].place, "the place '%s'", wanted[i].text);
	}
	snprintf(path, sizeof(path), "%s:4", one);
	find(&source, path, two, found);
	is(found, "one:4 40001018", "a file may have its whole name");
	find(&source, "5", two, found);
	is(found, "two:5 40001010", "a line alone is of the present file");
	find(&source, "5", NULL, found);
	is(found, "no instruction at or behind line '5'",
	   "without a present file there is no line alone");
	source_text_free(&source);

	source.map = &no_lines;
	find(&source, "5", one, found);
	is(found, "without --lines only *ADDR is known",
	   "without a line map there are no lines");
	find(&source, "*8", one, found);
	is(found, "-:0 00000008", "but addresses");
	source_text_free(&source);
}

int
main(void)
{
	capture_mkdir(directory);
	snprintf(one, sizeof(one), "%s/one", directory);
	snprintf(two, sizeof(two), "%s/two", directory);
	test_addresses();
	test_lines();
	test_conditional();
	test_no_memory();
	test_text();
	unlink(two);
	test_odd_files();
	test_long_files();
	test_no_memory_for_text();
	test_places();
	unlink(one);
	unlink(two);
	rmdir(directory);
	return tap_done();
}
