/* SPDX-License-Identifier: MIT */
/*
 * Promise: a text holds what was added, whatever the lengths, and is as it was
 * when memory runs out.  Text from elsewhere reaches a terminal without control
 * characters, and whole.  No byte that a file has not taken goes unnoticed.
 * Facts of an engine are kept in their order, as many as there is room for; the
 * clock counts nanoseconds of CLOCK_MONOTONIC.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "src/base/facts.h"
#include "src/base/outfile.h"
#include "src/base/text.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static void
check_growth(void)
{
	struct text text = { 0 };
	char expected[1001] = "";
	bool good = true, ended = true, roomy = true;

	for (size_t len = 0; len < 1000; len++) {
		expected[len] = (char)('a' + len % 26);
		good = good && text_add(&text, expected + len, 1);
		good = good && text.len == len + 1 &&
		       memcmp(text.bytes, expected, text.len) == 0;
		ended = ended && good && text.bytes[text.len] == '\0';
		roomy = roomy && good && text.capacity > text.len;
	}
	ok(good, "a thousand bytes that are added one by one are kept");
	ok(ended && roomy, "a text ends with a zero, within its memory");
	ok(fault_count(FAULT_realloc) <= 4, "memory grows by doubling");
	text_free(&text);
	ok(!text.bytes && !text.len && !text.capacity, "free leaves {0}");
	text_free(&text);
}

static void
check_hex(void)
{
	static const unsigned char bytes[] = { 0x00, 0x19, 0x9a, 0xa0,
					       0xff, 0x5b, 0xc6, 0xed };
	struct text text = { 0 };

	ok(text_add_string(&text, "x=") &&
		   text_add_hex(&text, bytes, sizeof(bytes)) && text.len == 18,
	   "hexadecimal has two digits for each byte");
	is(text.bytes, "x=00199aa0ff5bc6ed",
	   "hexadecimal digits are lower-case and end with a zero");
	ok(text_add_hex(&text, bytes, 0) && text.len == 18,
	   "no byte is no digit");
	text_cut(&text, 2);
	is(text.bytes, "x=", "a text can be cut");
	text_cut(&text, 2);
	text_cut(&text, 3);
	ok(text.len == 2, "a text cannot be cut to more than it has");
	text_cut(&text, 0);
	is(text.bytes, "", "it can be cut to nothing");
	text_free(&text);

	/* 64 bytes are 128 digits: one more than fit into the first piece. */
	unsigned char many[64] = { 0xab };
	ok(text_add_hex(&text, many, 64) && text.len == 128 &&
		   text.capacity == 256,
	   "room is made for digits");
	text_free(&text);
}

/* A failure changes nothing. */
static void
check_failures(void)
{
	static const char bytes[200] = "x";
	struct text text = { 0 };

	ok(text_add_string(&text, "before"), "a text is added");
	fault_from(FAULT_realloc, 1, ENOMEM);
	ok(!text_add(&text, bytes, sizeof(bytes)) &&
		   !text_add_hex(&text, (const unsigned char *)bytes, 100),
	   "running out of memory is reported");
	fault_clear();
	ok(!text_add(&text, bytes, SIZE_MAX - 6) &&
		   !text_add_hex(&text, (const unsigned char *)bytes,
				 SIZE_MAX / 2 + 1),
	   "lengths that no memory can hold are refused");
	ok(text.len == 6 && text.capacity == 128,
	   "a text keeps its length when an addition fails");
	is(text.bytes, "before",
	   "a text keeps its bytes when an addition fails");
	text_free(&text);
}

/* Text for a terminal ------------------------------------------------------ */

static const char *const rows[][2] = {
	{ "", "" },
	{ "a b\tc~", "a b\tc~" },
	{ "\001\010\n\r\033\037 ", "?????? " },
	{ "\177x\176", "?x\176" },
	/* C1: U+0080 to U+009F, and what is beside them. */
	{ "\302\200\302\237", "??" },
	{ "\302\240\302\177", "\302\240\302?" },
	{ "\303\200\301\200", "\303\200\301\200" },
	{ "\302", "\302" },
	{ "\302\200", "?" },
	{ "\342\202\254\377", "\342\202\254\377" },
};

static void
check_clean(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", rows[i][0]);
		text_clean(text);
		is(text, rows[i][1],
		   "text %zu loses its control characters in place", i);
	}
}

/* Files -------------------------------------------------------------------- */

/* A file whose nth write, from 1 on, fails; or its close. */
struct file {
	unsigned bad_write;
	bool bad_close;
	unsigned writes;
	size_t taken;
	bool closed;
};

