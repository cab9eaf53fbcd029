/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/check_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/quote.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/stats.h"

/* Parsing ----------------------------------------------------------------- */

/* Begin to read a list.  0, or an errno value. */
static int
begin_reading(struct check_source *self, const char *list)
{
	/* Names start in the directory of the list, or in the working one. */
	const char *const slash =
		self->options->relative_to_list ? strrchr(list, '/') : NULL;

	text_cut(&self->full_name, 0);
	if (!text_add(&self->full_name, list,
		      slash ? (size_t)(slash + 1 - list) : 0))
		return ENOMEM;
	self->folder = self->full_name.len;
	self->line_number = 0;
	self->lines = (struct note_lines){ 0 };
	self->parser.list_is_stdin = strcmp(list, "-") == 0;
	self->reading = records_open(&self->records, list,
				     self->options->check_zero ? '\0' : '\n');
	return self->reading ? 0 : errno;
}

/* Open the next list; *job becomes a remark that has its name. */
static enum source_result
open_list(struct check_source *self, struct job *job, bool is_oldest)
{
	enum source_result answer;
	int error;

	if (!self->list.name) {
		memset(&self->list, 0, sizeof(self->list));
		answer = names_next(&self->lists, &self->list, is_oldest);
		self->source.wait_fd = names_wait_fd(&self->lists);
		if (answer == SOURCE_END) {
			answer = unlisted_next(&self->unlisted, job, is_oldest);
			self->source.wait_fd =
				tree_wait_fd(&self->unlisted.tree);
			return answer;
		}
		if (answer != SOURCE_JOB)
			return answer;
		if (self->list.kind == JOB_REMARK) {
			self->unlisted.unknown = true;
			*job = self->list;
			self->list.name = NULL;
			return SOURCE_JOB;
		}
	}
	if (!is_oldest && records_would_wait(self->list.name))
		return SOURCE_LATER;
	error = begin_reading(self, self->list.name);
	if (error && source_error_may_pass(error) && !is_oldest)
		return SOURCE_LATER;
	*job = self->list;
	self->list.name = NULL;
	if (!error) {
		unlisted_add_list(&self->unlisted, self->records.fd, job->name);
		return names_remark(job,
				    (struct note){ .kind = NOTE_CHECK_BEGIN });
	}
	self->unlisted.unknown = true;
	return names_remark(job, (struct note){ .kind = NOTE_CHECK_UNOPENED,
						.error = error });
}

/* End the list being read. */
static enum source_result
close_list(struct check_source *self, struct job *job, struct note note)
{
	records_close(&self->records);
	self->reading = false;
	return names_remark(job, note);
}

/* Return the name to open for a name of the list, which starts in the list's
 * directory with --relative-to-list, or NULL if memory is short. */
static const char *
find_name(struct check_source *self, const char *name)
{
	if (self->folder == 0 || *name == '/' || strcmp(name, "-") == 0)
		return name;
	text_cut(&self->full_name, self->folder);
	return text_add_string(&self->full_name, name) ? self->full_name.bytes :
							 NULL;
}

/* Return false if the name is none of --only.  Note that it was found. */
static bool
is_selected(struct check_source *self, const char *name,
	    const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct list_row *row;

	if (self->only.n == 0)
		return true;
	row = list_rows_find(&self->only, name);
	if (!row)
		return self->only.failed;
	/* Two digests contradict each other. */
	row->is_told |= row->is_found && !list_row_has(row, digest);
	row->is_found = true;
	memcpy(row->digest, digest, sizeof(row->digest));
	return true;
}

/* Parse one line.  Return true if *job became a remark; an entry goes to
 * self->entry. */
