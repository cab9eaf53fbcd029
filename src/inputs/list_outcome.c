/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_outcome.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/base/quote.h"
#include "src/inputs/directory.h"
#include "src/inputs/list_index.h"
#include "src/inputs/list_moves.h"
#include "src/inputs/name_set.h"
#include "src/output/report.h"

/* Names and files ----------------------------------------------------------- */

static void
mark(struct list_row *row, enum list_row_state state)
{
	if (row && row->state == ROW_ASIDE)
		row->state = state;
}

/* Give the places' states to the names that are these or below them, and were not looked
 * at. */
static bool
mark_below(struct update *update, enum list_row_state state)
{
	struct list_rows *const old = &update->old;
	struct text path = { 0 };
	bool good = true;

	for (size_t i = 0; i < update->places.n && good; i++) {
		const struct list_row *const place = &update->places.rows[i];
		struct list_row *row = NULL;

		if (place->state != state)
			continue;
		mark(list_rows_find(old, place->name), state);
		good = name_shorten_directory(&path, place->name);
		while (good &&
		       (row = list_rows_next_below(old, path.bytes, path.len,
						   row)) != NULL)
			mark(row, state);
	}
	text_free(&path);
	return good && !old->failed;
}

/* Find the names of LIST that are below the FILEs, and those that are gone. */
static bool
mark_sought(struct update *update)
{
	struct list_rows *const old = &update->old;

	if (!mark_below(update, ROW_HIDDEN) || !mark_below(update, ROW_GONE))
		return false;
	for (size_t i = 0; i < old->n; i++)
		old->rows[i].is_sought = old->rows[i].state != ROW_ASIDE;
	return true;
}

/* Set the kind of a file that was read, but for moves; `row` is its name's in LIST
 * or NULL. */
static void
judge(struct list_row *file, struct list_row *row)
{
	assert(file->state == CHANGE_NONE && !file->other);
	file->is_new = !row;
	file->state = CHANGE_NEW;
	if (!row)
		return;
	file->name = row->name;
	row->other = file;
	row->state = ROW_CHANGED;
	switch (list_judge(row, file->digest, &file->seen)) {
	case LIST_SAME:
		file->state = CHANGE_NONE;
		row->state = ROW_KEPT;
		break;
	case LIST_EDITED: file->state = CHANGE_EDITED; break;
	default: file->state = CHANGE_DIFFERS;
	}
}

/*
 * Judge all files.  If more than half of the names have other times and their old
 * digests, the tree was copied without its times: then a file of the old size with
 * another digest may be damaged.  It loses its witness, so that it stays in doubt.
 */
static void
judge_files(struct update *update)
{
	enum { FEW = 8 };
	struct list_rows *const found = &update->found;
	uintmax_t n = update->kept, copied = 0;

	list_rows_sort(found);
	list_rows_unite(found);
	update->old.last = SIZE_MAX;
	for (size_t i = 0; i < found->n; i++) {
		struct list_row *const file = &found->rows[i];
		struct list_row *const row =
			list_rows_find(&update->old, file->name);

		judge(file, row);
		update->kept += file->state == CHANGE_NONE;
		if (!row || !row->seen.is_there)
			continue;
		n++;
		copied += file->state == CHANGE_NONE &&
			  !list_witness_agrees(&row->seen, &file->seen);
	}
	if (n < FEW || copied <= n / 2)
		return;
	for (size_t i = 0; i < update->old.n; i++) {
		struct list_row *const row = &update->old.rows[i];

		if (row->other && row->other->state == CHANGE_EDITED &&
		    row->other->seen.size == row->seen.size) {
			row->other->state = CHANGE_DIFFERS;
			row->seen.is_there = false;
		}
	}
}

/* Accept the files of --accept.  Report names without a file that was hashed. */
static void
accept_files(struct update *update)
{
	const struct option_texts *const names = &update->options->accept;

	for (size_t i = 0; i < names->n; i++) {
		struct list_row *const file =
			list_rows_find(&update->found, names->rows[i]);

		if (!file)
			report_file_problem(
				names->rows[i],
				"--accept: no file of this name was "
				"hashed");
		else if (file->state == CHANGE_DIFFERS)
			file->state = CHANGE_EDITED;
	}
}

/* Refusals ---------------------------------------------------------------------- */

/* Return true after a message if the names of LIST do not belong to the files here:
 * none is a file, and fewer than half of their digests are found. */
static bool
is_elsewhere(const struct update *update)
{
	const struct list_row *name = NULL, *file = NULL;
	size_t gone = 0, matched = 0;
	struct text quoted = { 0 }, other = { 0 };

	for (size_t i = 0; i < update->old.n; i++) {
		const struct list_row *const row = &update->old.rows[i];

		if (!row->is_sought)
			continue;
		if (row->state != ROW_GONE)
			return false;
		name = row;
		gone++;
		matched += row->is_found;
	}
	for (size_t i = 0; i < update->found.n && !file; i++)
		if (update->found.rows[i].is_new)
			file = &update->found.rows[i];
	if (!name || !file || 2 * matched >= gone)
		return false;
	report_file_problem(
		update->list,
		"none of its %zu names below the FILEs, such as %s, is a file "
		"here, and those that are, such as %s, have %zu of their "
		"digests; the list is not updated",
		gone, quote_name_always(&quoted, name->name),
		quote_name_always(&other, file->name), matched);
	text_free(&quoted);
	text_free(&other);
	return true;
}

