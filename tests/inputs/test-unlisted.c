/* SPDX-License-Identifier: MIT */
/*
 * Promise: a name is listed if it was added, also spelled with more "./" and
 * "//"; no other name is.  Without memory to remember lists or names, files
 * are not called unlisted: that this was not looked at is said once.
 */
#include "config.h"

#include "src/inputs/unlisted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "src/inputs/listed_names.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* The set of names --------------------------------------------------------- */

static const struct {
	const char *listed, *name;
	bool found;
} spellings[] = {
	{ "a", "./a", true },	      { "./a", "a", true },
	{ "a/b", "a//b", true },      { "a/b", "./a/././/b", true },
	{ "/a", "//a", true },	      { "/a", "/./a", true },
	{ "..", "./..", true },	      { ".a", "././.a", true },
	{ "a./b", ".//a.//b", true }, { "?", "./?", true },
	{ "a", "b", false },	      { "a", "A", false },
	{ "a", "/a", false },	      { "a", "a/a", false },
	{ "a/b", "ab", false },	      { ".a", "a", false },
	{ "a/../b", "b", false },     { "..", ".", false },
	{ "a/", "a/b", false },	      { "a.", "a", false },
	{ "a/.b", "a/b", false },
};

static void
check_spellings(void)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		struct listed_names names = { 0 };
		bool known;

		ok(listed_names_add(&names, spellings[i].listed) &&
			   listed_names_has(&names, spellings[i].name,
					    &known) == spellings[i].found &&
			   known,
		   "where %s is listed, %s is %s", spellings[i].listed,
		   spellings[i].name,
		   spellings[i].found ? "the same" : "another name");
		listed_names_free(&names);
	}
}

