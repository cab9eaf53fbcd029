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

static bool
find_bytes(const struct survey *self, const char *name, uint64_t *bytes)
{
	struct stat st;
	bool found;
	int fd;

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

static void
give_up(struct survey *self)
{
	forecast_set(&self->forecast.files, 0);
	forecast_set(&self->forecast.unsized, 1);
}

/* Go through all names, from the first one. */
static void
begin(struct survey *self)
{
	names_init(&self->names, self->options->operands,
		   self->options->noperands, self->options->files0_from);
	self->parser =
		(struct checklist_parser){ .raw = self->options->check_zero };
}

static void
end(struct survey *self)
{
	if (self->reading)
		records_close(&self->records);
	self->reading = false;
	names_release(&self->job);
	names_close(&self->names);
}

/* The next operand or name of --files0-from is in self->job, or a remark. */
static bool
next_input(struct survey *self)
{
	names_release(&self->job);
	self->job = (struct job){ .kind = JOB_REMARK };
	return names_next(&self->names, &self->job, true) == SOURCE_JOB;
}

/* A list that cannot be opened has no files.  False: it can be read only once.
 */
static bool
open_list(struct survey *self)
{
	if (records_would_wait(self->job.name))
		return false;
	self->reading = records_open(&self->records, self->job.name,
				     self->options->check_zero ? '\0' : '\n');
	return true;
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
			       entry.name :
			       NULL;
	records_close(&self->records);
	self->reading = false;
	return NULL;
}

enum step { STEP_NAME, STEP_NOTHING, STEP_END, STEP_UNKNOWN };

/* One step on, perhaps to the next name. */
static enum step
step(struct survey *self, const char **name)
{
	if (self->reading)
		return (*name = read_line(self)) ? STEP_NAME : STEP_NOTHING;
	if (!next_input(self))
		return STEP_END;
	if (self->job.kind == JOB_REMARK)
		return self->job.note.kind == NOTE_NAMES_EMPTY_NAME ?
			       STEP_NOTHING :
			       STEP_UNKNOWN;
	if (self->check)
		return open_list(self) ? STEP_NOTHING : STEP_UNKNOWN;
	*name = self->job.name;
	return STEP_NAME;
}

static void
take_name(struct survey *self, const char *name)
{
	struct forecast *forecast = &self->forecast;
	uint64_t bytes;

	if (!self->sizing) {
		self->counted++;
		return;
	}
	if (!find_bytes(self, name, &bytes))
		forecast_set(&forecast->unsized, 1);
	self->bytes += bytes;
	forecast_set(&forecast->kib, (size_t)(self->bytes >> 10));
	forecast_set(&forecast->sized, forecast->sized + 1);
}

static bool
look(struct forecast *forecast, uint64_t until_ns)
{
	struct survey *self = (struct survey *)forecast;
	const char *name;

	do {
		switch (step(self, &name)) {
		case STEP_NAME: take_name(self, name); break;
		case STEP_NOTHING: break;
		case STEP_UNKNOWN: give_up(self); return false;
		case STEP_END:
			end(self);
			if (self->sizing || self->counted == 0)
				return false;
			forecast_set(&forecast->files, self->counted);
			self->sizing = true;
			begin(self);
			break;
		}
		if (forecast->unsized)
			return false;
	} while (clock_ns() < until_ns);
	return true;
}

static bool
look_at_nothing(struct forecast *forecast, uint64_t until_ns)
{
	(void)forecast;
	(void)until_ns;
	return false;
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
	if (options->recursive || options->update ||
	    (list && records_would_wait(list))) {
		self->forecast.look = look_at_nothing;
		return;
	}
	self->stdin_sized = find_stdin_bytes(&self->stdin_bytes);
	begin(self);
	if (check || list)
		return;
	self->sizing = true;
	self->forecast.files = self->names.noperands;
}

void
survey_close(struct survey *self)
{
	end(self);
}
