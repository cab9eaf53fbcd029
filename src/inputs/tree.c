/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/inputs/directory.h"
#include "src/output/report.h"

/* Why a directory is not read, beside errno values. */
enum { OTHER_SYSTEM = -1, PSEUDO_SYSTEM = -2, NOT_READ_YET = -3 };

struct tree_level {
	struct tree_level *above;
	size_t path_len; /* of this directory, with its '/' */
	dev_t device;
	struct directory directory;
};

/* One user is the walk, the others are its jobs. */
struct tree_root {
	struct job_root job_root;
	atomic_uint users;
};

void
tree_init(struct tree *tree, struct names *names, bool walks)
{
	struct stat st;

	/* Most descriptors are for files, and for FIFOs that wait for their
	 * turn. */
	*tree = (struct tree){ .names = names,
			       .walks = walks,
			       .max_roots = descriptor_share(8, 128) };
	if (fstat(descriptor_standard(STDOUT_FILENO), &st) == 0 &&
	    S_ISREG(st.st_mode))
		tree->filter = (struct job_filter){ .has_output = true,
						    .device = st.st_dev,
						    .inode = st.st_ino };
}

/* Roots -------------------------------------------------------------------- */

/* Open the name that is to be walked.  0 or an errno value. */
static int
open_root(struct tree *tree)
{
	struct tree_root *root;
	int error;

	/* Jobs in flight hold the descriptors of their roots; more roots wait
	 * as if there were no descriptor left. */
	if (tree->nroots > 0 && tree->nroots >= tree->max_roots)
		return EMFILE;
	root = malloc(sizeof(*root));
	if (!root)
		return ENOMEM;
	root->job_root.fd = descriptor_open(tree->top.name, O_DIRECTORY);
	if (root->job_root.fd < 0) {
		error = errno;
		free(root);
		return error;
	}
	root->users = 1;
	tree->root = root;
	tree->nroots++;
	return 0;
}

static void
release_root(struct tree *tree, struct tree_root *root)
{
	if (!root || --root->users > 0)
		return;
	close(root->job_root.fd);
	free(root);
	tree->nroots--;
}

/* Leave the root after the walk, or before it began; jobs may need it. */
static void
leave_root(struct tree *tree)
{
	release_root(tree, tree->root);
	tree->root = NULL;
}

void
tree_release(struct tree *tree, struct job *job)
{
	/* The root of a job is the first member of a tree_root. */
	release_root(tree, (struct tree_root *)(uintptr_t)job->root);
	job->root = NULL;
	names_release(job);
}

/* Going down and up -------------------------------------------------------- */

/* Set path to the common prefix of all names in the unread directory. */
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

/* Note on which device a directory is, which is open.  0, an errno value or one
 * of those above. */
static int
look_at_device(const struct walk_position *position, int fd, dev_t *device)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return errno;
	*device = st.st_dev;
	if (position->above == st.st_dev)
		return 0;
	if (position->above && position->one_file_system)
		return OTHER_SYSTEM;
	return directory_is_pseudo(fd) ? PSEUDO_SYSTEM : 0;
}

/* Read the names in a directory; on any thread. */
static void
read_names(const struct walk_position *position, const char *below,
	   struct walk_result *result)
{
	const int fd =
		descriptor_open_below(position->root, below, O_DIRECTORY);

	result->directory = (struct directory){ .nentries = 0 };
	result->error = fd < 0 ? errno :
				 look_at_device(position, fd, &result->device);
	if (fd >= 0 && result->error)
		close(fd);
	if (!result->error)
		result->error = directory_read(&result->directory, fd);
}

/* Have the directories below a level read ahead. */
static void
list_level(struct tree *tree, const struct tree_level *level)
{
	const struct job_root *root = &tree->root->job_root;
	const struct walk_position position = { .root = root->fd,
						.above = level->device,
						.one_file_system =
							tree->one_file_system };

	walkers_list(&tree->walkers, &position,
		     tree->path.bytes + root->prefix_bytes,
		     level->path_len - root->prefix_bytes, &level->directory);
}

/* List what is left at all levels, those that come first in front. */
static void
list_levels(struct tree *tree, const struct tree_level *level)
{
	if (!level)
		return;
	list_levels(tree, level->above);
	list_level(tree, level);
}

