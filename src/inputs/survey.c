/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/survey.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"

/* Get the size of an open block device.  Return false for other files. */
static bool
device_bytes(int fd, uint64_t *bytes)
{
	return ioctl(fd, BLKGETSIZE64, bytes) == 0;
}

/* Get the bytes left on standard input.  Return false if they are unknown. */
static bool
find_stdin_bytes(uint64_t *bytes)
{
	const int fd = descriptor_standard(STDIN_FILENO);
	const off_t at = lseek(fd, 0, SEEK_CUR);
	struct stat st;

	*bytes = 0;
	if (at < 0 || fstat(fd, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode))
		*bytes = (uint64_t)st.st_size;
	else if (!device_bytes(fd, bytes))
		return false;
	*bytes -= *bytes < (uint64_t)at ? *bytes : (uint64_t)at;
	return true;
}

/* Get the size of the file.  Return false if it cannot be known in advance. */
static bool
find_bytes(const struct survey *self, const struct job *job, uint64_t *bytes)
{
	const char *const name = job->name;
	struct stat st;
	bool found;
	int fd;

	*bytes = 0;
	if (job->root) {
		/* The walk has found it; it may be gone by now. */
		if (fstatat(job->root->fd, name + job->root->prefix_bytes, &st,
			    AT_SYMLINK_NOFOLLOW) == 0)
			*bytes = (uint64_t)st.st_size;
		return true;
	}
	if (strcmp(name, "-") == 0) {
		*bytes = self->stdin_bytes;
		return self->stdin_sized;
	}
	/* Nothing is going to be hashed of these. */
	if (stat(name, &st) != 0 || S_ISDIR(st.st_mode))
		return true;
	if (S_ISREG(st.st_mode)) {
		*bytes = (uint64_t)st.st_size;
		return true;
	}
	/* Others would notice that anything else is opened. */
	if (!S_ISBLK(st.st_mode) || (fd = descriptor_open(name, 0)) < 0)
		return false;
	found = device_bytes(fd, bytes);
	close(fd);
	return found;
}

static bool
count(struct forecast *forecast, uint64_t until_ns)
{
	struct survey *self = (struct survey *)forecast;
	struct source *const source = &self->jobs.source;
	struct tree *const tree = self->check ?
					  &self->jobs.lists.unlisted.tree :
					  &self->jobs.hash.tree;

	if (!self->counts)
		return false;
	do {
		struct job job = { .name = NULL };
		uint64_t bytes = 0;

		/* What can be read only once is opened for the oldest job, and
		 * none is that here: it is left to the work. */
		switch (source->next(source, &job, false)) {
		case SOURCE_JOB:
			if (job.kind != JOB_REMARK)
				self->counted++;
			if (job.kind != JOB_REMARK && !self->unsized)
				self->unsized = !find_bytes(self, &job, &bytes);
			self->bytes += bytes;
			tree_release(tree, &job);
			break;
		case SOURCE_LATER: return false;
		case SOURCE_END:
			forecast_set(&forecast->files, self->counted);
			if (!self->unsized)
				forecast_set(&forecast->kib,
					     (size_t)(self->bytes >> 10));
			return false;
		}
	} while (clock_ns() < until_ns);
	return true;
}

void
survey_init(struct survey *self, const struct input_options *options,
	    bool check, bool counts)
{
	const char *const list = options->files0_from;

	*self = (struct survey){ .forecast.count = count,
				 .options = *options,
				 .check = check };
	/* How many are left to be hashed is not known with --update. */
	if (!options->update && !check && !list && !options->recursive &&
	    options->part.count == 0)
		self->forecast.files =
			options->noperands > 0 ? options->noperands : 1;
	self->counts = counts && !options->update &&
		       !(list && records_would_wait(list));
	if (!self->counts)
		return;
	/* Before anything is read of it. */
	self->stdin_sized = find_stdin_bytes(&self->stdin_bytes);
	if (check) {
		self->options.unlisted.n = 0;
		check_source_init(&self->jobs.lists, &self->options);
		return;
	}
	/* The work is the first to use more threads. */
	self->options.pool = NULL;
	hash_source_init(&self->jobs.hash, &self->options);
}

void
survey_close(struct survey *self)
{
	if (!self->counts)
		return;
	if (self->check)
		check_source_close(&self->jobs.lists);
	else
		hash_source_close(&self->jobs.hash);
}