static bool
parse_line(struct check_source *self, struct job *job, char *line, size_t len)
{
	const struct input_options *options = self->options;
	struct note note = { .kind = NOTE_CHECK_ENTRY };
	struct checklist_entry entry;
	const char *name;
	bool has_zeros;

	if (self->line_number++ == 0)
		line = checklist_skip_mark(line, &len);
	has_zeros = !options->check_zero && checklist_has_zeros(line, len);
	switch (checklist_parse(&self->parser, line, len, &entry)) {
	case CHECKLIST_IGNORED: return false;
	case CHECKLIST_MALFORMED:
		self->lines.malformed++;
		/* With --json also if the line changes the exit status. */
		if (options->verbosity != INPUT_WARN &&
		    !(options->json && options->strict))
			return false;
		names_remark(job, (struct note){ .kind = NOTE_CHECK_MALFORMED,
						 .line = self->line_number });
		return true;
	case CHECKLIST_ENTRY: break;
	}
	self->lines.well_formed++;
	self->lines.has_zeros |= has_zeros;
	name = find_name(self, entry.name);
	if (!name) {
		self->unlisted.unknown = true;
		names_remark(job,
			     (struct note){ .kind = NOTE_NAMES_NO_MEMORY });
		return true;
	}
	if (strcmp(name, "-") != 0)
		unlisted_add_name(&self->unlisted, name);
	if (!is_selected(self, name, entry.digest) ||
	    !name_is_in_part(&options->part, &self->path, name)) {
		self->lines.elsewhere++;
		return false;
	}
	self->entry = (struct job){ .kind = strcmp(name, "-") == 0 ? JOB_STDIN :
								     JOB_FILE,
				    .name = (char *)(uintptr_t)name,
				    .watched = options->detect_changes };
	note.entry.line = self->line_number;
	memcpy(note.entry.expected, entry.digest, sizeof(entry.digest));
	*note_of(&self->entry) = note;
	return false;
}

static enum source_result
next_job(struct check_source *self, struct job *job, bool is_oldest)
{
	struct source *const source = &self->source;
	char *line;
	size_t len;

	source->wait_fd = -1;
	if (unlisted_fails(&self->unlisted, job))
		return SOURCE_JOB;
	while (self->reading) {
		if (self->entry.name) {
			*job = self->entry;
			if (!names_copy(job, self->entry.name) && !is_oldest)
				return SOURCE_LATER;
			self->entry.name = NULL;
			return SOURCE_JOB;
		}
		switch (records_next(&self->records, &line, &len)) {
		case RECORDS_ONE:
			if (parse_line(self, job, line, len))
				return SOURCE_JOB;
			break;
		case RECORDS_LATER:
			source->wait_fd = self->records.fd;
			return SOURCE_LATER;
		case RECORDS_FAILED:
			if (source_error_may_pass(errno) && !is_oldest)
				return SOURCE_LATER;
			self->unlisted.unknown = true;
			return close_list(
				self, job,
				(struct note){ .kind = NOTE_CHECK_UNREAD,
					       .error = errno });
		case RECORDS_END:
			return close_list(self, job,
					  (struct note){ .kind = NOTE_CHECK_END,
							 .lines =
								 self->lines });
		}
	}
	return open_list(self, job, is_oldest);
}

static enum source_result
check_source_next(struct source *source, struct job *job, bool is_oldest)
{
	struct check_source *self = (struct check_source *)source;
	const enum source_result answer = next_job(self, job, is_oldest);

	if (answer == SOURCE_JOB)
		hard_links_prepare(&self->links, job);
	return answer;
}

/* Emitting ---------------------------------------------------------------- */

/* Return the current list's name in messages. */
static const char *
list_name(const struct check_source *self)
{
	const char *list = self->begun.name;

	return strcmp(list, "-") == 0 ? "standard input" : list;
}

/* Report that the list is not checked, or not as a whole. */
static void
fail_list(struct check_source *self, const char *error)
{
	report_file_problem(list_name(self), "%s", error);
	results_list_failed(&self->results, self->begun.name, 0, error);
}

