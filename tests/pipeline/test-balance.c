/* SPDX-License-Identifier: MIT */
/*
 * Promise: inputs give back what they take, also when they are closed in the
 * middle.  Runs, with their readers and threads, are looked at by the rig.
 */
#include "config.h"

#include <unistd.h>

#include "src/inputs/check_source.h"
#include "src/inputs/hash_source.h"
#include "src/output/status_line.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

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
hash_tree(unsigned jobs)
{
	static char top[] = "top", file[] = "f0000", missing[] = "missing";
	static char pseudo[] = "/proc"; /* is not walked */
	char *operands[] = { file, top, missing, pseudo, top };
	const struct input_options options = { .operands = operands,
					       .noperands = 5,
					       .recursive = true };
	struct hash_source hash;

	hash_source_init(&hash, &options);
	take_jobs(&hash.source, &hash.tree, jobs);
	hash_source_close(&hash);
}

static void
walk_trees(void)
{
	for (unsigned jobs = 0; jobs < 14; jobs++)
		hash_tree(jobs);
}

static void
hash_list(const char *list, unsigned jobs)
{
	const struct input_options options = { .files0_from = list };
	struct hash_source hash;

	hash_source_init(&hash, &options);
	take_jobs(&hash.source, &hash.tree, jobs);
	hash_source_close(&hash);
}

static void
read_lists(void)
{
	for (unsigned jobs = 0; jobs < 5; jobs++)
		hash_list("names", jobs);
	hash_list("missing", 2);
	hash_list(".", 2);
}

static void
check_lists(const char *unlisted, unsigned jobs)
{
	static char first[] = "sums", second[] = "missing";
	char *operands[] = { first, second, first };
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
check_files(void)
{
	for (unsigned jobs = 0; jobs < 16; jobs++) {
		check_lists(NULL, jobs);
		check_lists("top", jobs);
	}
	check_lists("missing", 16);
}

/* Without a terminal there is only a signal to be answered, to the end. */
static void
tick(void)
{
	static struct forecast nothing;

	status_line_begin(&nothing, false, NULL);
	status_line_end();
}

/* A file, a folder of four, lists of names and of digests. */
static void
make_inputs(void)
{
	static const char names[] = "f0000\0missing\0f0000";

	scratch_pattern("f0000", 2000);
	scratch_pattern("top/a", 10);
	scratch_pattern("top/below/b", 20);
	scratch_pattern("top/below/c", 30);
	scratch_fifo("top/fifo");
	scratch_link("top/link", "a");
	scratch_file("names", names, sizeof(names));
	scratch_text("sums",
		     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		     "7852b855  f0000\nnot a line\n"
		     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		     "7852b855  top/a\n");
}

int
main(void)
{
	alarm(120);
	scratch_enter();
	make_inputs();
	balance_test(walk_trees, "a walk, ended anywhere,");
	balance_test(read_lists, "a list of names, ended anywhere,");
	balance_test(check_files, "a list of digests, ended anywhere,");
	balance_test(tick, "the progress line");
	return tap_done();
}
