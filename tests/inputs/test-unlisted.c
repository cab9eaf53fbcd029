/* SPDX-License-Identifier: MIT */
/*
 * Promise: without memory to remember lists or names, files are not called
 * unlisted: that this was not looked at is said once.
 */
#include "config.h"

#include "src/inputs/unlisted.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

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

/* The list is "list", and has the name "a". */
static void
run(bool has_lists, bool has_names)
{
	struct unlisted unlisted;
	const int fd = open("t/list", O_RDONLY | O_CLOEXEC);

	unlisted_init(&unlisted, directory, false);
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

		unlisted_init(&unlisted, directory, false);
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

	scratch_enter();
	scratch_text("t/a", "");
	scratch_text("t/b", "");
	scratch_text("t/list", "");
	run(true, true);
	is(remarks, "file:b end ", "neither the list nor what it names counts");
	run(false, true);
	is(remarks, "unknown ", "a list that cannot be remembered");
	run(true, false);
	is(remarks, "unknown ", "a name that cannot be remembered");
	test_walk();

	unlisted_init(&unlisted, NULL, false);
	unlisted_add_list(&unlisted, STDIN_FILENO);
	unlisted_add_name(&unlisted, "a");
	find_remarks(&unlisted);
	ok(!*remarks && unlisted.nlists == 0 && unlisted.listed.nkeys == 0,
	   "without --unlisted nothing is remembered");
	unlisted_close(&unlisted);
	return tap_done();
}
