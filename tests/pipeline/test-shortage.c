/* SPDX-License-Identifier: MIT */
/*
 * Promise: a source that is short of memory or descriptors waits as long as
 * other jobs hold some, so that no name is lost; and sources give back what they
 * take, also when they are closed in the middle.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "src/inputs/check_source.h"
#include "src/inputs/hash_source.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* All is short, or not. */
static void
set_shortage(bool shortage)
{
	fault_clear();
	if (!shortage)
		return;
	fault_from(FAULT_MEMORY, 1, ENOMEM);
	fault_from(FAULT_open, 1, EMFILE);
}

typedef void
release_job(struct source *source, struct job *job);

static void
release_name(struct source *source, struct job *job)
{
	(void)source;
	names_release(job);
}

static void
release_file(struct source *source, struct job *job)
{
	tree_release(&((struct hash_source *)source)->tree, job);
}

/* Take all jobs, with a shortage before each.  Return true if the files are
 * those in `expected`, each name after a blank, and nothing else came. */
static bool
gives_all(struct source *source, release_job *release, const char *expected)
{
	struct text names = { 0 };
	bool good = true;

	for (;;) {
		struct job job = { .kind = JOB_FILE };
		enum source_result answer;

		set_shortage(true);
		answer = source->next(source, &job, false);
		set_shortage(false);
		if (answer == SOURCE_LATER) {
			good = good && source->wait_fd == -1;
			job = (struct job){ .kind = JOB_FILE };
			answer = source->next(source, &job, false);
		}
		if (answer != SOURCE_JOB)
			break;
		if (job.kind == JOB_REMARK) {
			good = good &&
			       note_of(&job)->kind != NOTE_NAMES_NO_MEMORY;
			source->emit(source, &job);
			continue;
		}
		good = good && text_add(&names, " ", 1) &&
		       text_add_string(&names, job.name);
		release(source, &job);
	}
	good = good && names.bytes && strcmp(names.bytes, expected) == 0;
	if (!good)
		tap_note("got%s", names.bytes ? names.bytes : " nothing");
	text_free(&names);
	return good;
}

/* The walk begins again, and the first descriptor was given back. */
static void
test_tree(void)
{
	char *operands[] = { (char *)"tree" };
	struct input_options options = { .recursive = true,
					 .operands = operands,
					 .noperands = 1 };
	struct job job = { .kind = JOB_FILE };
	struct hash_source hash;

	scratch_file("tree/a", "", 0);
	scratch_file("tree/below/b", "", 0);
	scratch_file("tree/c", "", 0);
	hash_source_init(&hash, &options);
	fault_from(FAULT_openat, 1, EMFILE);
	fault_from(FAULT_syscall, 1, EMFILE);
	ok(hash.source.next(&hash.source, &job, false) == SOURCE_LATER &&
		   hash.tree.nroots == 0,
	   "a walk that cannot begin holds no descriptor");
	fault_clear();
	ok(gives_all(&hash.source, release_file, " tree/a tree/below/b tree/c"),
	   "a walk that could not begin loses no file of a tree when it can");
	hash_source_close(&hash);
}

/* Most descriptors are for files. */
static void
test_many_roots(void)
{
	enum { DESCRIPTORS = 64, MOST = DESCRIPTORS / 8, OPERANDS = 12 };
	char *operands[OPERANDS];
	struct input_options options = { .recursive = true,
					 .operands = operands,
					 .noperands = OPERANDS };
	struct job jobs[OPERANDS];
	struct rlimit before, few;
	struct hash_source hash;
	unsigned taken = 0;

	if (getrlimit(RLIMIT_NOFILE, &before) != 0)
		exit(99);
	few = before;
	few.rlim_cur = DESCRIPTORS;
	for (unsigned i = 0; i < OPERANDS; i++)
		operands[i] = (char *)"tree/below";
	setrlimit(RLIMIT_NOFILE, &few);
	hash_source_init(&hash, &options);
	setrlimit(RLIMIT_NOFILE, &before);
	for (; taken < OPERANDS; taken++) {
		jobs[taken] = (struct job){ .kind = JOB_FILE };
		if (hash.source.next(&hash.source, &jobs[taken], false) !=
		    SOURCE_JOB)
			break;
	}
	ok(taken == MOST && hash.tree.nroots == MOST,
	   "files of %d trees are held, and the next tree waits", MOST);
	tree_release(&hash.tree, &jobs[0]);
	ok(hash.source.next(&hash.source, &jobs[0], false) == SOURCE_JOB &&
		   strcmp(jobs[0].name, "tree/below/b") == 0,
	   "the next tree is walked when one of those that are held has ended");
	for (unsigned i = 0; i < taken; i++)
		tree_release(&hash.tree, &jobs[i]);
	hash_source_close(&hash);
}