static void
emit_verdict(struct check_source *self, const struct job *job,
	     const struct note *note, enum digest_result result)
{
	const bool asks = self->options->why && result == DIGEST_FAILED;
	const struct list_cause cause =
		asks ? list_causes_find(&self->causes, self->begun.name,
					job->name, job->digest) :
		       (struct list_cause){ .word = NULL };
	const struct result_entry entry = { self->begun.name, note->entry.line,
					    note->entry.expected, cause.word,
					    cause.from };

	if (self->options->verbosity == INPUT_USUAL ||
	    self->options->verbosity == INPUT_WARN ||
	    (self->options->verbosity == INPUT_QUIET && result != DIGEST_OK))
		results_checked(&self->results, job, &entry, result);
	if (asks && self->options->verbosity != INPUT_STATUS)
		report_file_note(job->name, "%s", cause.sentence);
}

/* Report an entry without a digest. */
static void
emit_unreadable(struct check_source *self, const struct job *job,
		const struct note *note)
{
	self->tally.unreadable++;
	if (job->error == ENOENT && !job->opened) {
		self->tally.missing++;
		if (self->options->unlisted.n > 0)
			list_rows_add(&self->missing, job->name,
				      note->entry.expected);
	}
	emit_verdict(self, job, note, DIGEST_UNREADABLE);
}

static void
emit_entry(struct check_source *self, const struct job *job)
{
	const struct input_options *options = self->options;
	const struct note note = *note_of(job);
	struct check_tally *tally = &self->tally;

	if (job->error) {
		if (options->ignore_missing && !job->opened &&
		    job->error == ENOENT) {
			tally->ignored++;
			return;
		}
		report_file_error(job->name, job->error);
		emit_unreadable(self, job, &note);
	} else if (!results_judge(job)) {
		emit_unreadable(self, job, &note);
	} else if (memcmp(job->digest, note.entry.expected,
			  sizeof(job->digest)) != 0) {
		tally->mismatches++;
		emit_verdict(self, job, &note, DIGEST_FAILED);
	} else {
		tally->matches++;
		emit_verdict(self, job, &note, DIGEST_OK);
	}
}

static void
emit_count(uintmax_t count, const char *one, const char *many)
{
	if (count == 1)
		report_warning("WARNING: 1 %s", one);
	else if (count)
		report_warning("WARNING: %ju %s", count, many);
}

static void
emit_summary(struct check_source *self, const struct job *job)
{
	const struct input_options *options = self->options;
	const struct check_tally *const before = &self->before;
	struct check_tally *const tally = &self->tally;
	const struct note note = *note_of(job);
	const uintmax_t matches = tally->matches - before->matches;
	const uintmax_t mismatches = tally->mismatches - before->mismatches;
	const uintmax_t unreadable = tally->unreadable - before->unreadable;
	/* Other parts may have all of the list. */
	const bool nothing_here = note.lines.elsewhere > 0 &&
				  note.lines.elsewhere ==
					  note.lines.well_formed;

	tally->malformed += note.lines.malformed;
	if (note.lines.has_zeros)
		fail_list(self, "its lines end with NUL; check it with "
				"--check-zero");
	if (note.lines.well_formed == 0) {
		fail_list(self, "no properly formatted checksum lines found");
	} else if (options->verbosity != INPUT_STATUS) {
		emit_count(note.lines.malformed, "line is improperly formatted",
			   "lines are improperly formatted");
		emit_count(unreadable, "listed file could not be read",
			   "listed files could not be read");
		emit_count(mismatches, "computed checksum did NOT match",
			   "computed checksums did NOT match");
		if (options->ignore_missing && matches == 0 && !nothing_here)
			fail_list(self, "no file was verified");
	}
	if ((matches == 0 && !nothing_here) || mismatches > 0 ||
	    unreadable > 0 || (options->strict && note.lines.malformed > 0))
		report_fail();
}

