/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_moves.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "src/base/rows.h"
#include "src/inputs/name_set.h"

static bool
is_there(const struct list_row *row)
{
	return row->state == ROW_KEPT || row->state == ROW_CHANGED;
}

/* Return true if no file has the place of a gone name yet. */
static bool
is_left(const struct list_row *row)
{
	return row->state == ROW_GONE && !row->is_taken;
}

/* Return true if the file is new, so far as its digest shows.  A copy of a name that
 * is there may as well be the damaged file of one that is gone. */
static bool
is_unpaired(const struct list_row *file)
{
	return file->is_new &&
	       (file->state == CHANGE_NEW || file->state == CHANGE_COPY);
}

/* Give the name's place to a file of this kind. */
static void
pair(struct list_row *file, struct list_row *row, enum list_change_kind kind)
{
	assert(!row->is_taken && file->state != CHANGE_MOVED);
	file->state = kind;
	file->other = row;
	row->is_taken = true;
	if (row->state == ROW_GONE)
		row->other = file;
}

/* Give the name's place to a file that may be edited or damaged. */
static void
pair_judged(struct list_row *file, struct list_row *row)
{
	switch (list_judge(row, file->digest, &file->seen)) {
	case LIST_SAME: pair(file, row, CHANGE_MOVED); break;
	case LIST_EDITED: pair(file, row, CHANGE_EDITED); break;
	default: pair(file, row, CHANGE_DIFFERS);
	}
}

/* By digest -------------------------------------------------------------------- */

/* Look at the file of a name that is below none of the FILEs. */
static void
examine(const struct list_moves *self, struct list_row *row)
{
	struct list_witness now;

	assert(row->state == ROW_ASIDE);
	if (list_witness_look(row->name, !self->walks, &now))
		row->state = list_is_as_hashed(row, &now) ? ROW_KEPT :
							    ROW_HIDDEN;
	else
		row->state = errno == ENOENT || errno == ENOTDIR ? ROW_GONE :
								   ROW_HIDDEN;
}

/* Find the longest part of the row's directory that exists, and whether it has
 * files of LIST. */
static bool
find_existing(struct list_moves *self, const struct list_row *gone)
{
	size_t len = list_directory_len(gone->path, strlen(gone->path));
	const struct list_row *row = NULL, *const before = self->asked;
	const size_t before_len = self->existing.len;
	struct text *const existing = &self->existing;
	struct stat st;

	if (before && self->asked_len == len &&
	    memcmp(before->path, gone->path, len) == 0)
		return true;
	self->asked = NULL;
	self->asked_len = len;
	text_cut(existing, 0);
	if (!text_add(existing, gone->path, len))
		return false;
	while (len > 0 && lstat(existing->bytes, &st) != 0 &&
	       (errno == ENOENT || errno == ENOTDIR)) {
		len = list_directory_len(gone->path, len - 1);
		text_cut(existing, len);
	}
	self->asked = gone;
	/* Directories of one disk that is off are searched once. */
	if (before && before_len == len &&
	    memcmp(before->path, gone->path, len) == 0)
		return true;
	self->has_files = false;
	while (!self->has_files &&
	       (row = list_rows_next_below(self->old, existing->bytes, len,
					   row)) != NULL)
		self->has_files = is_there(row);
	return true;
}

/*
 * Return true if the file with the digest of a gone name is that file: it has its
 * inode, or the name did not go with the disk that it is on.  That may be so if what
 * is left of its directory has neither files of LIST nor this one.
 */
static bool
has_moved(struct list_moves *self, const struct list_row *gone,
	  const struct list_row *file)
{
	if (gone->seen.is_there && file->seen.is_there &&
	    gone->seen.inode == file->seen.inode)
		return true;
	return find_existing(self, gone) &&
	       (self->has_files ||
		name_is_below(file->path, self->existing.bytes,
			      self->existing.len));
}

static int
by_last_part(const struct list_row *a, const struct list_row *b)
{
	return strcmp(a->path + list_directory_len(a->path, strlen(a->path)),
		      b->path + list_directory_len(b->path, strlen(b->path)));
}

