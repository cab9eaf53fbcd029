/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_outcome.h"

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
#include "src/inputs/list_verdict.h"
#include "src/inputs/listed.h"
#include "src/output/report.h"

/* Names and files ----------------------------------------------------------- */

/* Give rows that were not looked at a state, if they are below the directory. */
static bool
mark_below(struct list_rows *old, const char *directory,
	   enum list_row_state state)
{
	struct text path = { 0 };
	bool good = listed_shorten(&path, directory);
	size_t at;

	/* The directory may itself be a name of LIST. */
	at = good ? list_rows_place(old, path.bytes, path.len + 1) : old->n;
	if (at < old->n && strcmp(old->rows[at].path, path.bytes) == 0 &&
	    old->rows[at].state == ROW_ASIDE)
		old->rows[at].state = state;
	if (good && path.len > 0 && path.bytes[path.len - 1] != '/')
		good = text_add(&path, "/", 1);
	at = good ? list_rows_place(old, path.bytes, path.len) : old->n;
	for (; at < old->n; at++) {
		struct list_row *const row = &old->rows[at];

		if (list_row_is_below(row, path.bytes, path.len)) {
			if (row->state == ROW_ASIDE)
				row->state = state;
		} else if (path.len > 0) {
			break;
		}
	}
	text_free(&path);
	return good;
}

/* Find the names of LIST that are below the FILEs, and those that are gone. */
static bool
mark_sought(struct update *update)
{
	struct list_rows *const old = &update->old;
	bool good = true;

	for (size_t i = 0; i < update->hidden.n && good; i++)
		good = mark_below(old, update->hidden.rows[i].name, ROW_HIDDEN);
	for (size_t i = 0; i < update->tops.n && good; i++)
		good = mark_below(old, update->tops.rows[i].name, ROW_GONE);
	for (size_t i = 0; i < old->n; i++)
		old->rows[i].is_sought = old->rows[i].state != ROW_ASIDE;
	return good;
}

/* Set the kind of a file that was read, but for moves; `row` is its name's in LIST
 * or NULL. */
