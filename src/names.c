/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/quote.h"
#include "src/report.h"

static char *const just_stdin[] = { (char *)"-" };

void
names_init(struct names *names, char **operands, size_t noperands,
	   const char *list)
{
	*names = (struct names){
		.operands = operands,
		.noperands = noperands,
		.list = list,
		.records = { .fd = -1 }
	};
	if (!list && noperands == 0) {
		names->operands = (char **)just_stdin;
		names->noperands = 1;
	}
}

static void
fill_input(struct job *job, char *name)
{
	job->kind = strcmp(name, "-") == 0 ? JOB_STDIN : JOB_FILE;
	job->subject = NAMES_INPUT;
	job->name = name;
}

static enum source_answer
remark(struct job *job, enum names_subject subject, int errnum,
       uintmax_t place)
{
	job->kind = JOB_REMARK;
	job->subject = (int)subject;
	job->errnum = errnum;
	job->number[0] = place;
	return SOURCE_JOB;
}

void
names_exhausted(struct job *job)
{
	remark(job, NAMES_NO_MEMORY, 0, 0);
}

bool
names_is_exhausted(const struct job *job)
{
	return job->kind == JOB_REMARK && job->subject == NAMES_NO_MEMORY;
}

bool
names_copy(struct job *job, const char *name)
{
	const size_t size = strlen(name) + 1;

	job->name = malloc(size);
	if (!job->name) {
		names_exhausted(job);
		return false;
	}
	memcpy(job->name, name, size);
	job->held_bytes = size;
	return true;
}

/* Give what the list has named. */
static enum source_answer
give_name(struct names *names, struct job *job, bool alone)
{
	const bool copied = names_copy(job, names->name);

	if (!copied && !alone)
		return SOURCE_LATER;
	names->name = NULL;
	if (copied)
		fill_input(job, job->name);
	return SOURCE_JOB;
}

static enum source_answer
list_name(struct names *names, struct job *job, const char *name, bool alone)
{
	names->place++;
	if (!*name)
		return remark(job, NAMES_EMPTY_NAME, 0, names->place);
	if (strcmp(name, "-") == 0 && strcmp(names->list, "-") == 0)
		return remark(job, NAMES_STDIN_IN_STDIN, 0, names->place);

	names->name = name;
	return give_name(names, job, alone);
}

/* The list cannot be opened or read on. */
static enum source_answer
fail(struct names *names, struct job *job, enum names_subject subject,
     int error, bool alone)
{
	if (source_error_may_pass(error) && !alone)
		return SOURCE_LATER;
	names->ended = true;
	return remark(job, subject, error, 0);
}

static enum source_answer
next_from_list(struct names *names, struct job *job, bool alone)
{
	char *name;
	size_t len;

	names->waits = false;
	if (names->ended)
		return SOURCE_END;
	if (names->name)
		return give_name(names, job, alone);
	if (!names->list_open) {
		if (!alone && records_would_wait(names->list))
			return SOURCE_LATER;
		if (!records_open(&names->records, names->list, '\0'))
			return fail(names, job, NAMES_CANNOT_OPEN, errno,
				    alone);
		names->list_open = true;
	}
	switch (records_next(&names->records, &name, &len)) {
	case RECORDS_ONE:
		return list_name(names, job, name, alone);
	case RECORDS_LATER:
		names->waits = true;
		return SOURCE_LATER;
	case RECORDS_FAILED:
		return fail(names, job, NAMES_READ_ERROR, errno, alone);
	case RECORDS_END:
		break;
	}
	names->ended = true;
	return SOURCE_END;
}

enum source_answer
names_next(struct names *names, struct job *job, bool alone)
{
	if (names->list)
		return next_from_list(names, job, alone);
	if (names->next_operand == names->noperands)
		return SOURCE_END;
	fill_input(job, names->operands[names->next_operand++]);
	return SOURCE_JOB;
}

int
names_wait_fd(const struct names *names)
{
	return names->waits ? names->records.fd : -1;
}

/* The texts are those of wc, du and sort, which have the same option. */
void
names_report(const struct names *names, const struct job *job)
{
	struct text quoted = { 0 };
	const char *list = names->list;

	switch ((enum names_subject)job->subject) {
	case NAMES_CANNOT_OPEN:
		report_errno(job->errnum, "cannot open %s for reading",
			     quote_name_always(&quoted, list));
		break;
	case NAMES_READ_ERROR:
		report_errno(job->errnum, "%s: read error",
			     quote_name(&quoted, list));
		break;
	case NAMES_EMPTY_NAME:
		report_error("%s:%ju: invalid zero-length file name",
			     quote_name(&quoted, list), job->number[0]);
		break;
	case NAMES_STDIN_IN_STDIN:
		report_error("when reading file names from stdin, "
			     "no file name of %s allowed",
			     quote_name_always(&quoted, "-"));
		break;
	case NAMES_NO_MEMORY:
		report_error("memory exhausted");
		break;
	case NAMES_INPUT:
	case NAMES_SUBJECTS:
		break;
	}
	text_free(&quoted);
}

void
names_release(struct job *job)
{
	if (job->held_bytes > 0)
		free(job->name);
	job->name = NULL;
	job->held_bytes = 0;
}

void
names_close(struct names *names)
{
	if (names->list_open)
		records_close(&names->records);
	names->list_open = false;
}
