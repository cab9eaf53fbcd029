/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/descriptor.h"
#include "src/directory.h"
#include "src/quote.h"
#include "src/report.h"

struct tree_level {
	struct tree_level *above;
	size_t path_len;	/* of this directory, with its '/' */
	struct directory directory;
};

void
tree_init(struct tree *tree, struct names *names)
{
	struct stat st;

	*tree = (struct tree){ .names = names };
	if (fstat(descriptor_standard(STDOUT_FILENO), &st) == 0 &&
	    S_ISREG(st.st_mode))
		tree->filter = (struct job_filter){
			.has_output = true,
			.device = st.st_dev,
			.inode = st.st_ino
		};
}

/* Going down and up -------------------------------------------------------- */

/* The directory to go down into. */
static const char *
unread_name(const struct tree *tree)
{
	return tree->level ? tree->path.bytes : tree->top.name;
}

/* Make of path what all names in the unread directory begin with. */
static bool
extend_path(struct tree *tree)
{
	struct text *path = &tree->path;

	if (!tree->level) {
		text_cut(path, 0);
		if (!text_add_string(path, tree->top.name))
			return false;
	}
	return path->bytes[path->len - 1] == '/' || text_add(path, "/", 1);
}

/* 0 or an errno value. */
static int
go_down(struct tree *tree)
{
	struct tree_level *level = malloc(sizeof(*level));
	int error;

	if (!level)
		return ENOMEM;
	error = directory_read(&level->directory, unread_name(tree),
			       !tree->level);
	if (error == 0 && !extend_path(tree))
		error = ENOMEM;
	if (error) {
		directory_close(&level->directory);
		free(level);
		return error;
	}
	level->path_len = tree->path.len;
	level->above = tree->level;
	tree->level = level;
	return 0;
}

static void
go_up(struct tree *tree)
{
	struct tree_level *level = tree->level;

	tree->level = level->above;
	directory_close(&level->directory);
	free(level);
}

/* Jobs --------------------------------------------------------------------- */

/* The unread directory cannot be walked. */
static void
fail(const struct tree *tree, struct job *job, int error)
{
	if (!names_copy(job, unread_name(tree)))
		return;
	job->kind = JOB_REMARK;
	job->error = error;
}

/* Begin with a name, if it is a directory. */
static bool
begin_walk(struct tree *tree, struct job *job)
{
	struct stat st;

	if (job->kind != JOB_FILE || stat(job->name, &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return false;
	tree->top = *job;
	*job = (struct job){ .name = NULL };
	tree->links = 0;
	tree->unread = true;
	return true;
}

/* The name has been walked.  True: that made a remark. */
static bool
end_walk(struct tree *tree, struct job *job)
{
	const bool passed_links = tree->links > 0;

	if (passed_links) {
		*job = tree->top;
		job->kind = JOB_REMARK;
		job->subject = TREE_LINKS;
		job->number[0] = tree->links;
	} else {
		names_release(&tree->top);
	}
	tree->top.name = NULL;
	return passed_links;
}

/* One entry of the directory being walked.  True: it made a job. */
static bool
look_at(struct tree *tree, const struct directory_entry *entry,
	struct job *job)
{
	text_cut(&tree->path, tree->level->path_len);
	if (!text_add_string(&tree->path, entry->name)) {
		names_exhausted(job);
		return true;
	}
	switch (entry->kind) {
	case DIRECTORY_FILE:
		if (names_copy(job, tree->path.bytes)) {
			job->kind = JOB_FILE;
			job->filter = &tree->filter;
		}
		return true;
	case DIRECTORY_BELOW:
		/* An error is about the name without its '/'. */
		text_cut(&tree->path, tree->path.len - 1);
		tree->unread = true;
		return false;
	case DIRECTORY_SPECIAL:
		if (names_copy(job, tree->path.bytes)) {
			job->kind = JOB_REMARK;
			job->subject = TREE_SPECIAL;
		}
		return true;
	case DIRECTORY_LINK:
		tree->links++;
		break;
	}
	return false;
}

/* Into the unread directory.  True: it made a job, since that failed. */
static bool
enter(struct tree *tree, struct job *job)
{
	const int error = go_down(tree);

	tree->unread = false;
	if (error)
		fail(tree, job, error);
	return error != 0;
}

/* On in the directory being walked.  True: it made a job. */
static bool
step(struct tree *tree, struct job *job)
{
	struct directory_entry entry;

	if (directory_next(&tree->level->directory, &entry))
		return look_at(tree, &entry, job);
	go_up(tree);
	return false;
}

/* One step of the walk.  True: it made a job. */
static bool
walk(struct tree *tree, struct job *job)
{
	if (tree->unread)
		return enter(tree, job);
	if (tree->level)
		return step(tree, job);
	return end_walk(tree, job);
}

/* Has it failed only because of other jobs? */
static bool
is_passing(const struct job *job)
{
	return names_is_exhausted(job) || source_error_may_pass(job->error);
}

/* The step that made *job is to be made again. */
static void
walk_back(struct tree *tree, struct job *job, bool was_unread)
{
	names_release(job);
	if (was_unread)
		tree->unread = true;
	else
		directory_again(&tree->level->directory);
}

enum source_answer
tree_next(struct tree *tree, struct job *job, bool alone)
{
	enum source_answer answer;

	do {
		while (tree->top.name) {
			const bool unread = tree->unread;

			if (!walk(tree, job))
				continue;
			if (alone || !is_passing(job))
				return SOURCE_JOB;
			walk_back(tree, job, unread);
			return SOURCE_LATER;
		}
		answer = names_next(tree->names, job, alone);
	} while (answer == SOURCE_JOB && begin_walk(tree, job));
	return answer;
}

int
tree_wait_fd(const struct tree *tree)
{
	return tree->top.name ? -1 : names_wait_fd(tree->names);
}

/* Reporting ---------------------------------------------------------------- */

void
tree_report(const struct tree *tree, const struct job *job)
{
	struct text quoted = { 0 };

	switch (job->subject) {
	case TREE_SPECIAL:
		report_warning("%s: skipped: not a regular file",
			       quote_name(&quoted, job->name));
		break;
	case TREE_LINKS:
		report_warning("%s: skipped: %ju symbolic link%s",
			       quote_name(&quoted, job->name), job->number[0],
			       job->number[0] == 1 ? "" : "s");
		break;
	default:
		names_report(tree->names, job);
	}
	text_free(&quoted);
}

void
tree_close(struct tree *tree)
{
	while (tree->level)
		go_up(tree);
	names_release(&tree->top);
	text_free(&tree->path);
}