static void
stop_walkers(struct tree *tree)
{
	if (tree->has_walkers)
		walkers_close(&tree->walkers);
	tree->has_walkers = false;
	tree->no_walkers = true;
}

/* Read the names in the unread directory.  NOT_READ_YET: walkers do.  *listed:
 * they know of the directories in it. */
static void
read_unread(struct tree *tree, struct walk_result *result, bool *listed)
{
	struct walk_position position = { .one_file_system =
						  tree->one_file_system };
	const char *below = ".";

	*result = (struct walk_result){ .error = 0 };
	if (!tree->level) {
		result->error = open_root(tree);
		if (result->error)
			return;
	} else {
		position.above = tree->level->device;
		below = tree->path.bytes + tree->root->job_root.prefix_bytes;
	}
	position.root = tree->root->job_root.fd;
	if (tree->level && tree->has_walkers) {
		const enum walkers_result taken =
			walkers_take(&tree->walkers, below, result);

		*listed = taken == WALK_TAKEN;
		if (taken == WALK_LATER)
			result->error = NOT_READ_YET;
		if (taken != WALK_ITSELF)
			return;
	}
	ahead_begin_timing(&tree->timing);
	read_names(&position, below, result);
	if (ahead_end_timing(&tree->timing) && !tree->no_walkers &&
	    !tree->has_walkers) {
		tree->has_walkers =
			tree->pool &&
			walkers_init(&tree->walkers, tree->pool, read_names);
		tree->no_walkers = !tree->has_walkers;
		if (tree->has_walkers)
			list_levels(tree, tree->level);
	}
}

/* Go down into the unread directory.  Return 0 or an error like
 * look_at_device. */
