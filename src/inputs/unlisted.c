/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/unlisted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/base/rows.h"
#include "src/inputs/list_file.h"

struct unlisted_file {
	dev_t device;
	ino_t inode;
};

void
unlisted_init(struct unlisted *self, const struct option_texts *dirs,
	      bool one_file_system, const struct list_rows *missing)
{
	*self = (struct unlisted){ .ended = dirs->n == 0, .missing = missing };
	for (size_t i = 0; i < dirs->n; i++)
		self->dirs[i] = (char *)(uintptr_t)dirs->rows[i];
	names_init(&self->names, self->dirs, dirs->n, NULL);
	tree_init(&self->tree, &self->names, true);
	self->tree.one_file_system = one_file_system;
}

/* Note that a file does not count. */
static void
leave_out(struct unlisted *self, const struct stat *file)
{
	if (!rows_grow(&self->files, &self->files_capacity, self->nfiles,
		       sizeof(*self->files)))
		self->unknown = true;
	else
		self->files[self->nfiles++] =
			(struct unlisted_file){ file->st_dev, file->st_ino };
}

void
unlisted_add_list(struct unlisted *self, int fd, const char *list)
{
	struct text name = { 0 };
	struct stat st;

	if (self->ended)
		return;
	if (fstat(fd, &st) == 0)
		leave_out(self, &st);
	for (int i = 0; i < LIST_BESIDE; i++) {
		text_cut(&name, 0);
		if (!text_add_string(&name, list) ||
		    !text_add_string(&name, list_file_ends[i]))
			self->unknown = true;
		else if (lstat(name.bytes, &st) == 0)
			leave_out(self, &st);
	}
	text_free(&name);
}

void
unlisted_add_name(struct unlisted *self, const char *name)
{
	const struct text *const path = &self->listed.path;
	struct text directory = { 0 };

	if (self->ended)
		return;
	name_set_add(&self->listed, name);
	if (self->listed.failed)
		return;
	for (size_t i = 0; i < self->names.noperands; i++) {
		if (self->any_below[i])
			continue;
		if (!name_shorten_directory(&directory, self->dirs[i]))
			self->unknown = true;
		else
			self->any_below[i] = name_is_below(
				path->bytes, directory.bytes, directory.len);
	}
	text_free(&directory);
	if (!self->example)
		self->example = strdup(name);
}

bool
unlisted_fails(struct unlisted *self, struct job *job)
{
	size_t *const n = &self->names.noperands;

	for (; !self->ended && self->looked_at < *n; self->looked_at++) {
		char **const dir = &self->dirs[self->looked_at];
		const int fd = descriptor_open(*dir, O_DIRECTORY);

		if (fd >= 0) {
			close(fd);
			continue;
		}
		*job = (struct job){ .name = *dir };
		names_remark(job, (struct note){ .kind = NOTE_UNLISTED_ERROR,
						 .error = errno });
		--*n;
		memmove(dir, dir + 1, (*n - self->looked_at) * sizeof(*dir));
		self->ended = *n == 0;
		return true;
	}
	return false;
}

/* Return true for a list, the file of standard output, and a file that is gone. */
static bool
does_not_count(const struct unlisted *self, const struct job *job)
{
	const struct job_filter *output = job->filter;
	struct stat st;

	if (fstatat(job->root->fd, job->name + job->root->prefix_bytes, &st,
		    AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT;
	if (output->has_output && output->device == st.st_dev &&
	    output->inode == st.st_ino)
		return true;
	for (size_t i = 0; i < self->nfiles; i++)
		if (self->files[i].device == st.st_dev &&
		    self->files[i].inode == st.st_ino)
			return true;
	return false;
}

/* Return true if a file that the walk has found is to be reported; the job then has
 * its note. */
static bool
take_file(struct unlisted *self, struct job *job)
{
	const size_t number = self->names.next_operand;

	if (self->unnamed == number || name_set_has(&self->listed, job->name) ||
	    (!self->listed.failed && does_not_count(self, job)))
		return false;
	if (self->listed.failed) {
		tree_release(&self->tree, job);
		self->ended = true;
		names_remark(job,
			     (struct note){ .kind = NOTE_UNLISTED_UNKNOWN });
	} else if (!self->any_below[number - 1] && self->example) {
		self->unnamed = number;
		names_remark(job, (struct note){ .kind = NOTE_UNLISTED_UNNAMED,
						 .number = number });
	} else if (self->missing->n > 0) {
		*note_of(job) = (struct note){ .kind = NOTE_UNLISTED_FILE };
	} else {
		names_remark(job, (struct note){ .kind = NOTE_UNLISTED_FILE });
	}
	return true;
}

enum source_result
unlisted_next(struct unlisted *self, struct job *job, bool is_oldest)
{
	enum source_result result;

	if (self->ended)
		return SOURCE_END;
	if (self->unknown || self->listed.failed) {
		self->ended = true;
		return names_remark(
			job, (struct note){ .kind = NOTE_UNLISTED_UNKNOWN });
	}
	/* Only then is it known which names are missing. */
	if (!self->begun && !is_oldest)
		return SOURCE_LATER;
	self->begun = true;
	while ((result = tree_next(&self->tree, job, is_oldest)) ==
	       SOURCE_JOB) {
		if (job->kind == JOB_REMARK)
			return SOURCE_JOB;
		/* Only a name that was a directory before has no root. */
		if (!job->root)
			return names_remark(
				job, (struct note){ .kind = NOTE_UNLISTED_ERROR,
						    .error = ENOTDIR });
		if (take_file(self, job))
			return SOURCE_JOB;
		tree_release(&self->tree, job);
		*job = (struct job){ .name = NULL };
	}
	if (result != SOURCE_END)
		return result;
	self->ended = true;
	return names_remark(job, (struct note){ .kind = NOTE_UNLISTED_END });
}

void
unlisted_close(struct unlisted *self)
{
	tree_close(&self->tree);
	names_close(&self->names);
	name_set_free(&self->listed);
	free(self->files);
	free(self->example);
}