static bool
pair_by_digest(struct list_moves *self, struct list_row *file,
	       struct list_row *row)
{
	if (row->state == ROW_GONE && !has_moved(self, row, file))
		return false;
	pair(file, row, CHANGE_MOVED);
	return true;
}

/* The same for a name that may have gone with its disk: only a file in what is left of
 * its directory shows that it did not. */
static bool
pair_below(struct list_moves *self, struct list_row *file, struct list_row *row)
{
	return row->state == ROW_GONE && find_existing(self, row) &&
	       !self->has_files && pair_by_digest(self, file, row);
}

static int
by_path_down(const struct list_row *a, const struct list_row *b)
{
	return list_by_path(b, a);
}

static bool
pair_by_witness(struct list_moves *self, struct list_row *file,
		struct list_row *row)
{
	(void)self;
	if (!file->seen.is_there || !row->seen.is_there ||
	    !list_witness_agrees(&row->seen, &file->seen))
		return false;
	pair_judged(file, row);
	return true;
}

/*
 * Pair files and names that are equal in the order, where the function finds them to be
 * one.  Several names may be equal.  With `any` they need not be equal: a name that the
 * function pairs with the files below a directory has all that come before the name in
 * the descending order of paths, and all that come behind it in the ascending one.
 */
static void
pair_equal(struct list_moves *self, struct list_view files,
	   struct list_view rows, list_order *order, bool any,
	   bool (*pairs)(struct list_moves *, struct list_row *,
			 struct list_row *))
{
	size_t i = 0, j = 0;

	list_view_sort(&files, order);
	list_view_sort(&rows, order);
	while (i < files.n && j < rows.n) {
		struct list_row *const file = files.rows[i];
		struct list_row *const row = rows.rows[j];
		int cmp = file->state == CHANGE_MOVED ? -1 :
			  row->is_taken		      ? 1 :
			  any			      ? 0 :
							order(file, row);

		if (cmp == 0 && !pairs(self, file, row))
			cmp = any ? order(file, row) : 1;
		i += cmp <= 0;
		j += cmp >= 0;
	}
}

/* Match the files and names that have one digest. */
static void
match_digest(struct list_moves *self, struct list_view files,
	     struct list_view rows)
{
	struct list_row *copied = NULL;
	size_t n = 0;

	for (size_t i = 0; i < rows.n; i++) {
		struct list_row *const row = rows.rows[i];

		/* At most one stat for each file, and one for all copies. */
		if (row->state == ROW_ASIDE && n < files.n && !copied)
			examine(self, row);
		row->is_found = row->state == ROW_GONE;
		if (row->state == ROW_KEPT && !copied)
			copied = row;
		if (row->is_found || row->state == ROW_CHANGED)
			rows.rows[n++] = row;
	}
	rows.n = n;
	pair_equal(self, files, rows, list_by_inode, false, pair_by_digest);
	/* Equal names of one directory stay together. */
	list_view_sort(&files, list_by_path);
	list_view_sort(&rows, list_by_path);
	pair_equal(self, files, rows, by_last_part, false, pair_by_digest);
	pair_equal(self, files, rows, by_path_down, true, pair_below);
	pair_equal(self, files, rows, list_by_path, true, pair_below);
	pair_equal(self, files, rows, list_by_path, true, pair_by_digest);
	for (size_t i = 0; i < files.n && copied; i++)
		if (is_unpaired(files.rows[i])) {
			files.rows[i]->state = CHANGE_COPY;
			files.rows[i]->other = copied;
		}
}

static bool
is_changed(const struct list_row *file)
{
	return file->state != CHANGE_NONE && list_row_has_content(file);
}

