/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/hash_source.h"

#include <errno.h>
#include <string.h>

#include "src/base/quote.h"
#include "src/inputs/part.h"
#include "src/output/json_line.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/stats.h"
#include "src/output/verdict_report.h"

/* Need the file not be hashed, since it is in another part, or since a list has
 * its digest? */
static bool
is_left_out(struct hash_source *self, const struct job *job)
{
	return job->kind != JOB_REMARK &&
	       (!part_has(&self->options->part, &self->path, job->name) ||
		(self->update.list && job->kind == JOB_FILE &&
		 update_has(&self->update, job)));
}

static enum source_answer
hash_source_next(struct source *source, struct job *job, bool is_oldest)
{
	struct hash_source *self = (struct hash_source *)source;
	enum source_answer answer;

	while ((answer = tree_next(&self->tree, job, is_oldest)) ==
		       SOURCE_JOB &&
	       is_left_out(self, job)) {
		tree_release(&self->tree, job);
		*job = (struct job){ .name = NULL };
	}
	source->wait_fd = tree_wait_fd(&self->tree);
	job->watched = self->options->detect_changes;
	return answer;
}

/* The line of an input.  As text, an input without a digest has none. */
static void
emit_line(struct hash_source *self, const struct job *job, bool has_digest)
{
	const struct text *line = &self->line;
	bool made;

	self->files += has_digest;
	self->failed += !has_digest;
	self->bytes += has_digest ? job->size : 0;
	if (self->update.list) {
		if (has_digest)
			update_add(&self->update, job->name, job->digest);
		return;
	}
	if (self->options->json) {
		line = &self->object.text;
		made = json_line_hashed(&self->object, job);
	} else if (has_digest) {
		text_cut(&self->line, 0);
		made = digest_line_add(&self->line, job->digest, job->name,
				       self->style);
	} else {
		return;
	}
	output_add_line(line, made, job->name);
}

/* With --json an input that cannot be read has a line, too. */
static void
emit_failure(struct hash_source *self, const char *name, int error)
{
	if (!self->options->json)
		return;

	const bool made =
		json_line_failed(&self->object, name, json_line_reason(error));
	output_add_line(&self->object.text, made, name);
}

static void
emit_remark(struct hash_source *self, const struct job *job)
{
	if (self->options->verbosity == INPUT_QUIET &&
	    note_of_skipped(&job->note))
		return;
	tree_report(&self->tree, job);
	if (note_of_skipped(&job->note))
		return;
	self->failed++;
	if (job->note.kind == NOTE_TREE_UNREAD)
		emit_failure(self, job->name, job->note.error);
}

/* A name that is none and ends with a newline comes from a list of lines. */
static void
explain_lines(struct hash_source *self, const struct job *job)
{
	const char *newline = strrchr(job->name, '\n');

	if (!self->options->files0_from || self->explained_lines || !newline ||
	    newline[1] != '\0' ||
	    (job->error != ENOENT && job->error != ENAMETOOLONG))
		return;
	self->explained_lines = true;
	report_warning("names in a list for --files0-from end with a NUL; for "
		       "one name per line use: tr '\\n' '\\0'");
}

static void
hash_source_emit(struct source *source, struct job *job)
{
	struct hash_source *self = (struct hash_source *)source;

	self->read_stdin |= job->kind == JOB_STDIN;
	if (job->kind == JOB_REMARK) {
		emit_remark(self, job);
	} else if (job->error) {
		self->failed++;
		report_file_error(job->name, job->error);
		explain_lines(self, job);
		emit_failure(self, job->name, job->error);
	} else if (self->options->verbosity != INPUT_QUIET ||
		   !verdict_is_skip(job)) {
		const bool has_digest = verdict_report(job);

		if (!verdict_is_skip(job))
			emit_line(self, job, has_digest);
	}
	tree_release(&self->tree, job);
}

static void
hash_source_flush(struct source *source)
{
	struct hash_source *self = (struct hash_source *)source;

	update_flush(&self->update);
	output_flush_soon();
}

