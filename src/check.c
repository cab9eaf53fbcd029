/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/check.h"

#include <errno.h>
#include <string.h>

#include "src/distrust.h"
#include "src/json_line.h"
#include "src/output.h"
#include "src/quote.h"
#include "src/report.h"

/* job->subject, beyond those of names. */
enum check_subject {
	CHECK_ENTRY = NAMES_SUBJECTS,	/* number[0] = line */
	CHECK_CANNOT_OPEN,		/* errnum; has the list's name */
	CHECK_LIST_BEGIN,		/* the same: what follows is of it */
	CHECK_MALFORMED,		/* number[0] = line */
	CHECK_READ_ERROR,
	CHECK_LIST_END			/* number = well-formed, malformed */
};

/* Parsing ----------------------------------------------------------------- */

/* A remark about the list being read. */
static enum source_answer
remark(struct job *job, enum check_subject subject, uintmax_t number)
{
	job->kind = JOB_REMARK;
	job->subject = (int)subject;
	job->number[0] = number;
	return SOURCE_JOB;
}

/* Begin with the next list: this job takes its name along. */
static enum source_answer
open_list(struct check *check, struct job *job, bool alone)
{
	enum source_answer answer;

	if (!check->list.name) {
		memset(&check->list, 0, sizeof(check->list));
		answer = names_next(&check->lists, &check->list, alone);
		check->source.wait_fd = names_wait_fd(&check->lists);
		if (answer != SOURCE_JOB)
			return answer;
		if (check->list.kind == JOB_REMARK) {
			*job = check->list;
			check->list.name = NULL;
			return SOURCE_JOB;
		}
	}
	if (!alone && records_would_wait(check->list.name))
		return SOURCE_LATER;
	check->line_number = check->well_formed = check->malformed = 0;
	check->parser.list_is_stdin = strcmp(check->list.name, "-") == 0;
	check->reading = records_open(&check->records, check->list.name,
				      check->options->check_zero ? '\0' :
								   '\n');
	if (!check->reading && source_error_may_pass(errno) && !alone)
		return SOURCE_LATER;
	check->list.errnum = errno;
	*job = check->list;
	check->list.name = NULL;
	return remark(job, check->reading ? CHECK_LIST_BEGIN :
					    CHECK_CANNOT_OPEN, 0);
}

/* End the list being read, well or with an error. */
static enum source_answer
close_list(struct check *check, struct job *job, enum check_subject subject)
{
	records_close(&check->records);
	check->reading = false;
	job->number[1] = check->malformed;
	return remark(job, subject, check->well_formed);
}

/* The entry that was parsed last. */
static enum source_answer
give_entry(struct check *check, struct job *job, bool alone)
{
	*job = check->entry;
	if (!names_copy(job, check->entry.name) && !alone)
		return SOURCE_LATER;
	check->entry.name = NULL;
	return SOURCE_JOB;
}

/* One line: true if it made a remark.  It may have made an entry. */
static bool
parse_line(struct check *check, struct job *job, char *line, size_t len)
{
	struct checklist_entry entry;

	check->line_number++;
	switch (checklist_parse(&check->parser, line, len, &entry)) {
	case CHECKLIST_IGNORED:
		return false;
	case CHECKLIST_MALFORMED:
		check->malformed++;
		if (check->options->warn)
			remark(job, CHECK_MALFORMED, check->line_number);
		return check->options->warn;
	case CHECKLIST_ENTRY:
		break;
	}
	check->well_formed++;
	check->entry = (struct job){
		.kind = strcmp(entry.name, "-") == 0 ? JOB_STDIN : JOB_FILE,
		.name = entry.name,
		.watched = check->options->detect_changes,
		.subject = CHECK_ENTRY,
		.number[0] = check->line_number
	};
	memcpy(check->entry.expected, entry.digest,
	       sizeof(check->entry.expected));
	return false;
}

static enum source_answer
check_next(struct source *source, struct job *job, bool alone)
{
	struct check *check = (struct check *)source;
	char *line;
	size_t len;

	source->wait_fd = -1;
	while (check->reading) {
		if (check->entry.name)
			return give_entry(check, job, alone);
		switch (records_next(&check->records, &line, &len)) {
		case RECORDS_ONE:
			if (parse_line(check, job, line, len))
				return SOURCE_JOB;
			break;
		case RECORDS_LATER:
			source->wait_fd = check->records.fd;
			return SOURCE_LATER;
		case RECORDS_FAILED:
			if (source_error_may_pass(errno) && !alone)
				return SOURCE_LATER;
			return close_list(check, job, CHECK_READ_ERROR);
		case RECORDS_END:
			return close_list(check, job, CHECK_LIST_END);
		}
	}
	return open_list(check, job, alone);
}

/* Emitting ---------------------------------------------------------------- */

static const char *
quote_list(struct check *check)
{
	const char *list = check->begun.name;

	return quote_name(&check->quoted,
			  strcmp(list, "-") == 0 ? "standard input" : list);
}

static void
emit_verdict(struct check *check, const struct job *job,
	     enum digest_result result)
{
	if (check->options->status ||
	    (check->options->quiet && result == DIGEST_OK))
		return;