static void
check_many(void)
{
	enum { NAMES = 20000 };
	struct listed_names names = { 0 };
	unsigned added = 0, found = 0, wrong = 0;
	char name[200];
	bool known;

	/* Names have all lengths up to some blocks of the digest. */
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

static void
test_names(void)
{
	struct listed_names empty = { 0 };
	bool known;

	check_spellings();
	ok(!listed_names_has(&empty, "a", &known) && known,
	   "nothing is in an empty set");
	listed_names_free(&empty);
	check_many();
	check_scarcity();
	check_turns();
}

static const struct {
	const char *name, *directory;
	bool is_below;
} below[] = {
	{ "a", ".", true },	    { "./a", ".//", true },
	{ "/a", ".", false },	    { "/d/a", "/d", true },
	{ "/d//a", "/./d/", true }, { "/da", "/d", false },
	{ "d/a", "/d", false },	    { "/a", "/", true },
	{ "d", "d", false },	    { "a", "d", false },
};

static void
test_below(void)
{
	struct listed_names names = { 0 };

	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		ok(listed_names_is_below(&names, below[i].name,
					 below[i].directory) ==
			   below[i].is_below,
		   "%s is %sbelow %s", below[i].name,
		   below[i].is_below ? "" : "not ", below[i].directory);
	listed_names_free(&names);
}

/* Missing names, by digest ------------------------------------------------- */

static void
test_missing(void)
{
	static const uint8_t one[SHA256_DIGEST_BYTES] = { 1 };
	static const uint8_t two[SHA256_DIGEST_BYTES] = { 2 };
	static const uint8_t three[SHA256_DIGEST_BYTES] = { 3 };
	struct missing missing = { 0 };

	ok(!missing_find(&missing, one), "nothing is missing at first");
	missing_add(&missing, "b", two);
	missing_add(&missing, "c", one);
	missing_add(&missing, "a", one);
	for (int i = 0; i < 40; i++)
		missing_add(&missing, "more", three);
	is(missing_find(&missing, one), "c",
	   "the first name with a digest is found");
	is(missing_find(&missing, two), "b", "each digest has its name");
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	missing_add(&missing, "d", (const uint8_t[SHA256_DIGEST_BYTES]){ 4 });
	fault_clear();
	ok(!missing_find(&missing, (const uint8_t[SHA256_DIGEST_BYTES]){ 4 }),
	   "a name for which there is no memory is not found");
	missing_free(&missing);
	ok(!missing.rows, "missing names give their memory back");
}

/* The walk ----------------------------------------------------------------- */

static const char directory[] = "t";
/* The remarks that come, a word each. */
static char remarks[256];

static void
find_remarks(struct unlisted *unlisted)
{
	struct job job = { .name = NULL };

	remarks[0] = '\0';
	if (unlisted_fails(unlisted, &job))
		strcat(remarks, "fails ");
	while (unlisted_next(unlisted, &job, true) == SOURCE_JOB) {
		switch (job.note.kind) {
		case NOTE_UNLISTED_FILE:
			strcat(remarks, "file:");
			strcat(remarks, job.name + strlen(directory) + 1);
			break;
		case NOTE_UNLISTED_UNKNOWN: strcat(remarks, "unknown"); break;
		case NOTE_UNLISTED_END: strcat(remarks, "end"); break;
		case NOTE_NAMES_NO_MEMORY: strcat(remarks, "memory"); break;
		case NOTE_TREE_UNREAD: strcat(remarks, "unread"); break;
		default: strcat(remarks, "other");
		}
		strcat(remarks, " ");
		tree_release(&unlisted->tree, &job);
		job = (struct job){ .name = NULL };
	}
}

static const struct missing nothing;

/* The list is "list", and has the name "a". */
static void
run(bool has_lists, bool has_names)
{
	struct unlisted unlisted;
	const int fd = open("t/list", O_RDONLY | O_CLOEXEC);

	unlisted_init(&unlisted, directory, false, &nothing);
	if (!has_lists)
		fault_from(FAULT_reallocarray, 1, ENOMEM);
	unlisted_add_list(&unlisted, fd);
	fault_clear();
	close(fd);
	if (!has_names)
		fault_from(FAULT_realloc, 1, ENOMEM);
	unlisted_add_name(&unlisted, "t/a");
	fault_clear();
	find_remarks(&unlisted);
	unlisted_close(&unlisted);
}

/* When memory ends during the walk, with nothing listed. */
static void
test_walk(void)
{
	unsigned unknown = 0, wrong = 0;

	for (unsigned left = 0; left < 12; left++) {
		struct unlisted unlisted;

		unlisted_init(&unlisted, directory, false, &nothing);
		fault_from(FAULT_realloc, left + 1, ENOMEM);
		find_remarks(&unlisted);
		fault_clear();
		unknown += strcmp(remarks, "unknown ") == 0;
		/* All files are there, or something is said of memory. */
		wrong += strcmp(remarks, "file:a file:b file:list end ") != 0 &&
			 !strstr(remarks, "unknown") &&
			 !strstr(remarks, "memory") &&
			 !strstr(remarks, "unread");
		unlisted_close(&unlisted);
	}
	ok(unknown > 0, "a walk ends when nothing is known of a name");
	ok(wrong == 0, "no file is left out in silence");
	is(remarks, "file:a file:b file:list end ", "with memory all are told");
}

int
main(void)
{
	struct unlisted unlisted;

	test_names();
	test_below();
	test_missing();
	scratch_enter();
	scratch_text("t/a", "");
	scratch_text("t/b", "");
	scratch_text("t/list", "");
	run(true, true);
	is(remarks, "file:b end ",
	   "neither the list nor what it names is unlisted");
	run(false, true);
	is(remarks, "unknown ",
	   "without memory for a list what is unlisted is unknown");
	run(true, false);
	is(remarks, "unknown ",
	   "without memory for a name what is unlisted is unknown");
	test_walk();

	unlisted_init(&unlisted, NULL, false, &nothing);
	unlisted_add_list(&unlisted, STDIN_FILENO);
	unlisted_add_name(&unlisted, "a");
	find_remarks(&unlisted);
	ok(!*remarks && unlisted.nlists == 0 && unlisted.listed.nkeys == 0,
	   "without --unlisted nothing is remembered");
	unlisted_close(&unlisted);
	return tap_done();
}
