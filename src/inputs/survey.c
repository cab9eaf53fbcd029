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
#include "src/inputs/listed.h"

/* The size of an open block device; false: it is none. */
static bool
device_bytes(int fd, uint64_t *bytes)
{
	return ioctl(fd, BLKGETSIZE64, bytes) == 0;
}

/* How much there is to read of standard input; false: nobody knows. */
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

/* The size of a file that a walk has found; it may be gone by now. */
static uint64_t
find_bytes_below(const struct job_root *root, const char *name)
{
	struct stat st;

	return fstatat(root->fd, name + root->prefix_bytes, &st,
		       AT_SYMLINK_NOFOLLOW) == 0 ?
		       (uint64_t)st.st_size :
		       0;
}

/* False: the size of the file cannot be known in advance. */
static bool
find_bytes(const struct survey *self, const char *name, uint64_t *bytes)
{
	struct stat st;
	bool found;
	int fd;

	if (self->job.root) {
		*bytes = find_bytes_below(self->job.root, name);
		return true;
	}
	*bytes = 0;
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

/* The name in the next line of the list, if it has one. */
static const char *
read_line(struct survey *self)
{
	struct checklist_entry entry;
	char *text;
	size_t len;

	if (records_next(&self->records, &text, &len) == RECORDS_ONE)
		return checklist_parse(&self->parser, text, len, &entry) ==
				       CHECKLIST_ENTRY ?
			       names_in_list(&self->place, self->folder,
					     entry.name) :
			       NULL;
	records_close(&self->records);
	self->reading = false;
	return NULL;
}

/* Count the file, and its size as long as that of all files is known. */
static void
take_name(struct survey *self, const char *name)
{
	uint64_t bytes;

	if (!listed_is_in_part(&self->options->part, &self->path, name))
		return;
	self->counted++;
	if (self->unsized)
		return;
	self->unsized = !find_bytes(self, name, &bytes);
	self->bytes += bytes;
}

/* Does the remark stand for nothing that could be hashed? */
static bool
has_no_file(const struct note *note)
{
	return note->kind == NOTE_NAMES_EMPTY_NAME ||
	       note->kind == NOTE_TREE_UNREAD || note_of_skipped(note);
}

/* Go on with the next operand, name of --files0-from or file of a tree.  False:
 * it was the last one, or no more can be known. */
static bool
look_further(struct survey *self)
{
	struct job *const job = &self->job;

	tree_release(&self->tree, job);
	*job = (struct job){ .kind = JOB_REMARK };
	if (tree_next(&self->tree, job, true) != SOURCE_JOB) {
		forecast_set(&self->forecast.files, self->counted);
		if (!self->unsized)
			forecast_set(&self->forecast.kib,
				     (size_t)(self->bytes >> 10));
		return false;
	}
	if (job->kind == JOB_REMARK && has_no_file(&job->note))
		return true;
	if (job->kind != JOB_REMARK && !self->check) {
		take_name(self, job->name);
		return true;
	}
	/* What can be read only once is left to the work. */
	if (job->kind == JOB_REMARK || records_would_wait(job->name))
		return false;
	/* A list that cannot be opened has no files. */
	self->reading = names_enter_list(&self->place, job->name,
					 self->options->relative_to_list) &&
			records_open(&self->records, job->name,
				     self->options->check_zero ? '\0' : '\n');
	self->folder = self->place.len;
	return true;
}

static bool
look(struct forecast *forecast, uint64_t until_ns)
{
	struct survey *self = (struct survey *)forecast;
	const char *name;

	if (self->unknowable)
		return false;
	do {
		if (self->reading) {
			name = read_line(self);
			if (name)
				take_name(self, name);
		} else if (!look_further(self)) {
			return false;
		}
	} while (clock_ns() < until_ns);
	return true;
}

/* May one of the names be "-"? */
static bool
may_read_stdin(const struct input_options *options, bool check)
{
	bool may = check || options->files0_from || options->noperands == 0;

	for (size_t i = 0; i < options->noperands && !may; i++)
		may = strcmp(options->operands[i], "-") == 0;
	return may;
}

void
survey_init(struct survey *self, const struct input_options *options,
	    bool check)
{
	const char *const list = options->files0_from;

	*self = (struct survey){ .forecast.look = look,
				 .options = options,
				 .check = check,
				 .records = { .fd = -1 } };
	/* How many are left to be hashed is not known with --update. */
	self->unknowable = options->update ||
			   (list && records_would_wait(list));
	if (self->unknowable)
		return;
	/* Before anything is read of it. */
	if (may_read_stdin(options, check))
		self->stdin_sized = find_stdin_bytes(&self->stdin_bytes);
	names_init(&self->names, options->operands, options->noperands, list);
	tree_init(&self->tree, &self->names, options->recursive);
	self->tree.one_file_system = options->one_file_system;
	/* The work is the first to use more threads. */
	self->tree.no_walkers = true;
	self->parser.raw = options->check_zero;
	if (!check && !list && !options->recursive && options->part.count == 0)
		self->forecast.files = self->names.noperands;
}

void
survey_close(struct survey *self)
{
	if (self->reading)
		records_close(&self->records);
	tree_release(&self->tree, &self->job);
	tree_close(&self->tree);
	text_free(&self->path);
	text_free(&self->place);
	names_close(&self->names);
}