bool
hash_source_init(struct hash_source *self, const struct input_options *options)
{
	*self = (struct hash_source){ .source = { .next = hash_source_next,
						  .emit = hash_source_emit,
						  .flush = hash_source_flush,
						  .wait_fd = -1 },
				      .options = options,
				      .style = { .binary = options->mark ==
							   INPUT_MARK_BINARY,
						 .tag = options->tag,
						 .zero = options->zero } };
	names_init(&self->names, options->operands, options->noperands,
		   options->files0_from);
	tree_init(&self->tree, &self->names, options->recursive);
	self->tree.one_file_system = options->one_file_system;
	return update_begin(&self->update, options);
}

/* --update --in-place: a line for each change; what is lost or damaged is shown
 * with --quiet, too. */
static void
tell_change(void *context, const struct list_change *change)
{
	static const char *const words[] = { [CHANGE_NEW] = "NEW",
					     [CHANGE_MOVED] = "MOVED from",
					     [CHANGE_DIRECTORY] = "MOVED from",
					     [CHANGE_DAMAGED] = "DIFFERS from",
					     [CHANGE_COPY] = "COPY of",
					     [CHANGE_EDITED] = "EDITED",
					     [CHANGE_DROPPED] = "DROPPED" };
	static const char *const members[] = {
		[CHANGE_NEW] = "new",	      [CHANGE_MOVED] = "moved",
		[CHANGE_DIRECTORY] = "moved", [CHANGE_DAMAGED] = "damaged",
		[CHANGE_COPY] = "copy",	      [CHANGE_EDITED] = "edited",
		[CHANGE_DROPPED] = "dropped"
	};
	struct hash_source *self = context;
	const struct text *line = &self->line;
	bool made;

	if (change->kind == CHANGE_DAMAGED)
		report_fail();
	if (self->options->verbosity == INPUT_QUIET &&
	    change->kind != CHANGE_DAMAGED && change->kind != CHANGE_DROPPED)
		return;
	if (self->options->json) {
		line = &self->object.text;
		made = json_line_change(&self->object, change->name,
					members[change->kind], change->from,
					change->files);
	} else {
		text_cut(&self->line, 0);
		made = digest_line_add_change(&self->line, change->name,
					      words[change->kind],
					      change->from);
	}
	output_add_line(line, made, change->name);
}

/* The new list of --update. */
static void
print_list(struct hash_source *self)
{
	const struct update_rows *const gone = &self->update.gone;
	const bool one = gone->n == 1;
	struct text name = { 0 };

	if (!update_end(&self->update, self->style, tell_change, self) ||
	    self->options->in_place)
		return;
	if (gone->n > 0 && self->options->verbosity != INPUT_QUIET)
		report_warning("--update: %zu name%s dropped, %s%s: %s no "
			       "regular file%s now",
			       gone->n, one ? " was" : "s were",
			       one ? "" : "such as ",
			       quote_name_always(&name, gone->rows[0].name),
			       one ? "it is" : "they are", one ? "" : "s");
	text_free(&name);
}

void
hash_source_sum_up(struct hash_source *self, bool stats)
{
	const struct stats_count counts[] = { { "files", self->files },
					      { "failed", self->failed },
					      { "bytes", self->bytes },
					      { NULL, 0 } };
	const struct stats_count list[] = { { "kept", self->update.kept },
					    { "dropped", self->update.dropped },
					    { NULL, 0 } };

	if (self->update.list)
		print_list(self);
	if (stats)
		stats_report_counts(counts);
	if (stats && self->update.list)
		stats_report_counts(list);
	if (self->options->json)
		stats_print_summary(&self->object, "hash", counts);
}

void
hash_source_close(struct hash_source *self)
{
	update_close(&self->update);
	tree_close(&self->tree);
	names_close(&self->names);
	text_free(&self->line);
	text_free(&self->path);
	json_free(&self->object);
}