static int
go_down(struct tree *tree)
{
	struct tree_level *level = malloc(sizeof(*level));
	struct walk_result result;
	bool listed = false;
	int error;

	if (!level)
		return ENOMEM;
	read_unread(tree, &result, &listed);
	error = result.error;
	if (error == 0 && !extend_path(tree)) {
		error = ENOMEM;
		stop_walkers(tree);
	}
	if (error) {
		directory_close(&result.directory);
		free(level);
		if (!tree->level)
			leave_root(tree);
		return error;
	}
	level->device = result.device;
	level->directory = result.directory;
	if (!tree->level)
		tree->root->job_root.prefix_bytes = tree->path.len;
	level->path_len = tree->path.len;
	level->above = tree->level;
	tree->level = level;
	if (tree->has_walkers && !listed)
		list_level(tree, level);
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

/* Report that the unread directory is not walked. */
static void
fail(const struct tree *tree, struct job *job, int error)
{
	struct note note = { .kind = NOTE_TREE_UNREAD, .error = error };

	if (!names_copy(job, tree->level ? tree->path.bytes : tree->top.name))
		return;
	if (error == OTHER_SYSTEM)
		note = (struct note){ .kind = NOTE_TREE_OTHER };
	if (error == PSEUDO_SYSTEM)
		note = (struct note){ .kind = NOTE_TREE_PSEUDO };
	job->kind = JOB_REMARK;
	*note_of(job) = note;
}

/* Begin to walk a name.  Return false if it is not a directory. */
static bool
begin_walk(struct tree *tree, struct job *job)
{
	struct stat st;

	if (!tree->walks || job->kind != JOB_FILE ||
	    stat(job->name, &st) != 0 || !S_ISDIR(st.st_mode))
		return false;
	tree->top = *job;
	*job = (struct job){ .name = NULL };
	tree->links = 0;
	tree->unread = true;
	return true;
}

/* End the walk of a name.  Return true if it made a remark. */
static bool
end_walk(struct tree *tree, struct job *job)
{
	const bool passed_links = tree->links > 0 || tree->tells_end;

	leave_root(tree);
	if (passed_links) {
		*job = tree->top;
		job->kind = JOB_REMARK;
		*note_of(job) = (struct note){ .kind = NOTE_TREE_LINKS,
					       .links = tree->links };
	} else {
		names_release(&tree->top);
	}
	tree->top.name = NULL;
	return passed_links;
}

/* Visit one entry of the current directory.  Return true if it made a job. */
static bool
visit(struct tree *tree, const struct directory_entry *entry, struct job *job)
{
	text_cut(&tree->path, tree->level->path_len);
	if (!text_add_string(&tree->path, entry->name)) {
		names_remark(job,
			     (struct note){ .kind = NOTE_NAMES_NO_MEMORY });
		return true;
	}
	switch (entry->kind) {
	case DIRECTORY_FILE:
		if (names_copy(job, tree->path.bytes)) {
			job->kind = JOB_FILE;
			job->filter = &tree->filter;
			job->root = &tree->root->job_root;
			tree->root->users++;
		}
		return true;
	case DIRECTORY_BELOW:
		/* Errors are reported for the name without its '/'. */
		text_cut(&tree->path, tree->path.len - 1);
		tree->unread = true;
		return false;
	case DIRECTORY_SPECIAL:
		if (names_copy(job, tree->path.bytes)) {
			job->kind = JOB_REMARK;
			*note_of(job) =
				(struct note){ .kind = NOTE_TREE_SPECIAL };
		}
		return true;
	case DIRECTORY_LINK: tree->links++; break;
	}
	return false;
}

/* Walk one step.  Return true if it made a job. */
static bool
walk(struct tree *tree, struct job *job)
{
	struct directory_entry entry;
	int error;

	if (tree->unread) {
		error = go_down(tree);
		tree->waits = error == NOT_READ_YET;
		if (tree->waits)
			return false;
		tree->unread = false;
		if (error)
			fail(tree, job, error);
		return error != 0;
	}
	if (!tree->level)
		return end_walk(tree, job);
	if (directory_next(&tree->level->directory, &entry))
		return visit(tree, &entry, job);
	go_up(tree);
	return false;
}

/* Return true if the failure may be due to the jobs in flight. */
static bool
is_passing(const struct job *job)
{
	switch (note_of(job)->kind) {
	case NOTE_NAMES_NO_MEMORY: return true;
	case NOTE_TREE_UNREAD:
		return source_error_may_pass(note_of(job)->error);
	default: return false;
	}
}

/* Undo the step that made *job, so that it is made again. */
static void
walk_back(struct tree *tree, struct job *job, bool was_unread)
{
	tree_release(tree, job);
	if (was_unread)
		tree->unread = true;
	else
		directory_again(&tree->level->directory);
}

enum source_result
tree_next(struct tree *tree, struct job *job, bool is_oldest)
{
	enum source_result answer;

	do {
		while (tree->top.name) {
			const bool unread = tree->unread;

			if (!walk(tree, job)) {
				if (tree->waits)
					return SOURCE_LATER;
				continue;
			}
			if (is_oldest || !is_passing(job))
				return SOURCE_JOB;
			walk_back(tree, job, unread);
			return SOURCE_LATER;
		}
		answer = names_next(tree->names, job, is_oldest);
	} while (answer == SOURCE_JOB && begin_walk(tree, job));
	return answer;
}

int
tree_wait_fd(const struct tree *tree)
{
	if (tree->waits)
		return tree->walkers.wake_fd;
	return tree->top.name ? -1 : names_wait_fd(tree->names);
}

/* Reporting ---------------------------------------------------------------- */

void
tree_report(const struct tree *tree, const struct job *job)
{
	const struct note note = *note_of(job);

	switch (note_of(job)->kind) {
	case NOTE_TREE_UNREAD: report_file_error(job->name, note.error); break;
	case NOTE_TREE_SPECIAL:
		report_file_note(job->name, "skipped: not a regular file");
		break;
	case NOTE_TREE_OTHER:
		report_file_note(job->name, "skipped: on another file system");
		break;
	case NOTE_TREE_PSEUDO:
		report_file_note(job->name, "skipped: on a pseudo file system");
		break;
	case NOTE_UPDATE_OWN:
		report_file_note(job->name, "skipped: it is the list, or kept "
					    "beside it");
		break;
	case NOTE_TREE_LINKS:
		if (note.links > 0)
			report_file_note(job->name,
					 "skipped: %ju symbolic link%s",
					 note.links,
					 note.links == 1 ? "" : "s");
		break;
	default: names_report(tree->names, job);
	}
}

void
tree_close(struct tree *tree)
{
	stop_walkers(tree);
	while (tree->level)
		go_up(tree);
	leave_root(tree);
	names_release(&tree->top);
	text_free(&tree->path);
}