	const struct text *line = &check->line;
	bool made;
	if (check->options->json) {
		line = &check->object.text;
		made = json_line_checked(&check->object, job, check->begun.name,
					 result);
	} else {
		text_cut(&check->line, 0);
		made = digest_line_add_result(&check->line, job->name, result);
	}
	output_add_line(line, made, job->name);
}

/* With --json: what is wrong with a list, or with a line of it. */
static void
emit_list_error(struct check *check, const char *list, uintmax_t number,
		const char *error)
{
	if (!check->options->json || check->options->status)
		return;

	const bool made = json_line_list(&check->object, list, number, error);
	output_add_line(&check->object.text, made, list);
}

static void
emit_entry(struct check *check, const struct job *job)
{
	const struct options *options = check->options;
	struct check_tally *tally = &check->tally;

	if (job->error) {
		if (options->ignore_missing && !job->opened &&
		    job->error == ENOENT)
			return;
		report_file_error(job->name, job->error);
		tally->unreadable++;
		emit_verdict(check, job, DIGEST_UNREADABLE);
	} else if (!distrust_report(job)) {
		tally->unreadable++;
		emit_verdict(check, job, DIGEST_UNREADABLE);
	} else if (memcmp(job->digest, job->expected, sizeof(job->digest))) {
		tally->mismatches++;
		emit_verdict(check, job, DIGEST_FAILED);
	} else {
		tally->matched = true;
		emit_verdict(check, job, DIGEST_OK);
	}
}

static void
emit_count(uintmax_t count, const char *one, const char *many)
{
	if (count == 1)
		report_warning("WARNING: 1 %s", one);
	else if (count > 1)
		report_warning("WARNING: %ju %s", count, many);
}

static void
emit_summary(struct check *check, const struct job *job)
{
	const struct options *options = check->options;
	const struct check_tally *tally = &check->tally;
	uintmax_t well_formed = job->number[0], malformed = job->number[1];
	const char *list = check->begun.name;

	if (well_formed == 0) {
		report_error("%s: no properly formatted checksum lines found",
			     quote_list(check));
		emit_list_error(check, list, 0, "no properly formatted "
						"checksum lines found");
	} else if (!options->status) {
		emit_count(malformed, "line is improperly formatted",
			   "lines are improperly formatted");
		emit_count(tally->unreadable,
			   "listed file could not be read",
			   "listed files could not be read");
		emit_count(tally->mismatches,
			   "computed checksum did NOT match",
			   "computed checksums did NOT match");
		if (options->ignore_missing && !tally->matched) {
			report_error("%s: no file was verified",
				     quote_list(check));
			emit_list_error(check, list, 0,
					"no file was verified");
		}
	}
	if (!tally->matched || tally->mismatches > 0 ||
	    tally->unreadable > 0 || (options->strict && malformed > 0))
		report_fail();
}

/* What follows is of this list. */
static void
begin_list(struct check *check, struct job *job)
{
	check->tally = (struct check_tally){ 0 };
	check->read_stdin |= strcmp(job->name, "-") == 0;
	names_release(&check->begun);
	check->begun = *job;
	job->name = NULL;
	job->held_bytes = 0;
}

static void
check_emit(struct source *source, struct job *job)
{
	struct check *check = (struct check *)source;

	check->read_stdin |= job->kind == JOB_STDIN;
	switch (job->subject) {
	case CHECK_ENTRY:
		emit_entry(check, job);
		break;
	case CHECK_CANNOT_OPEN:
		report_file_error(job->name, job->errnum);
		emit_list_error(check, job->name, 0,
				json_line_reason(job->errnum));
		break;
	case CHECK_LIST_BEGIN:
		begin_list(check, job);
		break;
	case CHECK_MALFORMED:
		report_warning("%s: %ju: improperly formatted SHA256 "
			       "checksum line",
			       quote_list(check), job->number[0]);
		emit_list_error(check, check->begun.name, job->number[0],
				"improperly formatted SHA256 checksum line");
		break;
	case CHECK_READ_ERROR:
		report_error("%s: read error", quote_list(check));
		emit_list_error(check, check->begun.name, 0, "read error");
		break;
	case CHECK_LIST_END:
		emit_summary(check, job);
		break;
	default:
		names_report(&check->lists, job);
	}
	names_release(job);
}

static void
check_flush(struct source *source)
{
	(void)source;
	output_flush();
}

void
check_init(struct check *check, const struct options *options)
{
	memset(check, 0, sizeof(*check));
	check->source = (struct source){
		.next = check_next,
		.emit = check_emit,
		.flush = check_flush,
		.wait_fd = -1
	};
	check->options = options;
	check->parser.raw = options->check_zero;
	check->records.fd = -1;
	names_init(&check->lists, options->operands, options->noperands,
		   options->files0_from);
}

void
check_close(struct check *check)
{
	if (check->reading)
		records_close(&check->records);
	names_release(&check->list);
	names_release(&check->begun);
	names_close(&check->lists);
	text_free(&check->line);
	text_free(&check->quoted);
	json_free(&check->object);
}