static void
test_check_list(void)
{
	char *operands[] = { (char *)"sums" };
	struct input_options options = { .operands = operands, .noperands = 1 };
	char lines[3 * 68 + 1] = "";
	struct check_source check;

	for (const char *name = "abc"; *name; name++)
		sprintf(lines + strlen(lines), "%064d  %c\n", 0, *name);
	scratch_file("sums", lines, strlen(lines));
	check_source_init(&check, &options);
	check.tally.matches = 1; /* nothing to complain about */
	ok(gives_all(&check.source, release_name, " a b c"),
	   "no entry of a check list is lost");
	check_source_close(&check);
}

/* Closed anywhere ------------------------------------------------------------- */

/* Take n jobs, and drop them. */
static void
take_jobs(struct source *source, struct tree *tree, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct job job = { .name = NULL };

		if (source->next(source, &job, true) == SOURCE_END)
			return;
		tree_release(tree, &job);
	}
}

static void
hash_some(const struct input_options *options, unsigned jobs)
{
	struct hash_source hash;

	hash_source_init(&hash, options);
	take_jobs(&hash.source, &hash.tree, jobs);
	hash_source_close(&hash);
}

static void
check_some(const char *unlisted, unsigned jobs)
{
	static char sums[] = "sums2", missing[] = "missing";
	char *operands[] = { sums, missing, sums };
	const struct input_options options = {
		.operands = operands,
		.noperands = 3,
		.verbosity = INPUT_WARN,
		.unlisted = { .rows = { unlisted }, .n = unlisted ? 1 : 0 }
	};
	struct check_source check;

	check_source_init(&check, &options);
	take_jobs(&check.source, &check.unlisted.tree, jobs);
	check_source_close(&check);
}

static void
close_anywhere(void)
{
	static char top[] = "top", file[] = "list", missing[] = "missing";
	static char pseudo[] = "/proc"; /* is not walked */
	char *operands[] = { file, top, missing, pseudo, top };
	const struct input_options trees = { .operands = operands,
					     .noperands = 5,
					     .recursive = true };

	for (unsigned jobs = 0; jobs < 16; jobs++) {
		hash_some(&trees, jobs);
		hash_some(&(struct input_options){ .files0_from = "list" },
			  jobs);
		check_some(NULL, jobs);
		check_some("top", jobs);
	}
	hash_some(&(struct input_options){ .files0_from = "missing" }, 2);
	hash_some(&(struct input_options){ .files0_from = "." }, 2);
	check_some("missing", 16);
}

static void
test_close(void)
{
	scratch_file("list", "a\0b\0c", 5);
	scratch_pattern("top/a", 10);
	scratch_pattern("top/below/b", 20);
	scratch_pattern("top/below/c", 30);
	scratch_fifo("top/fifo");
	scratch_link("top/link", "a");
	scratch_text("sums2",
		     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		     "7852b855  list\nnot a line\n"
		     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		     "7852b855  top/a\n");
	balance_test(close_anywhere, "a source that is closed anywhere");
}

int
main(void)
{
	scratch_enter();
	test_tree();
	test_many_roots();
	test_check_list();
	test_close();
	return tap_done();
}