/* Return true after a message if a FILE is an empty directory: a disk may not be
 * mounted there. */
static bool
has_empty_top(const struct update *update)
{
	for (size_t i = 0; i < update->places.n; i++) {
		const char *const name = update->places.rows[i].name;
		const int fd = descriptor_open(name, O_DIRECTORY);
		struct directory directory;
		bool is_empty;

		if (fd < 0 || update->places.rows[i].state != ROW_GONE ||
		    directory_read(&directory, fd) != 0)
			continue;
		is_empty = directory.nentries == 0;
		directory_close(&directory);
		if (is_empty) {
			report_file_problem(name, "is an empty directory; "
						  "--prune=all drops no names "
						  "below it");
			return true;
		}
	}
	return false;
}

/* Pruning ------------------------------------------------------------------------ */

static bool
is_missing(const struct list_row *row)
{
	return row->state == ROW_GONE && !row->is_taken;
}

/* Drop the missing names of one directory, if as many of its files are there. */
static void
prune_directory(struct list_view rows)
{
	size_t missing = 0, there = 0;

	for (size_t i = 0; i < rows.n; i++) {
		missing += is_missing(rows.rows[i]);
		there += rows.rows[i]->state == ROW_KEPT ||
			 rows.rows[i]->state == ROW_CHANGED;
	}
	for (size_t i = 0; i < rows.n && there >= missing; i++)
		if (is_missing(rows.rows[i]))
			rows.rows[i]->state = ROW_DROPPED;
}

static bool
is_row(const struct list_row *row)
{
	(void)row;
	return true;
}

/* Drop names as --prune says.  Return false after a message. */
static bool
prune(struct update *update, bool all)
{
	struct list_rows *const old = &update->old;
	struct list_view rows = { 0 }, run;
	size_t left = 0;

	if (!all && !list_view_add(&rows, old, is_row, NULL)) {
		report_file_error(update->list, ENOMEM);
		return false;
	}
	list_view_sort(&rows, list_by_directory);
	for (size_t i = 0; i < rows.n; i += run.n) {
		run = list_view_run(&rows, i, list_by_directory);
		prune_directory(run);
	}
	list_view_free(&rows);
	for (size_t i = 0; i < old->n; i++) {
		if (all && is_missing(&old->rows[i]))
			old->rows[i].state = ROW_DROPPED;
		left += old->rows[i].state != ROW_DROPPED;
	}
	if (left > 0 || old->n == 0)
		return true;
	report_file_problem(update->list, "none of its names would be left; "
					  "the list is not updated");
	return false;
}

/* The new list --------------------------------------------------------------------- */

struct outcome {
	struct update *update;
	struct results *results;
	struct list_moves moves;
	struct list_view rows; /* of the new list */
	struct text name, from;
};

/* Put digests and witnesses in their new places. */
static void
take_digests(struct outcome *self)
{
	struct update *const update = self->update;

	for (size_t i = 0; i < update->found.n; i++) {
		struct list_row *const file = &update->found.rows[i];

		if (file->state != CHANGE_DIFFERS || !file->is_new)
			continue;
		memcpy(file->digest, file->other->digest, sizeof(file->digest));
		file->seen = file->other->seen;
	}
	for (size_t i = 0; i < update->old.n; i++) {
		struct list_row *const row = &update->old.rows[i];

		if (!row->other || row->other->state == CHANGE_DIFFERS ||
		    row->state == ROW_GONE)
			continue;
		memcpy(row->digest, row->other->digest, sizeof(row->digest));
		row->seen = row->other->seen;
	}
}

static bool
stays(const struct list_row *row)
{
	return row->state != ROW_DROPPED &&
	       (row->state != ROW_GONE || !row->is_taken);
}

static bool
is_new(const struct list_row *file)
{
	return file->is_new;
}

static bool
add_line(const void *context, size_t i, struct text *text)
{
	const struct outcome *const self = context;
	const struct list_row *const row = self->rows.rows[i];

	assert(i == 0 || list_by_name(self->rows.rows[i - 1], row) < 0);
	return digest_line_add(text, row->digest, row->name,
			       self->results->style);
}

static bool
add_index_row(const void *context, size_t i, struct text *text)
{
	const struct list_row *const row =
		((const struct outcome *)context)->rows.rows[i];

	return !row->seen.is_there || list_index_add_row(text, row, NULL);
}

