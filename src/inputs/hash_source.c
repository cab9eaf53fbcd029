/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/hash_source.h"

#include <errno.h>
#include <string.h>

#include "src/inputs/name_set.h"
#include "src/output/output.h"
#include "src/output/report.h"
#include "src/output/stats.h"

/* Return true if the job is to be left out: another part has its file, or it is the
 * list of --update or a file beside it. */
static bool
is_left_out(struct hash_source *self, struct job *job)
{
	return job->kind != JOB_REMARK &&
	       (!name_is_in_part(&self->options->part, &self->path,
				 job->name) ||
		(self->update.list && !update_prepare(&self->update, job)));
}

static enum source_result
hash_source_next(struct source *source, struct job *job, bool is_oldest)
{
	struct hash_source *self = (struct hash_source *)source;
	enum source_result result;

	job->watched = self->options->detect_changes;
	while ((result = tree_next(&self->tree, job, is_oldest)) ==
		       SOURCE_JOB &&
	       is_left_out(self, job)) {
		tree_release(&self->tree, job);
		*job = (struct job){ .watched = job->watched };
	}
	source->wait_fd = tree_wait_fd(&self->tree);
	if (result == SOURCE_JOB)
		hard_links_prepare(&self->links, job);
	if (result != SOURCE_END || !self->update.list)
		return result;
	/* Only then is it known which files have changed. */
	if (!is_oldest)
		return SOURCE_LATER;
	return update_next_again(&self->update, job) ? SOURCE_JOB : SOURCE_END;
}

static void
emit_remark(struct hash_source *self, const struct job *job)
{
	if (self->update.list)
		update_note_walk(&self->update, job);
	if (self->options->verbosity == INPUT_QUIET &&
	    note_of_skipped(note_of(job)))
		return;
	tree_report(&self->tree, job);
	if (note_of_skipped(note_of(job)))
		return;
	self->failed++;
	if (note_of(job)->kind == NOTE_TREE_UNREAD)
		results_failed(&self->results, job->name,
			       results_reason(note_of(job)->error));
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

/* Emit the result of a file that was read, or left out. */
static void
emit_digest(struct hash_source *self, const struct job *job)
{
	bool has_digest;

	if (self->options->verbosity == INPUT_QUIET && results_is_skip(job))
		return;
	has_digest = results_judge(job);
	if (results_is_skip(job))
		return;
	self->files += has_digest;
	self->failed += !has_digest;
	self->bytes += has_digest ? job->size : 0;
	if (!self->update.list)
		results_hashed(&self->results, job);
	else if (has_digest)
		update_add(&self->update, job);
}

static void
hash_source_emit(struct source *source, struct job *job)
{
	struct hash_source *self = (struct hash_source *)source;

	self->read_stdin |= job->kind == JOB_STDIN;
	hard_links_settle(&self->links, job);
	if (job->kind == JOB_REMARK) {
		emit_remark(self, job);
	} else if (self->update.list && update_excuses(&self->update, job)) {
		/* Reported at the end. */
	} else if (job->verdict == JOB_KNOWN) {
		update_add(&self->update, job);
	} else if (job->error) {
		self->failed++;
		report_file_error(job->name, job->error);
		explain_lines(self, job);
		results_failed(&self->results, job->name,
			       results_reason(job->error));
	} else {
		emit_digest(self, job);
	}
	tree_release(&self->tree, job);
}

static void
hash_source_flush(struct source *source)
{
	struct hash_source *self = (struct hash_source *)source;

	update_flush(&self->update);
	output_flush();
}

bool
hash_source_init(struct hash_source *self, const struct input_options *options)
{
	*self = (struct hash_source){ .source = { .next = hash_source_next,
						  .emit = hash_source_emit,
						  .flush = hash_source_flush,
						  .wait_fd = -1 },
				      .options = options };
	self->results = (struct results){
		.json = options->json,
		.style = { .binary = options->mark == INPUT_MARK_BINARY,
			   .tag = options->tag,
			   .zero = options->zero }
	};
	names_init(&self->names, options->operands, options->noperands,
		   options->files0_from);
	tree_init(&self->tree, &self->names, options->recursive);
	self->tree.one_file_system = options->one_file_system;
	self->tree.tells_end = options->update;
	self->tree.pool = options->pool;
	hard_links_init(&self->links, options->hard_links_once,
			&self->tree.filter);
	return update_begin(&self->update, options, &self->tree.filter);
}

void
hash_source_sum_up(struct hash_source *self, bool stats)
{
	const struct stats_count counts[] = { { "files", self->files },
					      { "failed", self->failed },
					      { "bytes", self->bytes },
					      { NULL, 0 } };

	if (self->update.list)
		update_end(&self->update, &self->results);
	if (stats)
		stats_report_counts(counts);
	hard_links_sum_up(&self->links, stats);
	if (stats && self->update.list)
		stats_report_counts((const struct stats_count[]){
			{ "kept", self->update.kept },
			{ "missing", self->update.missing },
			{ "dropped", self->update.dropped },
			{ NULL, 0 } });
	if (self->options->json)
		stats_print_summary(&self->results.object, "hash", counts);
}

void
hash_source_close(struct hash_source *self)
{
	hard_links_close(&self->links);
	update_close(&self->update);
	tree_close(&self->tree);
	names_close(&self->names);
	text_free(&self->path);
	results_free(&self->results);
}
