/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line table holds its rows in the order of addresses, finds each
 * of them, and is read back as it was written; broken tables are refused with
 * the number of the row.
 */
#include "config.h"

#include "qpu/isa/linemap.h"

#include <errno.h>
#include <string.h>

#include "src/base/diag.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static bool
row_is(const struct qpu_linemap_row *row, uint32_t addr, const char *file,
       unsigned line, const char *text)
{
	return row && row->addr == addr && strcmp(row->file, file) == 0 &&
	       row->line == line && strcmp(row->text, text) == 0;
}

static void
check_rows(void)
{
	enum { ROWS = 200 };
	struct qpu_linemap map = { .nrows = 0 };
	bool added = true, found = true, none = true;

	ok(!qpu_linemap_find(&map, 0), "nothing is found in an empty table");
	for (unsigned i = 0; i < ROWS; i++)
		added = added &&
			qpu_linemap_add(&map, 8 * i, i % 10 < 5 ? "a.s" : "b.s",
					i, i % 2 ? "nop" : "");
	ok(added && map.nrows == ROWS, "rows are added");
	for (unsigned i = 0; i < ROWS; i++) {
		found = found && row_is(qpu_linemap_find(&map, 8 * i), 8 * i,
					i % 10 < 5 ? "a.s" : "b.s", i,
					i % 2 ? "nop" : "");
		none = none && !qpu_linemap_find(&map, 8 * i + 4);
	}
	ok(found, "each row is found by its address");
	ok(none && !qpu_linemap_find(&map, 8 * ROWS),
	   "no row is found by another address");
	ok(map.rows[1].file == map.rows[0].file &&
		   map.rows[5].file != map.rows[4].file,
	   "rows of one file share its name");
	ok(!qpu_linemap_add(&map, 8 * (ROWS - 2), "c.s", 1, "") &&
		   !qpu_linemap_add(&map, 0, "c.s", 1, "") && map.nrows == ROWS,
	   "a row with a smaller address is refused");
	added = qpu_linemap_add(&map, 8 * ROWS, "c.s", 2, "") &&
		qpu_linemap_add(&map, 8 * ROWS, "c.s", 1, "");
	const struct qpu_linemap_row *row = qpu_linemap_find(&map, 8 * ROWS);
	ok(added && row_is(row, 8 * ROWS, "c.s", 2, "") &&
		   row_is(qpu_linemap_next(&map, row), 8 * ROWS, "c.s", 1,
			  "") &&
		   !qpu_linemap_next(&map, row + 1) &&
		   !qpu_linemap_next(&map, row - 1),
	   "an address may have rows of several lines, in their order");
	qpu_linemap_free(&map);
	ok(!map.rows && !map.nrows && !map.capacity, "a freed table is empty");
}

static void
check_no_memory(void)
{
	struct qpu_linemap map = { .nrows = 0 };

	fault_from(FAULT_reallocarray, 1, ENOMEM);
	ok(!qpu_linemap_add(&map, 0, "a.s", 1, "nop"),
	   "without memory for a row none is added");
	fault_clear();
	for (unsigned nth = 1; nth <= 2; nth++) {
		fault_at(FAULT_strdup, nth, ENOMEM);
		ok(!qpu_linemap_add(&map, 0, "a.s", 1, "nop") && !map.nrows,
		   "without memory for string %u of a row none is added", nth);
		fault_clear();
	}
	ok(qpu_linemap_add(&map, 0, "a.s", 1, "nop") &&
		   row_is(qpu_linemap_find(&map, 0), 0, "a.s", 1, "nop"),
	   "a row that could not be added can be added later");
	qpu_linemap_free(&map);
}

static bool
read_text(const char *text, struct qpu_linemap *map, struct diag *diag)
{
	FILE *stream = fmemopen((char *)text, strlen(text), "r");
	const bool good = stream && qpu_linemap_read(map, stream, diag);

	if (stream)
		fclose(stream);
	return good;
}

static void
check_format(void)
{
	static const char table[] = "0 a.s:1\tnop\n"
				    "8 dir/b:c.s:20\n"
				    "ffffffff c.s:2147483647\tadd\tr0\n";
	struct qpu_linemap map = { .nrows = 0 };
	char written[sizeof(table) + 10] = "";

	ok(read_text(table, &map, NULL) && map.nrows == 3 &&
		   row_is(&map.rows[0], 0, "a.s", 1, "nop") &&
		   row_is(&map.rows[1], 8, "dir/b:c.s", 20, "") &&
		   row_is(&map.rows[2], 0xffffffff, "c.s", 2147483647,
			  "add\tr0"),
	   "rows have an address, a file, a line and perhaps a text");
	FILE *stream = fmemopen(written, sizeof(written), "w");
	ok(stream && qpu_linemap_write(&map, stream), "the rows are written");
	fclose(stream);
	is(written, table, "the rows are written as they were read");
	qpu_linemap_free(&map);
	ok(read_text("0 \033[2Ja.s:1\tnop\302\233 \303\244\t", &map, NULL) &&
		   row_is(&map.rows[0], 0, "?[2Ja.s", 1, "nop? \303\244\t"),
	   "what would control a terminal is read as question marks");
	qpu_linemap_free(&map);
	ok(read_text("0 a.s:1", &map, NULL) && map.nrows == 1 &&
		   row_is(&map.rows[0], 0, "a.s", 1, ""),
	   "the last row may lack its end");
	qpu_linemap_free(&map);

	stream = fopen("/dev/full", "w");
	if (stream) {
		setvbuf(stream, NULL, _IONBF, 0);
		qpu_linemap_add(&map, 0, "a.s", 1, "");
		ok(!qpu_linemap_write(&map, stream),
		   "a row that cannot be written is an error");
		fclose(stream);
		qpu_linemap_free(&map);
	} else {
		tap_skip("no /dev/full");
	}
	stream = fopen("/", "r");
	struct diag diag = { .text = "" };
	ok(stream && !qpu_linemap_read(&map, stream, &diag),
	   "a table that cannot be read is an error");
	is(diag.text, "cannot read the line table",
	   "the reason is that the table cannot be read");
	if (stream)
		fclose(stream);
	qpu_linemap_free(&map);
}

static void
check_broken(void)
{
	static const char *const rows[] = {
		"",	    "x a.s:1",	" a.s:1",	   "8",
		"8 a.s",    "8 :1",	"8 a.s:",	   "8 a.s:x",
		"8 a.s:1x", "8\ta.s:1", "100000000 a.s:1", "8 a.s:2147483648",
		"0 a.s:1",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct qpu_linemap map = { .nrows = 0 };
		struct diag diag = { .text = "" };
		char text[64];

		snprintf(text, sizeof(text), "0 a.s:1\n%s\n10 a.s:3\n",
			 rows[i]);
		ok(!read_text(text, &map, &diag) && diag.line == 2 &&
			   strcmp(diag.text, "not a row of a line table") == 0,
		   "'%s' is no row after that of address 0", rows[i]);
		qpu_linemap_free(&map);
		ok(!read_text(text, &map, NULL),
		   "'%s' is refused without a place for the reason", rows[i]);
		qpu_linemap_free(&map);
	}
}

static void
check_all(void)
{
	check_rows();
	check_no_memory();
	check_format();
	check_broken();
}

int
main(void)
{
	balance_test(check_all, "all that was done with line tables");
	return tap_done();
}