static bool
match_digests(struct list_moves *self)
{
	struct list_view files = { 0 }, rows = { 0 }, file_run, row_run;
	size_t i = 0, j = 0;
	bool good = list_view_add(&files, self->found, is_changed, NULL);

	list_view_sort(&files, list_by_digest);
	good = good &&
	       (files.n == 0 || list_view_add(&rows, self->old, NULL, &files));
	list_view_sort(&rows, list_by_digest);
	for (; good && j < rows.n; i += file_run.n, j += row_run.n) {
		while (list_by_digest(files.rows[i], rows.rows[j]) != 0)
			i++;
		file_run = list_view_run(&files, i, list_by_digest);
		row_run = list_view_run(&rows, j, list_by_digest);
		match_digest(self, file_run, row_run);
	}
	list_view_free(&files);
	list_view_free(&rows);
	return good;
}

/* By inode and witness ---------------------------------------------------------- */

/* Find the files of names that are gone, which were moved and damaged.  Several names
 * may have had an inode, one after the other. */
static bool
match_inodes(struct list_moves *self)
{
	struct list_view files = { 0 }, rows = { 0 };
	const bool good =
		list_view_add(&files, self->found, is_unpaired, NULL) &&
		list_view_add(&rows, self->old, is_left, NULL);

	pair_equal(self, files, rows, list_by_inode, false, pair_by_witness);
	list_view_free(&files);
	list_view_free(&rows);
	return good;
}

/* By place ---------------------------------------------------------------------- */

/* Return true if the row's file was moved, and is called as before. */
static bool
keeps_last_part(const struct list_row *row)
{
	return row->state == ROW_GONE && row->is_taken && row->other &&
	       row->other->state == CHANGE_MOVED &&
	       by_last_part(row, row->other) == 0;
}

/* Find the topmost directory of `least` bytes or more below which both paths of a move
 * are equal.  Return false if there is none. */
static bool
find_top(const struct list_row *row, size_t least, struct list_directory *top)
{
	const char *const from = row->path, *const to = row->other->path;
	size_t m = strlen(from), n = strlen(to), len;

	while (m > 0 && n > 0 && from[m - 1] == to[n - 1]) {
		m--;
		n--;
	}
	for (len = m > least ? m : least;
	     from[len - 1] != '/' || (len == m && n > 0); len++)
		if (!from[len - 1])
			return false;
	*top = (struct list_directory){ .from = from,
					.to = to,
					.from_len = len,
					.to_len = n + (len - m),
					.file = row->other,
					.files = 1 };
	return true;
}

/* Names that were not looked at are gone if their directory moved, and does not exist
 * any more. */
static void
find_gone(struct list_moves *self)
{
	struct list_directory top = { .from_len = 0 };
	struct text path = { 0 };
	struct stat st;

	for (size_t i = 0; i < self->old->n; i++) {
		struct list_row *row = &self->old->rows[i];

		if (!keeps_last_part(row) || !find_top(row, 1, &top) ||
		    (path.len == top.from_len &&
		     memcmp(path.bytes, top.from, path.len) == 0))
			continue;
		text_cut(&path, 0);
		if (!text_add(&path, top.from, top.from_len) ||
		    lstat(path.bytes, &st) == 0 || errno != ENOENT)
			continue;
		for (row = NULL;
		     (row = list_rows_next_below(self->old, path.bytes,
						 path.len, row)) != NULL;)
			if (row->state == ROW_ASIDE)
				row->state = ROW_GONE;
	}
	text_free(&path);
}

/* Return the bytes of the directory that both rows are in. */
static size_t
common_len(const struct list_row *a, const struct list_row *b)
{
	size_t len = 0;

	while (a->path[len] && a->path[len] == b->path[len])
		len++;
	return list_directory_len(a->path, len);
}

/* Find the file at the place of a name: the directory of both rows, which has `least`
 * bytes or more, went where the moved one went. */
static void
match_place(struct list_moves *self, struct list_row *row, size_t least,
	    const struct list_row *moved)
{
	const size_t len = moved ? common_len(row, moved) : 0;
	struct list_row *file = NULL;
	struct list_directory top;
	struct text path = { 0 };

	if (is_left(row) && len > 0 && len >= least &&
	    find_top(moved, 1, &top) && len >= top.from_len &&
	    text_add(&path, top.to, top.to_len + (len - top.from_len)) &&
	    text_add_string(&path, row->path + len))
		file = list_rows_find(self->found, path.bytes);
	if (file && is_unpaired(file))
		pair_judged(file, row);
	text_free(&path);
}