static void
judge(struct list_row *file, struct list_row *row)
{
	file->is_new = !row;
	file->state = CHANGE_NEW;
	if (!row)
		return;
	file->name = row->name;
	row->other = file;
	row->state = ROW_CHANGED;
	switch (list_judge(row, file->digest, &file->seen)) {
	case VERDICT_SAME:
		file->state = CHANGE_NONE;
		row->state = ROW_KEPT;
		break;
	case VERDICT_EDITED: file->state = CHANGE_EDITED; break;
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
	bool known;

	list_rows_sort(found);
	list_rows_unite(found);
	update->old.last = SIZE_MAX;
	for (size_t i = 0; i < found->n; i++) {
		struct list_row *const file = &found->rows[i];
		struct list_row *const row =
			list_rows_find_name(&update->old, file->name, &known);

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
	struct list_row *file;
	bool known;

	for (size_t i = 0; i < names->n; i++) {
		file = list_rows_find_name(&update->found, names->rows[i],
					   &known);
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
	for (size_t i = 0; i < update->tops.n; i++) {
		const char *const name = update->tops.rows[i].name;
		const int fd = descriptor_open(name, O_DIRECTORY);
		struct directory directory;
		bool is_empty;

		if (fd < 0 || directory_read(&directory, fd) != 0)
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

static size_t
directory_len(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

static int
compare_directories(const void *left, const void *right)
{
	const char *const a = (*(struct list_row *const *)left)->path;
	const char *const b = (*(struct list_row *const *)right)->path;
	const size_t m = directory_len(a), n = directory_len(b);
	const int order = memcmp(a, b, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

static bool
is_missing(const struct list_row *row)
{
	return row->state == ROW_GONE && !row->is_taken;
}

/* Drop the missing names of one directory, if as many of its files are there. */
static void
prune_directory(struct list_row **rows, size_t n)
{
	size_t missing = 0, there = 0;

	for (size_t i = 0; i < n; i++) {
		missing += is_missing(rows[i]);
		there += rows[i]->state == ROW_KEPT ||
			 rows[i]->state == ROW_CHANGED;
	}
	for (size_t i = 0; i < n && there >= missing; i++)
		if (is_missing(rows[i]))
			rows[i]->state = ROW_DROPPED;
}

/* Drop names as --prune says.  Return false after a message. */
static bool
prune(struct update *update, bool all)
{
	struct list_rows *const old = &update->old;
	struct list_row **rows = calloc(old->n + 1, sizeof(*rows));
	size_t n = 0, end, left = 0;

	if (!rows) {
		report_file_error(update->list, ENOMEM);
		return false;
	}
	for (size_t i = 0; i < old->n; i++)
		if (all && is_missing(&old->rows[i]))
			old->rows[i].state = ROW_DROPPED;
		else
			rows[n++] = &old->rows[i];
	qsort(rows, n, sizeof(*rows), compare_directories);
	for (size_t first = 0; first < n; first = end) {
		end = first + 1;
		while (end < n &&
		       compare_directories(&rows[first], &rows[end]) == 0)
			end++;
		prune_directory(rows + first, end - first);
	}
	free(rows);
	for (size_t i = 0; i < old->n; i++)
		left += old->rows[i].state != ROW_DROPPED;
	if (left == 0 && old->n > 0)
		report_file_problem(update->list,
				    "none of its names would be left; the list "
				    "is not updated");
	return left > 0 || old->n == 0;
}

/* The new list --------------------------------------------------------------------- */

struct outcome {
	struct update *update;
	struct results *results;
	struct list_moves moves;
	struct list_row **rows; /* of the new list */
	size_t n;
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

		if (!row->other || row->other->state == CHANGE_DIFFERS)
			continue;
		memcpy(row->digest, row->other->digest, sizeof(row->digest));
		row->seen = row->other->seen;
	}
}

static int
compare_names(const void *left, const void *right)
{
	return strcmp((*(struct list_row *const *)left)->name,
		      (*(struct list_row *const *)right)->name);
}

/* Collect the rows of the new list, sorted by the bytes of their names. */
static bool
collect(struct outcome *self)
{
	const struct list_rows *const old = &self->update->old;
	const struct list_rows *const found = &self->update->found;
	size_t sorted = 1;

	self->rows = calloc(old->n + found->n + 1, sizeof(*self->rows));
	if (!self->rows) {
		report_file_error(self->update->list, ENOMEM);
		return false;
	}
	for (size_t i = 0; i < old->n; i++) {
		struct list_row *const row = &old->rows[i];

		if (row->state != ROW_DROPPED &&
		    (row->state != ROW_GONE || !row->is_taken))
			self->rows[self->n++] = row;
	}
	for (size_t i = 0; i < found->n; i++)
		if (found->rows[i].is_new)
			self->rows[self->n++] = &found->rows[i];
	while (sorted < self->n &&
	       compare_names(&self->rows[sorted - 1], &self->rows[sorted]) <= 0)
		sorted++;
	if (sorted < self->n)
		qsort(self->rows, self->n, sizeof(*self->rows), compare_names);
	return true;
}

static bool
add_line(const void *context, size_t i, struct text *text)
{
	const struct outcome *const self = context;

	return digest_line_add(text, self->rows[i]->digest, self->rows[i]->name,
			       self->results->style);
}

static bool
add_index_row(const void *context, size_t i, struct text *text)
{
	const struct outcome *const self = context;

	return !self->rows[i]->seen.is_there ||
	       list_index_add_row(text, self->rows[i], NULL);
}

/* Replace LIST and LIST.index.  Return false after a message if LIST is as it was. */
static bool
write_list(struct outcome *self)
{
	struct update *const update = self->update;
	const struct list_lines lines = { "", add_line, self, self->n };
	const struct list_lines index = { LIST_INDEX_HEAD "\n", add_index_row,
					  self, self->n };

	if (self->n == 0) {
		report_file_problem(update->list, "there is no file to list; "
						  "the list is not updated");
		return false;
	}
	if (list_file_replace(&update->file, &lines) == LIST_FAILED)
		return false;
	list_file_replace_index(&update->file, &index);
	return true;
}

/* What has changed -------------------------------------------------------------- */

static void
tell(const struct outcome *self, const struct list_change *change)
{
	if (change->kind == CHANGE_DIFFERS)
		report_fail();
	if (self->update->options->verbosity != INPUT_QUIET ||
	    change->kind == CHANGE_DIFFERS || change->kind == CHANGE_DROPPED)
		results_changed(self->results, change);
}

/* Report a directory, whose path has a slash at its end. */
static void
tell_directory(const struct outcome *self, struct list_change change,
	       const char *name, size_t name_len, const char *from,
	       size_t from_len)
{
	char *const name_copy = strndup(name, name_len - 1);
	char *const from_copy = from ? strndup(from, from_len - 1) : NULL;

	change.name = name_copy;
	change.from = from_copy;
	if (name_copy && (from_copy || !from))
		tell(self, &change);
	free(name_copy);
	free(from_copy);
}

/* Report the directories that were moved, then all other changes. */
static void
tell_files(const struct outcome *self)
{
	const struct list_rows *const found = &self->update->found;

	for (size_t i = 0; i < self->moves.ndirectories; i++) {
		const struct list_directory *const directory =
			&self->moves.directories[i];

		if (directory->files > 1)
			tell_directory(self,
				       (struct list_change){
					       .kind = CHANGE_MOVED,
					       .files = directory->files },
				       directory->to, directory->to_len,
				       directory->from, directory->from_len);
	}
	for (size_t i = 0; i < found->n; i++) {
		const struct list_row *const file = &found->rows[i];

		if (file->state != CHANGE_NONE && !file->is_told)
			tell(self,
			     &(struct list_change){
				     .kind = (enum list_change_kind)file->state,
				     .name = file->name,
				     .from = file->other ? file->other->name :
							   NULL });
	}
}

/* Report the rows [first, end), which are all missing or all dropped: the topmost
 * directories without other names, and the remaining names. */
static void
tell_gone(const struct outcome *self, size_t first, size_t end)
{
	const struct list_rows *const old = &self->update->old;
	struct list_change change = { .kind = old->rows[first].state ==
							      ROW_DROPPED ?
						      CHANGE_DROPPED :
						      CHANGE_MISSING };
	size_t next;

	for (size_t i = first; i < end; i = next) {
		const char *const path = old->rows[i].path;
		size_t len = 1;

		next = i + 1;
		for (; path[len - 1] && next == i + 1; len++) {
			if (path[len - 1] != '/' || len == 1 ||
			    (i > 0 &&
			     list_row_is_below(&old->rows[i - 1], path, len)))
				continue;
			while (next < old->n &&
			       list_row_is_below(&old->rows[next], path, len))
				next++;
			if (next > end)
				next = i + 1;
			else if (next > i + 1)
				break;
		}
		change.files = next - i;
		if (next > i + 1) {
			tell_directory(self, change, path, len, NULL, 0);
			continue;
		}
		change.files = 0;
		change.name = old->rows[i].name;
		tell(self, &change);
	}
}

static void
tell_all(const struct outcome *self)
{
	struct update *const update = self->update;
	const struct list_rows *const old = &update->old;
	size_t end;

	tell_files(self);
	for (size_t i = 0; i < old->n; i = end) {
		const struct list_row *const row = &old->rows[i];

		end = i + 1;
		if (row->state != ROW_DROPPED && !is_missing(row))
			continue;
		while (end < old->n && old->rows[end].state == row->state &&
		       !old->rows[end].is_taken)
			end++;
		tell_gone(self, i, end);
		if (row->state == ROW_DROPPED)
			update->dropped += end - i;
		else
			update->missing += end - i;
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
	struct outcome self = { .update = update,
				.results = results,
				.moves = {
					.old = &update->old,
					.found = &update->found,
					.walks = update->options->recursive } };
	const char *const pruned = update->options->prune;
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
		good = collect(&self) && write_list(&self);
	}
	if (good)
		tell_all(&self);
	free(self.rows);
	list_moves_free(&self.moves);
	return good;
}
