/* SPDX-License-Identifier: MIT */
/*
 * Promise: what became of a file is decided by facts alone: the digest, size and time
 * of its row, and what it has now.  No clock and no order of times counts.
 */
#include "config.h"

#include <string.h>

#include "src/inputs/list_rows.h"
#include "tests/support/tap.h"

enum { NS = 1000000000 };

static const struct {
	const char *promise;
	bool has_row, young, same_digest;
	int64_t size, seconds, now_size, now_seconds;
	long ns, now_ns;
	enum list_result verdict;
} rows[] = {
	{ "the digest of the list is the same file, whatever else", true, false,
	  true, 1, 100, 2, 999, 5, 7, LIST_SAME },
	{ "without a row the same digest is the same file", false, false, true,
	  1, 100, 1, 100, 5, 5, LIST_SAME },
	{ "without a row another digest is not known", false, false, false, 1,
	  100, 1, 100, 5, 5, LIST_UNKNOWN },
	{ "size and time as they were: damage", true, false, false, 1, 100, 1,
	  100, 5, 5, LIST_DAMAGED },
	{ "another size is an edit", true, false, false, 1, 100, 2, 100, 5, 5,
	  LIST_EDITED },
	{ "a later time is an edit", true, false, false, 1, 100, 1, 101, 5, 5,
	  LIST_EDITED },
	{ "an earlier time is an edit", true, false, false, 1, 100, 1, 99, 5, 5,
	  LIST_EDITED },
	{ "a nanosecond is an edit", true, false, false, 1, 100, 1, 100, 5, 6,
	  LIST_EDITED },
	{ "a time before 1970 is a time", true, false, false, 1, -5, 1, -5, 5,
	  5, LIST_DAMAGED },
	{ "a time that lost its fraction is the same", true, false, false, 1,
	  100, 1, 100, 5, 0, LIST_DAMAGED },
	{ "a time rounded to 2 s is the same", true, false, false, 1, 101, 1,
	  100, NS - 1, 0, LIST_DAMAGED },
	{ "a time rounded up is the same", true, false, false, 1, 101, 1, 102,
	  1, 0, LIST_DAMAGED },
	{ "2 s apart is an edit", true, false, false, 1, 100, 1, 102, 0, 0,
	  LIST_EDITED },
	{ "times with fractions must be equal", true, false, false, 1, 100, 1,
	  101, 5, 5, LIST_EDITED },
	{ "another digest of a young row is an edit", true, true, false, 1, 100,
	  1, 100, 5, 5, LIST_EDITED },
};

static void
check_row(size_t i)
{
	const uint8_t digests[2][SHA256_DIGEST_BYTES] = { { 1 }, { 2 } };
	const struct list_witness now = {
		.size = rows[i].now_size,
		.seconds = rows[i].now_seconds,
		.nanoseconds = (uint32_t)rows[i].now_ns,
		.is_there = true,
	};
	struct list_row row = {
		.seen = { .size = rows[i].size,
			  .seconds = rows[i].seconds,
			  .nanoseconds = (uint32_t)rows[i].ns,
			  .is_there = rows[i].has_row,
			  .is_young = rows[i].young },
	};

	memcpy(row.digest, digests[0], sizeof(row.digest));
	ok(list_judge(&row, digests[!rows[i].same_digest], &now) ==
		   rows[i].verdict,
	   "%s", rows[i].promise);
}

/* A file that need not be read. */
static void
check_known(void)
{
	const struct list_witness now = {
		.size = 1, .seconds = 100, .inode = 7, .is_there = true
	};
	struct list_row row = { .seen = now };

	ok(list_is_as_hashed(&row, &now), "a file with its row is not read");
	row.seen.inode = 8;
	ok(list_is_as_hashed(&row, &now), "one with another inode is not read");
	row.is_twin = true;
	ok(!list_is_as_hashed(&row, &now), "a twin with another inode is read");
	row.seen.inode = 7;
	ok(list_is_as_hashed(&row, &now), "a twin with its inode is not read");
	row.seen.is_young = true;
	ok(!list_is_as_hashed(&row, &now), "a young one is read");
	row.seen.is_young = false;
	row.is_accepted = true;
	ok(!list_is_as_hashed(&row, &now), "an accepted one is read");
	row = (struct list_row){ .seen = { .size = 1, .seconds = 100 } };
	ok(!list_is_as_hashed(&row, &now), "one without a row is read");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	check_known();
	return tap_done();
}