/* Begin a list, to which the following jobs belong. */
static void
begin_list(struct check_source *self, struct job *job)
{
	self->before = self->tally;
	self->read_stdin |= strcmp(job->name, "-") == 0;
	names_release(&self->begun);
	self->begun = *job;
	job->name = NULL;
}

static void
emit_malformed(struct check_source *self, const struct job *job)
{
	static const char error[] = "improperly formatted SHA256 checksum line";
	const uintmax_t line = note_of(job)->line;

	if (self->options->verbosity == INPUT_WARN)
		report_file_note(list_name(self), "%ju: %s", line, error);
	results_list_failed(&self->results, self->begun.name, line, error);
}

/* Return the missing name that the file's digest belongs to, or NULL. */
static const char *
find_missing(struct check_source *self, const struct job *job)
{
	const struct list_row *row;

	/* All entries have been emitted. */
	if (!self->by_digest.rows) {
		list_view_add(&self->by_digest, &self->missing,
			      list_row_has_content, NULL);
		list_view_sort(&self->by_digest, list_by_digest);
	}
	row = list_view_find(&self->by_digest, job->digest);
	return row ? row->name : NULL;
}

static void
emit_unlisted(struct check_source *self, const struct job *job)
{
	const char *from = NULL;

	/* It is gone by now. */
	if (job->kind != JOB_REMARK && job->error == ENOENT)
		return;
	if (job->kind != JOB_REMARK && !job->error && !results_is_skip(job) &&
	    results_judge(job))
		from = find_missing(self, job);
	if (from)
		self->tally.moved++;
	else
		self->tally.unlisted++;
	report_fail();
	if (self->options->verbosity != INPUT_STATUS)
		results_unlisted(&self->results, job, from);
}

/*
 * Report that no list names anything below DIR: they spell it in another way.
 */
static void
emit_unnamed(struct check_source *self, const struct job *job)
{
	static const char text[] =
		"no list names anything below this directory";
	struct text dir = { 0 }, example = { 0 }, file = { 0 };
	const char *const name = self->unlisted.dirs[note_of(job)->number - 1];

	report_error("--unlisted: no list names anything below %s; names in "
		     "lists are like %s, and those of files like %s",
		     quote_name(&dir, name),
		     quote_name(&example, self->unlisted.example),
		     quote_name(&file, job->name));
	text_free(&dir);
	text_free(&file);
	text_free(&example);
	results_failed(&self->results, name, text);
}

static void
emit_walk(struct check_source *self, const struct job *job)
{
	const enum note_kind kind = note_of(job)->kind;
	const struct note note = *note_of(job);

	switch (kind) {
	case NOTE_UNLISTED_FILE: emit_unlisted(self, job); break;
	case NOTE_UNLISTED_UNNAMED: emit_unnamed(self, job); break;
	case NOTE_UNLISTED_ERROR:
	case NOTE_TREE_UNREAD:
		report_file_error(job->name, note.error);
		results_failed(&self->results, job->name,
			       results_reason(note.error));
		break;
	case NOTE_UNLISTED_UNKNOWN:
		report_error("--unlisted: not done, since not all lists could "
			     "be read%s",
			     self->took_directory ?
				     "; for a directory use --unlisted=DIR" :
				     "");
		break;
	case NOTE_UNLISTED_END:
		if (self->options->verbosity == INPUT_STATUS)
			break;
		emit_count(self->tally.moved, "file was moved",
			   "files were moved");
		emit_count(self->tally.unlisted, "file is not listed",
			   "files are not listed");
		break;
	default:
		if (!note_of_skipped(note_of(job)))
			names_report(&self->lists, job);
		else if (self->options->verbosity != INPUT_QUIET &&
			 self->options->verbosity != INPUT_STATUS)
			tree_report(&self->unlisted.tree, job);
	}
}

