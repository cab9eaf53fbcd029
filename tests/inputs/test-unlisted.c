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

#include "src/inputs/name_set.h"
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
		struct name_set listed = { 0 };

		name_set_add(&listed, spellings[i].listed);
		ok(name_set_has(&listed, spellings[i].name) ==
				   spellings[i].found &&
			   !listed.failed,
		   "where %s is listed, %s is %s", spellings[i].listed,
		   spellings[i].name,
		   spellings[i].found ? "the same" : "another name");
		name_set_free(&listed);
	}
}

static void
check_many(void)
{
	enum { NAMES = 100000 };
	struct name_set listed = { 0 };
	unsigned found = 0, wrong = 0;
	char name[200];

	ok(!name_set_has(&listed, "a") && !listed.failed,
	   "nothing is in an empty set");
	name_set_free(&listed);
	/* Names have all lengths up to some blocks of the digest. */
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%0*d", 1 + i % 190, 2 * i);
		name_set_add(&listed, name);
	}
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), ".//%0*d", 1 + i % 190, 2 * i);
		found += name_set_has(&listed, name);
		snprintf(name, sizeof(name), "%0*d", 1 + i % 190, 2 * i + 1);
		wrong += name_set_has(&listed, name);
	}
	ok(found == NAMES, "%u of %d names are found", found, NAMES);
	ok(wrong == 0, "no name is found that was not added");
	ok(listed.capacity * 16 <= 32 * (NAMES + 16),
	   "a name needs at most 32 bytes");
	name_set_free(&listed);
}

/* Added names are found or the set has failed; no other name is found. */
static enum fault_outcome
use_names(void)
{
	struct name_set listed = { 0 };
	char names[3][300] = { "a", "", "b" };
	unsigned found = 0;
	bool wrong;
	enum fault_outcome outcome;

	memset(names[1], 'x', sizeof(names[1]) - 1);
	for (int i = 0; i < 3; i++)
		name_set_add(&listed, names[i]);
	for (int i = 0; i < 3; i++)
		found += name_set_has(&listed, names[i]);
	wrong = name_set_has(&listed, "c") || (!listed.failed && found != 3);
	outcome = wrong		? FAULT_WRONG :
		  listed.failed ? FAULT_TOLD :
				  FAULT_WHOLE;
	name_set_free(&listed);
	return outcome;
}

static const struct {
	const char *name, *directory;
	bool is_below;
} below[] = {
	{ "a", ".", true },	    { "./a", ".//", true },
	{ "/a", ".", false },	    { "/d/a", "/d", true },
	{ "/d//a", "/./d/", true }, { "/da", "/d", false },
	{ "d/a", "/d", false },	    { "/a", "/", true },
	{ "../a", ".", false },	    { "..a", ".", true },
	{ "d", "d", false },	    { "a", "d", false },
};

static void
test_below(void)
{
	struct text path = { 0 }, top = { 0 };

	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		ok(name_shorten(&path, below[i].name) &&
			   name_shorten_directory(&top, below[i].directory) &&
			   name_is_below(path.bytes, top.bytes, top.len) ==
				   below[i].is_below,
		   "%s is %sbelow %s", below[i].name,
		   below[i].is_below ? "" : "not ", below[i].directory);
	text_free(&path);
	text_free(&top);
}

/* The walk ----------------------------------------------------------------- */

static const char directory[] = "t";
static const struct option_texts one = { { directory }, 1 }, none;
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
		switch (note_of(&job)->kind) {
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

static const struct list_rows nothing;

/* The list is "list", and has the name "a". */
static enum fault_outcome
walk(void)
{
	struct unlisted unlisted;
	const int fd = open("t/list", O_RDONLY | O_CLOEXEC);

	unlisted_init(&unlisted, &one, false, &nothing);
	unlisted_add_list(&unlisted, fd, "list");
	close(fd);
	unlisted_add_name(&unlisted, "t/a");
	find_remarks(&unlisted);
	unlisted_close(&unlisted);
	if (strcmp(remarks, "file:b end ") == 0)
		return FAULT_WHOLE;
	return strstr(remarks, "unknown") || strstr(remarks, "memory") ||
			       strstr(remarks, "unread") ?
		       FAULT_TOLD :
		       FAULT_WRONG;
}

int
main(void)
{
	struct unlisted unlisted;

	check_spellings();
	check_many();
	fault_each(FAULT_MEMORY, ENOMEM, use_names, "a set of names");
	test_below();
	scratch_enter();
	scratch_text("t/a", "");
	scratch_text("t/b", "");
	scratch_text("t/list", "");
	fault_each(FAULT_MEMORY, ENOMEM, walk, "a walk for unlisted files");

	unlisted_init(&unlisted, &none, false, &nothing);
	unlisted_add_list(&unlisted, STDIN_FILENO, "-");
	unlisted_add_name(&unlisted, "a");
	find_remarks(&unlisted);
	ok(!*remarks && unlisted.nfiles == 0 && unlisted.listed.n == 0,
	   "without --unlisted nothing is remembered");
	unlisted_close(&unlisted);
	return tap_done();
}
