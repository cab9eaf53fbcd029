/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/survey.h"

#include <errno.h>

#include "src/inputs/note.h"

/* A list with a longer line is left to the work. */
enum { LONGEST_RECORD = 1 << 20 };

/* Whatever has to be known to begin. */
static void
begin(struct survey *self)
{
	const char *const list = self->options->files0_from;

	self->begun = true;
	self->forecast.unknown = self->options->recursive ||
				 (list && records_would_wait(list));
}

/* The next operand or name of --files0-from: into self->job, or a remark. */
static bool
next_name(struct survey *self)
{
	names_release(&self->job);
	self->job = (struct job){ .kind = JOB_REMARK };
	return names_next(&self->names, &self->job, true) == SOURCE_JOB;
}

/* Open the list that self->job names, unless it cannot be opened. */
static void
open_list(struct survey *self)
{
	if (records_would_wait(self->job.name)) {
		self->forecast.unknown = true;
		return;
	}
	self->reading = records_open(&self->records, self->job.name,
				     self->options->check_zero ? '\0' : '\n');
}

/* The name in the next line of the list, if it has one. */
static void
read_line(struct survey *self, const char **name)
{
	struct checklist_entry entry;
	char *line;
	size_t len;

	switch (records_next(&self->records, &line, &len)) {
	case RECORDS_ONE:
		if (checklist_parse(&self->parser, line, len, &entry) ==
		    CHECKLIST_ENTRY)
			*name = entry.name;
		return;
	case RECORDS_FAILED: self->forecast.unknown = errno == EFBIG; break;
	case RECORDS_LATER: self->forecast.unknown = true; break;
	case RECORDS_END: break;
	}
	records_close(&self->records);
	self->reading = false;
}

static bool
survey_next(struct forecast *forecast, const char **name)
{
	struct survey *self = (struct survey *)forecast;

	*name = NULL;
	if (!self->begun)
		begin(self);
	if (forecast->unknown)
		return false;
	if (self->reading) {
		read_line(self, name);
		return true;
	}
	if (!next_name(self))
		return false;
	if (self->job.kind == JOB_REMARK)
		forecast->unknown = note_kind(&self->job) !=
				    NOTE_NAMES_EMPTY_NAME;
	else if (self->check)
		open_list(self);
	else
		*name = self->job.name;
	return true;
}

void
survey_init(struct survey *self, const struct input_options *options,
	    bool check)
{
	*self = (struct survey){ .forecast.next = survey_next,
				 .options = options,
				 .check = check,
				 .parser.raw = options->check_zero,
				 .records = { .fd = -1,
					      .most = LONGEST_RECORD } };
	names_init(&self->names, options->operands, options->noperands,
		   options->files0_from);
	self->names.records.most = LONGEST_RECORD;
}

void
survey_close(struct survey *self)
{
	if (self->reading)
		records_close(&self->records);
	names_release(&self->job);
	names_close(&self->names);
}
