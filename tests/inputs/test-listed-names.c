/* SPDX-License-Identifier: MIT */
/*
 * Promise: a name is in the set if it was added, also spelled with more "./"
 * and "//"; no other name is.
 */
#include "config.h"

#include "src/inputs/listed_names.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static const char *const same[][2] = {
	{ "a", "./a" },		 { "./a", "a" },     { "a/b", "a//b" },
	{ "a/b", "./a/././/b" }, { "/a", "//a" },    { "/a", "/./a" },
	{ "..", "./.." },	 { ".a", "././.a" }, { "a./b", ".//a.//b" },
	{ "\n", "./\n" },
};

static const char *const other[][2] = {
	{ "a", "b" },	 { "a", "A" },	{ "a", "/a" },	   { "a", "a/a" },
	{ "a/b", "ab" }, { ".a", "a" }, { "a/../b", "b" }, { "..", "." },
	{ "a/", "a/b" }, { "a.", "a" }, { "a/.b", "a/b" },
};

static bool
finds(const char *listed, const char *name)
{
	struct listed_names names = { 0 };
	bool known;
	const bool found = listed_names_add(&names, listed) &&
			   listed_names_has(&names, name, &known) && known;

	listed_names_free(&names);
	return found;
}

static void
check_many(void)
{
	enum { NAMES = 100000 };
	struct listed_names names = { 0 };
	unsigned added = 0, found = 0, wrong = 0;
	char name[200];
	bool known;

	/* Of all lengths up to some blocks of the digest. */
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%0*d", 1 + i % 190, 2 * i);
		added += listed_names_add(&names, name);
	}
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), ".//%0*d", 1 + i % 190, 2 * i);
		found += listed_names_has(&names, name, &known);
		snprintf(name, sizeof(name), "%0*d", 1 + i % 190, 2 * i + 1);
		wrong += listed_names_has(&names, name, &known);
	}
	ok(added == NAMES && found == NAMES, "%u of %d names are found", found,
	   NAMES);
	ok(wrong == 0, "no name is found that was not added");
	ok(names.capacity * sizeof(*names.keys) <= 2 * 16 * NAMES,
	   "a name needs at most 32 bytes");
	listed_names_free(&names);
}

static void
check_scarcity(void)
{
	struct listed_names names = { 0 };
	char long_name[300];
	bool known = true;

	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	fault_from(FAULT_reallocarray, 1, ENOMEM);
	ok(!listed_names_add(&names, "a") && names.nkeys == 0,
	   "without memory for its key no name is added");
	fault_clear();
	fault_from(FAULT_realloc, 1, ENOMEM);
	ok(!listed_names_add(&names, "a") && !listed_names_add(&names, "/a") &&
		   names.nkeys == 0,
	   "without memory for its path no name is added");
	fault_clear();
	ok(listed_names_add(&names, "a") && names.nkeys == 1 &&
		   names.capacity == 1024,
	   "with memory a name is added");
	fault_from(FAULT_realloc, 1, ENOMEM);
	ok(!listed_names_has(&names, long_name, &known) && !known,
	   "without memory nothing is known of a name");
	ok(!listed_names_add(&names, long_name),
	   "a name is not added without memory for its path");
	fault_clear();
	ok(listed_names_has(&names, "a", &known) && known,
	   "names stay when memory was short");
	listed_names_free(&names);
	ok(!names.keys && !names.path.bytes && names.nkeys == 0,
	   "all memory is given back");
}

/* Names may still be added when some have been looked for. */
static void
check_turns(void)
{
	struct listed_names names = { 0 };
	bool found = true, known;
	char name[16];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		found &= listed_names_add(&names, name) &&
			 listed_names_has(&names, name, &known) &&
			 listed_names_has(&names, "0", &known);
	}
	ok(found, "names are found at once, and later");
	ok(names.capacity == 2048, "room is doubled when it is full");
	listed_names_free(&names);
}

int
main(void)
{
	struct listed_names empty = { 0 };
	bool known;

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		ok(finds(same[i][0], same[i][1]), "same name %zu", i + 1);
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		ok(!finds(other[i][0], other[i][1]), "other name %zu", i + 1);
	ok(!listed_names_has(&empty, "a", &known) && known,
	   "nothing is in an empty set");
	listed_names_free(&empty);
	check_many();
	check_scarcity();
	check_turns();
	return tap_done();
}
