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

/* Into the directory at path.  0 or an errno value. */
static int
go_down(struct tree *tree)
{
	struct text *path = &tree->path;
	struct tree_level *level = malloc(sizeof(*level));
	int error;

	if (!level)
		return ENOMEM;
	error = directory_read(&level->directory, path->bytes, !tree->level);
	if (error == 0 && path->bytes[path->len - 1] != '/' &&
	    !text_add(path, "/", 1))
		error = ENOMEM;
	if (error) {
		directory_close(&level->directory);
		free(level);
		return error;
	}
	level->path_len = path->len;
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

/* The directory at path cannot be walked. */
static void
fail(const struct tree *tree, struct job *job, int error)
{
	if (!names_copy(job, tree->path.bytes))
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
	/* Short of memory it stays what it is, a directory. */
	text_cut(&tree->path, 0);
	if (!text_add_string(&tree->path, job->name))
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

enum source_answer
tree_next(struct tree *tree, struct job *job, bool alone)
{
	struct directory_entry entry;

	for (;;) {
		if (tree->unread) {
			const int error = go_down(tree);

			/* When alone, nobody else has files open. */
			if ((error == EMFILE || error == ENFILE) && !alone)
				return SOURCE_LATER;
			tree->unread = false;
			if (error) {
				fail(tree, job, error);
				return SOURCE_JOB;
			}
		} else if (tree->level) {
			if (!directory_next(&tree->level->directory, &entry))
				go_up(tree);
			else if (look_at(tree, &entry, job))
				return SOURCE_JOB;
		} else if (tree->top.name) {
			if (end_walk(tree, job))
				return SOURCE_JOB;
		} else {
			enum source_answer answer =
				names_next(tree->names, job, alone);

			if (answer != SOURCE_JOB || !begin_walk(tree, job))
				return answer;
		}
	}
}

int
tree_wait_fd(const struct tree *tree)
{
	return tree->unread ? -1 : names_wait_fd(tree->names);
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