static ssize_t
take_bytes(void *cookie, const char *bytes, size_t len)
{
	struct file *file = cookie;

	(void)bytes;
	if (++file->writes == file->bad_write) {
		errno = ENOSPC;
		return 0;
	}
	file->taken += len;
	return (ssize_t)len;
}

static int
end(void *cookie)
{
	struct file *file = cookie;

	file->closed = true;
	if (!file->bad_close)
		return 0;
	errno = EDQUOT;
	return -1;
}

/* Two writes of 16 bytes. */
static FILE *
open_and_write(struct file *file)
{
	const cookie_io_functions_t functions = { .write = take_bytes,
						  .close = end };
	FILE *stream = fopencookie(file, "w", functions);

	if (!stream)
		abort();
	fputs("0123456789abcdef", stream);
	fflush(stream);
	fputs("0123456789abcdef", stream);
	return stream;
}

static void
check_outfile(void)
{
	struct file file = { .bad_write = 0 };
	FILE *stream = open_and_write(&file);

	ok(outfile_flush(stream) && file.taken == 32,
	   "a close writes all that is buffered");
	ok(outfile_close(stream) && file.closed, "the file is closed");

	file = (struct file){ .bad_write = 1 };
	stream = open_and_write(&file);
	errno = 0;
	ok(!outfile_flush(stream) && errno == EIO,
	   "a flush reports a write that failed earlier");
	ok(!outfile_close(stream) && errno == EIO && file.closed,
	   "a close reports a write that failed earlier");

	file = (struct file){ .bad_write = 2 };
	stream = open_and_write(&file);
	ok(!outfile_flush(stream) && errno == ENOSPC,
	   "a flush reports that it fails");
	ok(!outfile_close(stream) && file.closed,
	   "a close reports that the last flush failed");

	file = (struct file){ .bad_write = 2 };
	stream = open_and_write(&file);
	ok(!outfile_close(stream) && errno == ENOSPC && file.closed,
	   "what is still buffered cannot be written: the reason is kept");

	file = (struct file){ .bad_close = true };
	stream = open_and_write(&file);
	ok(!outfile_close(stream) && errno == EDQUOT && file.taken == 32,
	   "a close that fails is reported");
}

/* Facts, and the clock ----------------------------------------------------- */

static struct facts facts, copy;

/* The lines of the facts, with a bar after each. */
static const char *
lines_of(const struct facts *these)
{
	static struct text lines;
	struct text line = { 0 };

	text_free(&lines);
	for (unsigned i = 0; i < these->n;)
		if (!facts_line(&line, these, &i) ||
		    !text_add_string(&lines, line.bytes) ||
		    !text_add(&lines, "|", 1))
			exit(99);
	text_free(&line);
	return lines.len ? lines.bytes : "";
}

static void
check_facts(void)
{
	char text[600];

	facts_add_value(&facts, 1.5, 2, "MB/s", "rate of %s %u", "QPU", 3u);
	facts_add_text(&facts, "board", "the board", "Pi 3");
	copy = facts;
	memset(&facts, 0, sizeof(facts));
	is(lines_of(&copy), "rate of QPU 3: 1.50 MB/s|the board: Pi 3|",
	   "a copy of facts has their labels and texts");
	for (unsigned i = 0; i < FACTS_MAX + 2; i++)
		facts_add_value(&facts, i, 0, "", "fact %u", i);
	ok(facts.n == FACTS_MAX && strstr(lines_of(&facts), "|fact 63: 63|"),
	   "facts that do not fit are left out");
	memset(&facts, 0, sizeof(facts));
	facts_add_step(&facts, 1, "do", "this");
	facts_add_step(&facts, 2, "do", "this\nthat\n");
	is(lines_of(&facts),
	   "step 1: do\n    this|step 2: do\n    this\n    that|",
	   "each command of a step is a line after its text");
	memset(&facts, 0, sizeof(facts));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (unsigned i = 0; i < 20; i++)
		facts_add_step(&facts, i, text, "");
	facts_add_text(&facts, "k", "l", "short");
	ok(facts.n > 10 && facts.n < 20 &&
		   strstr(lines_of(&facts), "x|l: short|"),
	   "texts that do not fit are left out, shorter ones are not");
}

static void
check_clock(void)
{
	fault_clock_set(5 * FAULT_SECOND + 7);
	ok(clock_ns() == UINT64_C(5000000007),
	   "the clock has seconds and nanoseconds");
	fault_clock_set(10000000 * FAULT_SECOND + 7);
	ok(clock_ns() == UINT64_C(10000000000000007),
	   "the clock goes on for months");
	fault_clear();
}

int
main(void)
{
	check_growth();
	check_hex();
	check_failures();
	check_clean();
	check_outfile();
	check_facts();
	check_clock();
	return tap_done();
}