/* Match the names [first, end), which are gone: each with the nearest ones that were
 * moved, since it has the longest directory in common with one of these. */
static void
match_places(struct list_moves *self, size_t first, size_t end)
{
	struct list_row *const rows = self->old->rows;
	const struct list_row *before = NULL, *after;
	size_t next = first, least;
	bool is_nearer;

	for (size_t i = first; i < end; i++) {
		if (keeps_last_part(&rows[i]))
			before = &rows[i];
		if (!is_left(&rows[i]))
			continue;
		while (next < end &&
		       (next < i || !keeps_last_part(&rows[next])))
			next++;
		after = next < end ? &rows[next] : NULL;
		is_nearer = after && before &&
			    common_len(&rows[i], after) >
				    common_len(&rows[i], before);
		least = list_rows_topmost(self->old, i, first, end);
		if (least == 0)
			continue;
		match_place(self, &rows[i], least, is_nearer ? after : before);
		match_place(self, &rows[i], least, is_nearer ? before : after);
	}
}

/* Reports ------------------------------------------------------------------------ */

static int
compare_directories(const void *left, const void *right)
{
	const struct list_directory *const a = left, *const b = right;
	const int order =
		list_compare_bytes(a->from, a->from_len, b->from, b->from_len);

	return order ? order :
		       list_compare_bytes(a->to, a->to_len, b->to, b->to_len);
}

/* Count one more file of two that were moved with one directory. */
static bool
unite(struct list_directory *all, const struct list_directory *more)
{
	if (!all || compare_directories(all, more) != 0)
		return false;
	all->files += more->files;
	all->file->is_told = more->file->is_told = true;
	return true;
}

/* Add the directories of the names [first, end) that moved with each of these. */
static bool
add_directories(struct list_moves *self, size_t first, size_t end)
{
	struct list_directory top;

	for (size_t i = first; i < end; i++) {
		const size_t n = self->ndirectories;
		const size_t least =
			list_rows_topmost(self->old, i, first, end);

		if (least == 0 || !keeps_last_part(&self->old->rows[i]) ||
		    !find_top(&self->old->rows[i], least, &top) ||
		    top.to_len == 0 ||
		    unite(n > 0 ? &self->directories[n - 1] : NULL, &top))
			continue;
		if (!rows_grow(&self->directories, &self->capacity, n,
			       sizeof(top)))
			return false;
		self->directories[self->ndirectories++] = top;
	}
	return true;
}

/* Keep one of each directory that two or more files were moved with, which are reported
 * with it. */
static void
unite_directories(struct list_moves *self)
{
	struct list_directory *const all = self->directories, *last = NULL;
	size_t n = 0;

	if (self->ndirectories > 1)
		qsort(all, self->ndirectories, sizeof(*all),
		      compare_directories);
	for (size_t i = 0; i < self->ndirectories; i++) {
		if (unite(last, &all[i]))
			continue;
		n += last && last->files > 1;
		all[n] = all[i];
		last = &all[n];
	}
	self->ndirectories = n + (last && last->files > 1);
}

bool
list_moves_find(struct list_moves *self)
{
	struct list_rows *const old = self->old;
	size_t end;

	if (self->found->n == 0)
		return true;
	if (!match_digests(self))
		return false;
	find_gone(self);
	if (!match_inodes(self))
		return false;
	for (size_t i = 0; i < old->n; i = end) {
		end = i + 1;
		if (old->rows[i].state != ROW_GONE)
			continue;
		while (end < old->n && old->rows[end].state == ROW_GONE)
			end++;
		match_places(self, i, end);
		if (!add_directories(self, i, end))
			return false;
	}
	unite_directories(self);
	return !self->found->failed;
}

void
list_moves_free(struct list_moves *self)
{
	free(self->directories);
	text_free(&self->existing);
}
