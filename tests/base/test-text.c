/* SPDX-License-Identifier: MIT */
/*
 * Promise: a text holds what was added, whatever the lengths, and is as it
 * was when memory runs out.
 */
#include "config.h"

#include "src/base/text.h"

#include <errno.h>
#include <stdint.h>

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

/* What fails changes nothing. */
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
	ok(!text_add(&text, bytes, SIZE_MAX / 2) &&
		   !text_add(&text, bytes, SIZE_MAX - 6) &&
		   !text_add_hex(&text, (const unsigned char *)bytes,
				 SIZE_MAX / 2 + 1) &&
		   !text_add_hex(&text, (const unsigned char *)bytes,
				 SIZE_MAX / 4 + 1),
	   "lengths that no memory can hold are refused");
	ok(text.len == 6 && text.capacity == 128,
	   "a text keeps its length when an addition fails");
	is(text.bytes, "before",
	   "a text keeps its bytes when an addition fails");
	text_free(&text);
}

int
main(void)
{
	check_growth();
	check_hex();
	check_failures();
	return tap_done();
}
