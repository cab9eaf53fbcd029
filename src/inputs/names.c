/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/names.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/quote.h"
#include "src/output/report.h"

static char *const just_stdin[] = { (char *)"-" };

void
names_init(struct names *names, char **operands, size_t noperands,
	   const char *list)
{
	*names = (struct names){ .operands = operands,
				 .noperands = noperands,
				 .list = list,
				 .records = { .fd = -1 } };
	if (!list && noperands == 0) {
		names->operands = (char **)just_stdin;
		names->noperands = 1;
	}
}

static void
fill_input(struct job *job, char *name)
{
	job->kind = strcmp(name, "-") == 0 ? JOB_STDIN : JOB_FILE;
	*note_of(job) = (struct note){ .kind = NOTE_NONE };
	job->name = name;
}

enum source_result
names_remark(struct job *job, struct note note)
{
	job->kind = JOB_REMARK;
	job->filter = NULL;
	*note_of(job) = note;
	return SOURCE_JOB;
}

bool
names_copy(struct job *job, const char *name)
{
	const size_t size = strlen(name) + 1;

	job->name = malloc(size);
	if (!job->name) {
		names_remark(job,
			     (struct note){ .kind = NOTE_NAMES_NO_MEMORY });
		return false;
	}
	memcpy(job->name, name, size);
	job->held_bytes = size;
	return true;
}

/* Make a job of the name that was read from the list. */
static enum source_result
give_name(struct names *names, struct job *job, bool is_oldest)
{
	const bool copied = names_copy(job, names->name);

	if (!copied && !is_oldest)
		return SOURCE_LATER;
	names->name = NULL;
	if (copied)
		fill_input(job, job->name);
	return SOURCE_JOB;
}

static enum source_result
list_name(struct names *names, struct job *job, const char *name,
	  bool is_oldest)
{
	names->number++;
	if (!*name)
		return names_remark(
			job, (struct note){ .kind = NOTE_NAMES_EMPTY_NAME,
					    .number = names->number });
	if (strcmp(name, "-") == 0 && strcmp(names->list, "-") == 0)
		return names_remark(
			job,
			(struct note){ .kind = NOTE_NAMES_STDIN_IN_STDIN });

	names->name = name;
	return give_name(names, job, is_oldest);
}

/* Report that the list cannot be opened or read. */
static enum source_result
fail(struct names *names, struct job *job, enum note_kind kind, int error,
     bool is_oldest)
{
	if (source_error_may_pass(error) && !is_oldest)
		return SOURCE_LATER;
	names->ended = true;
	return names_remark(job, (struct note){ .kind = kind, .error = error });
}

static enum source_result
next_from_list(struct names *names, struct job *job, bool is_oldest)
{
	char *name;
	size_t len;

	names->waits = false;
	if (names->ended)
		return SOURCE_END;
	if (names->name)
		return give_name(names, job, is_oldest);
	if (!names->list_open) {
		if (!is_oldest && records_would_wait(names->list))
			return SOURCE_LATER;
		if (!records_open(&names->records, names->list, '\0'))
			return fail(names, job, NOTE_NAMES_UNOPENED, errno,
				    is_oldest);
		names->list_open = true;
	}
	switch (records_next(&names->records, &name, &len)) {
	case RECORDS_ONE: return list_name(names, job, name, is_oldest);
	case RECORDS_LATER: names->waits = true; return SOURCE_LATER;
	case RECORDS_FAILED:
		return fail(names, job, NOTE_NAMES_UNREAD, errno, is_oldest);
	case RECORDS_END: break;
	}
	names->ended = true;
	return SOURCE_END;
}

enum source_result
names_next(struct names *names, struct job *job, bool is_oldest)
{
	if (names->list)
		return next_from_list(names, job, is_oldest);
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

/* The texts are the same as in wc, du and sort, which have this option. */
void
names_report(const struct names *names, const struct job *job)
{
	struct text quoted = { 0 };
	const char *list = names->list;
	const enum note_kind kind = note_of(job)->kind;
	const struct note note = *note_of(job);

	switch (kind) {
	case NOTE_NAMES_UNOPENED:
		report_errno(note.error, "cannot open %s for reading",
			     quote_name_always(&quoted, list));
		break;
	case NOTE_NAMES_UNREAD:
		report_errno(note.error, "%s: read error",
			     quote_name(&quoted, list));
		break;
	case NOTE_NAMES_EMPTY_NAME:
		report_error("%s:%ju: invalid zero-length file name",
			     quote_name(&quoted, list), note.number);
		break;
	case NOTE_NAMES_STDIN_IN_STDIN:
		report_error("when reading file names from stdin, "
			     "no file name of %s allowed",
			     quote_name_always(&quoted, "-"));
		break;
	case NOTE_NAMES_NO_MEMORY: report_error("memory exhausted"); break;
	default: assert(false); /* a note of another module */
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