/* Replace LIST and LIST.index.  Return false after a message if LIST is as it was. */
static bool
write_list(struct outcome *self)
{
	struct update *const update = self->update;

	if (!list_view_add(&self->rows, &update->old, stays, NULL) ||
	    !list_view_add(&self->rows, &update->found, is_new, NULL)) {
		report_file_error(update->list, ENOMEM);
		return false;
	}
	list_view_sort(&self->rows, list_by_name);
	if (self->rows.n == 0) {
		report_file_problem(update->list, "there is no file to list; "
						  "the list is not updated");
		return false;
	}
	return list_file_replace(
		&update->file,
		&(struct list_lines){ "", add_line, self, self->rows.n },
		&(struct list_lines){ LIST_INDEX_HEAD "\n", add_index_row, self,
				      self->rows.n });
}

/* What has changed -------------------------------------------------------------- */

/* Report a file or, if there are `files`, a directory without its slash, of these bytes;
 * `from` is its old name or NULL. */
static void
tell(struct outcome *self, enum list_change_kind kind, const char *name,
     size_t name_len, const char *from, size_t from_len, size_t files)
{
	struct list_change change = { .kind = kind, .files = files };

	if (kind == CHANGE_DIFFERS)
		report_fail();
	else if (self->update->options->verbosity == INPUT_QUIET &&
		 kind != CHANGE_DROPPED)
		return;
	text_cut(&self->name, 0);
	text_cut(&self->from, 0);
	if (!text_add(&self->name, name, name_len - (files > 0)) ||
	    (from && !text_add(&self->from, from, from_len - (files > 0)))) {
		report_file_error(name, ENOMEM);
		return;
	}
	change.name = self->name.bytes;
	change.from = from ? self->from.bytes : NULL;
	results_changed(self->results, &change);
}

/* Report the directories that were moved, then all other changes. */
static void
tell_files(struct outcome *self)
{
	const struct list_rows *const found = &self->update->found;

	for (size_t i = 0; i < self->moves.ndirectories; i++) {
		const struct list_directory *const directory =
			&self->moves.directories[i];

		tell(self, CHANGE_MOVED, directory->to, directory->to_len,
		     directory->from, directory->from_len, directory->files);
	}
	for (size_t i = 0; i < found->n; i++) {
		const struct list_row *const file = &found->rows[i];
		const char *const from = file->other ? file->other->name : NULL;

		if (file->state != CHANGE_NONE && !file->is_told)
			tell(self, file->state, file->name, strlen(file->name),
			     from, from ? strlen(from) : 0, 0);
	}
}

/* Report the rows [first, end), which are all missing or all dropped: the topmost
 * directories without other names, and the remaining names. */
static void
tell_gone(struct outcome *self, enum list_change_kind kind, size_t first,
	  size_t end)
{
	const struct list_rows *const old = &self->update->old;
	size_t next;

	for (size_t i = first; i < end; i = next) {
		const struct list_row *const row = &old->rows[i];
		const size_t len = list_rows_topmost(old, i, first, end);

		next = i + 1;
		while (len > 0 && next < end &&
		       name_is_below(old->rows[next].path, row->path, len))
			next++;
		if (next - i > 1)
			tell(self, kind, row->path, len, NULL, 0, next - i);
		else
			tell(self, kind, row->name, strlen(row->name), NULL, 0,
			     0);
	}
}

static void
tell_all(struct outcome *self)
{
	struct update *const update = self->update;
	const struct list_rows *const old = &update->old;
	size_t end;

	tell_files(self);
	for (size_t i = 0; i < old->n; i = end) {
		const struct list_row *const row = &old->rows[i];
		const bool dropped = row->state == ROW_DROPPED;

		end = i + 1;
		if (!dropped && !is_missing(row))
			continue;
		while (end < old->n && old->rows[end].state == row->state &&
		       !old->rows[end].is_taken)
			end++;
		tell_gone(self, dropped ? CHANGE_DROPPED : CHANGE_MISSING, i,
			  end);
		*(dropped ? &update->dropped : &update->missing) += end - i;
	}
	if (update->missing > 0)
		report_file_note(update->list,
				 "%ju of its names %s missing; --prune drops "
				 "the names of files that are gone",
				 update->missing,
				 update->missing == 1 ? "is" : "are");
}

bool
list_outcome_settle(struct update *update, struct results *results)
{
	const char *const pruned = update->options->prune;
	struct outcome self = { .update = update,
				.results = results,
				.moves = {
					.old = &update->old,
					.found = &update->found,
					.walks = update->options->recursive } };
	bool good = mark_sought(update);

	if (good) {
		judge_files(update);
		good = list_moves_find(&self.moves);
	}
	if (!good)
		report_file_error(update->list, ENOMEM);
	good = good && !is_elsewhere(update) &&
	       !(pruned && *pruned && has_empty_top(update)) &&
	       (!pruned || prune(update, *pruned != '\0'));
	if (good) {
		accept_files(update);
		take_digests(&self);
		good = write_list(&self);
	}
	if (good)
		tell_all(&self);
	list_view_free(&self.rows);
	list_moves_free(&self.moves);
	text_free(&self.name);
	text_free(&self.from);
	return good;
}