static void
check_source_emit(struct source *source, struct job *job)
{
	struct check_source *self = (struct check_source *)source;

	self->read_stdin |= job->kind == JOB_STDIN;
	hard_links_settle(&self->links, job);
	switch (note_of(job)->kind) {
	case NOTE_CHECK_ENTRY: emit_entry(self, job); break;
	case NOTE_CHECK_UNOPENED:
		report_file_error(job->name, note_of(job)->error);
		results_list_failed(&self->results, job->name, 0,
				    results_reason(note_of(job)->error));
		break;
	case NOTE_CHECK_BEGIN: begin_list(self, job); break;
	case NOTE_CHECK_MALFORMED: emit_malformed(self, job); break;
	case NOTE_CHECK_UNREAD:
		self->took_directory |= note_of(job)->error == EISDIR;
		fail_list(self, "read error");
		break;
	case NOTE_CHECK_END: emit_summary(self, job); break;
	default: emit_walk(self, job);
	}
	tree_release(&self->unlisted.tree, job);
}

static void
check_source_flush(struct source *source)
{
	(void)source;
	output_flush();
}

void
check_source_init(struct check_source *self,
		  const struct input_options *options)
{
	memset(self, 0, sizeof(*self));
	self->source = (struct source){ .next = check_source_next,
					.emit = check_source_emit,
					.flush = check_source_flush,
					.wait_fd = -1 };
	self->options = options;
	self->results.json = options->json &&
			     options->verbosity != INPUT_STATUS;
	self->parser.raw = options->check_zero;
	self->records.fd = -1;
	self->causes.options = options;
	for (size_t i = 0; i < options->only.n; i++)
		list_rows_add(&self->only, options->only.rows[i],
			      list_digest_of_nothing);
	list_rows_sort(&self->only);
	list_rows_unite(&self->only);
	names_init(&self->lists, options->operands, options->noperands,
		   options->files0_from);
	unlisted_init(&self->unlisted, &options->unlisted,
		      options->one_file_system, &self->missing);
	self->unlisted.tree.pool = options->pool;
	hard_links_init(&self->links, options->hard_links_once,
			&self->unlisted.tree.filter);
}

/* Report the names of --only that the lists do not have, or have twice. */
static void
report_only(struct check_source *self)
{
	for (size_t i = 0; i < self->only.n; i++) {
		const struct list_row *const row = &self->only.rows[i];
		const char *const error =
			!row->is_found ? "no list names it" :
			row->is_told   ? "the lists have two digests for it" :
					 NULL;

		if (!error)
			continue;
		report_file_problem(row->name, "%s", error);
		results_failed(&self->results, row->name, error);
	}
}

void
check_source_sum_up(struct check_source *self, bool stats)
{
	const struct check_tally *const total = &self->tally;
	const struct stats_count counts[] = {
		{ "entries", total->matches + total->mismatches +
				     total->unreadable + total->ignored },
		{ "ok", total->matches },
		{ "failed", total->mismatches },
		{ "missing", total->missing },
		{ "unreadable", total->unreadable - total->missing },
		{ "ignored", total->ignored },
		{ "malformed", total->malformed },
		{ "unlisted", total->unlisted },
		{ "moved", total->moved },
		{ NULL, 0 }
	};

	report_only(self);
	if (stats)
		stats_report_counts(counts);
	hard_links_sum_up(&self->links, stats);
	if (self->results.json)
		stats_print_summary(&self->results.object, "check", counts);
}

void
check_source_close(struct check_source *self)
{
	if (self->reading)
		records_close(&self->records);
	names_release(&self->list);
	names_release(&self->begun);
	names_close(&self->lists);
	unlisted_close(&self->unlisted);
	hard_links_close(&self->links);
	text_free(&self->path);
	text_free(&self->full_name);
	results_free(&self->results);
	list_rows_free(&self->missing);
	list_rows_free(&self->only);
	list_causes_free(&self->causes);
	list_view_free(&self->by_digest);
}
