/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_moves.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "src/base/rows.h"
#include "src/inputs/list_verdict.h"

/* Return the bytes of a path up to its last part, or 0 if it has only one. */
static size_t
directory_len(const char *path, size_t len)
{
	while (len > 0 && path[len - 1] != '/')
		len--;
	return len;
}

static bool
is_there(const struct list_row *row)
{
	return row->state == ROW_KEPT || row->state == ROW_CHANGED;
}

/* Look at the file of a name that is below none of the FILEs. */
static void
look(const struct list_moves *self, struct list_row *row)
{
	struct list_witness now;

	if (!list_witness_look(row->name, !self->walks, &now))
		row->state = errno == ENOENT || errno == ENOTDIR ? ROW_GONE :
								   ROW_HIDDEN;
	else
		row->state = list_is_as_hashed(row, &now) ? ROW_KEPT :
							    ROW_HIDDEN;
}

/* Was the file moved? --------------------------------------------------------- */

/* Find the longest part of the row's directory that exists, and whether it has
 * files of LIST. */
static bool
find_existing(struct list_moves *self, const struct list_row *gone)
{
	size_t len = directory_len(gone->path, strlen(gone->path));
	struct text *const existing = &self->existing;
	struct stat st;

	if (self->asked && self->asked_len == len &&
	    memcmp(self->asked, gone->path, len) == 0)
		return true;
	self->asked = gone->path;
	self->asked_len = len;
	text_cut(existing, 0);
	if (!text_add(existing, gone->path, len))
		return false;
	while (len > 0 && lstat(existing->bytes, &st) != 0 &&
	       (errno == ENOENT || errno == ENOTDIR)) {
		len = directory_len(gone->path, len - 1);
		text_cut(existing, len);
	}
	self->has_files = false;
	for (size_t i = list_rows_place(self->old, existing->bytes, len);
	     i < self->old->n && !self->has_files; i++) {
		const struct list_row *const row = &self->old->rows[i];

		if (len > 0 && !list_row_is_below(row, existing->bytes, len))
			break;
		self->has_files = is_there(row) &&
				  list_row_is_below(row, existing->bytes, len);
	}
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
	       (self->has_files || list_row_is_below(file, self->existing.bytes,
						     self->existing.len));
}

static bool
pair(struct list_moves *self, struct list_row *file, struct list_row *row)
{
	if (row->state == ROW_GONE && !has_moved(self, row, file))
		return false;
	file->state = CHANGE_MOVED;
	file->other = row;
	row->is_taken = true;
	return true;
}

/* Files with one digest ------------------------------------------------------- */

static int
compare_places(const void *left, const void *right)
{
	const struct list_row *const a = *(struct list_row *const *)left;
	const struct list_row *const b = *(struct list_row *const *)right;

	return (a > b) - (a < b);
}

static int
compare_inodes(const void *left, const void *right)
{
	const struct list_row *const a = *(struct list_row *const *)left;
	const struct list_row *const b = *(struct list_row *const *)right;

	return (a->seen.inode > b->seen.inode) -
	       (a->seen.inode < b->seen.inode);
}

static int
compare_last_parts(const void *left, const void *right)
{
	const char *const a = (*(struct list_row *const *)left)->path;
	const char *const b = (*(struct list_row *const *)right)->path;

	return strcmp(a + directory_len(a, strlen(a)),
		      b + directory_len(b, strlen(b)));
}

static void
sort(struct list_digests *group, int (*order)(const void *, const void *))
{
	if (group->n > 1)
		qsort(group->rows, group->n, sizeof(*group->rows), order);
}

/* Pair files with rows that are equal in this order, or any; those that are left
 * stay in the groups. */
static void
pair_equal(struct list_moves *self, struct list_digests *files,
	   struct list_digests *rows, int (*order)(const void *, const void *),
	   bool any)
{
	size_t i = 0, j = 0, nfiles = 0, nrows = 0;

	sort(files, order);
	sort(rows, order);
	while (i < files->n || j < rows->n) {
		const int cmp = i == files->n ? 1 :
				j == rows->n  ? -1 :
				any	      ? 0 :
				      order(&files->rows[i], &rows->rows[j]);

		if (cmp == 0 && pair(self, files->rows[i], rows->rows[j])) {
			i++;
			j++;
		} else if (cmp < 0) {
			files->rows[nfiles++] = files->rows[i++];
		} else {
			rows->rows[nrows++] = rows->rows[j++];
		}
	}
	files->n = nfiles;
	rows->n = nrows;
}

/* Leave in the group the rows whose digests files may have got by a move.  Return
 * one whose file is there, or NULL. */
static const struct list_row *
select_rows(struct list_moves *self, struct list_digests *rows, size_t nfiles)
{
	const struct list_row *copied = NULL;
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct list_row *const row = rows->rows[i];

		/* At most one look for each file, and one for all copies. */
		if (row->state == ROW_ASIDE && n < nfiles && !copied)
			look(self, row);
		row->is_found = row->state == ROW_GONE;
		if (row->state == ROW_KEPT && !copied)
			copied = row;
		if ((row->is_found || row->state == ROW_CHANGED) &&
		    !row->is_taken)
			rows->rows[n++] = row;
	}
	rows->n = n;
	return copied;
}

static void
match_group(struct list_moves *self, struct list_digests files,
	    struct list_digests rows)
{
	const struct list_row *const copied = select_rows(self, &rows, files.n);

	if (rows.n > 0) {
		pair_equal(self, &files, &rows, compare_inodes, false);
		pair_equal(self, &files, &rows, compare_last_parts, false);
		pair_equal(self, &files, &rows, compare_places, true);
	}
	for (size_t i = 0; i < files.n && copied; i++) {
		struct list_row *const file = files.rows[i];

		if (!file->is_new)
			continue;
		file->state = CHANGE_COPY;
		file->other = (struct list_row *)(uintptr_t)copied;
	}
}

static bool
has_content(const struct list_row *row)
{
	return !list_row_has(row, list_digest_of_nothing);
}

static bool
fill(struct list_digests *group, const struct list_rows *rows,
     const struct list_digests *like)
{
	group->n = 0;
	group->rows = calloc(rows->n + 1, sizeof(struct list_row *));
	if (!group->rows)
		return false;
	for (size_t i = 0; i < rows->n; i++) {
		struct list_row *const row = &rows->rows[i];

		if (like ? bsearch(&row, like->rows, like->n,
				   sizeof(*like->rows),
				   list_digests_compare) != NULL :
			   row->state != CHANGE_NONE && has_content(row))
			group->rows[group->n++] = row;
	}
	sort(group, list_digests_compare);
	return true;
}

static size_t
count_equal(const struct list_digests *group, size_t first)
{
	size_t n = 1;

	while (first + n < group->n &&
	       list_digests_compare(&group->rows[first],
				    &group->rows[first + n]) == 0)
		n++;
	return n;
}

/* Match files and rows with one digest, for each. */
static bool
match_digests(struct list_moves *self)
{
	struct list_digests files = { NULL, 0 }, rows = { NULL, 0 };
	const bool good = fill(&files, self->found, NULL) &&
			  (files.n == 0 || fill(&rows, self->old, &files));
	size_t i = 0, j = 0, m, n;

	for (; good && j < rows.n; i += m, j += n) {
		while (list_digests_compare(&files.rows[i], &rows.rows[j]) != 0)
			i++;
		m = count_equal(&files, i);
		n = count_equal(&rows, j);
		match_group(self, (struct list_digests){ files.rows + i, m },
			    (struct list_digests){ rows.rows + j, n });
	}
	free(files.rows);
	free(rows.rows);
	return good;
}

/* Directories ------------------------------------------------------------------ */

static int
compare_bytes(const char *a, size_t m, const char *b, size_t n)
{
	const int order = memcmp(a, b, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

static int
compare_from(const void *left, const void *right)
{
	const struct list_directory *const a = left, *const b = right;

	return compare_bytes(a->from, a->from_len, b->from, b->from_len);
}

static int
compare_directories(const void *left, const void *right)
{
	const struct list_directory *const a = left, *const b = right;
	const int order = compare_from(a, b);

	return order ? order :
		       compare_bytes(a->to, a->to_len, b->to, b->to_len);
}

/* Note that one more file was moved between these directories. */
static bool
add_directory(struct list_moves *self, size_t *capacity,
	      const struct list_directory *directory)
{
	enum { NEIGHBOURS = 16 };
	const size_t n = self->ndirectories;

	for (size_t i = n; i > 0 && n - i < NEIGHBOURS; i--)
		if (compare_directories(&self->directories[i - 1], directory) ==
		    0) {
			self->directories[i - 1].files++;
			return true;
		}
	if (!rows_grow(&self->directories, capacity, n, sizeof(*directory)))
		return false;
	self->directories[self->ndirectories++] = *directory;
	return true;
}

/* Add each pair of directories below which both paths of a move are equal. */
static bool
add_directories(struct list_moves *self, size_t *capacity,
		const struct list_row *file)
{
	struct list_directory at = { .from = file->other->path,
				     .to = file->path,
				     .files = 1 };
	size_t m = strlen(at.from), n = strlen(at.to);

	while (m > 0 && n > 0) {
		at.from_len = directory_len(at.from, m);
		at.to_len = directory_len(at.to, n);
		if (compare_bytes(at.from + at.from_len, m - at.from_len,
				  at.to + at.to_len, n - at.to_len) != 0 ||
		    compare_bytes(at.from, at.from_len, at.to, at.to_len) == 0)
			break;
		if (!add_directory(self, capacity, &at))
			return false;
		m = at.from_len - (at.from_len > 0);
		n = at.to_len - (at.to_len > 0);
	}
	return true;
}

/* Return true if all names below the directory are gone.  Those that were not
 * looked at are, if it does not exist. */
static bool
is_gone(struct list_moves *self, const struct list_directory *directory)
{
	const size_t len = directory->from_len;
	struct list_rows *const old = self->old;
	char *const path = strndup(directory->from, len);
	bool gone = path && len > 0;
	struct stat st;

	if (gone && lstat(path, &st) != 0 && errno == ENOENT)
		for (size_t i = list_rows_place(old, path, len);
		     i < old->n && list_row_is_below(&old->rows[i], path, len);
		     i++)
			if (old->rows[i].state == ROW_ASIDE)
				old->rows[i].state = ROW_GONE;
	for (size_t i = list_rows_place(old, directory->from, len);
	     gone && i < old->n &&
	     list_row_is_below(&old->rows[i], directory->from, len);
	     i++)
		gone = old->rows[i].state == ROW_GONE;
	free(path);
	return gone;
}

/* Keep, for each directory that is gone, the one that most of its files are in. */
static void
choose_directories(struct list_moves *self)
{
	struct list_directory *const all = self->directories, *best;
	size_t n = 0, next;

	if (self->ndirectories > 1)
		qsort(all, self->ndirectories, sizeof(*all),
		      compare_directories);
	for (size_t i = 0; i < self->ndirectories; i = next) {
		best = NULL;
		for (next = i; next < self->ndirectories &&
			       compare_from(&all[i], &all[next]) == 0;
		     next++) {
			struct list_directory *const last =
				next > i ? &all[next - 1] : NULL;

			if (last && compare_directories(last, &all[next]) == 0)
				all[next].files += last->files;
			if (!best || all[next].files > best->files)
				best = &all[next];
		}
		if (is_gone(self, best))
			all[n++] = *best;
	}
	self->ndirectories = n;
	for (size_t i = 0; i < n; i++)
		all[i].files = 0;
}

static struct list_directory *
find_directory(const struct list_moves *self, const char *path, size_t len)
{
	const struct list_directory key = { .from = path, .from_len = len };

	return self->ndirectories == 0 ?
		       NULL :
		       bsearch(&key, self->directories, self->ndirectories,
			       sizeof(key), compare_from);
}

/* Return true if the file is new, so far as its digest shows.  A copy of a name that is
 * there may as well be the damaged file of one that is gone. */
static bool
is_unpaired(const struct list_row *file)
{
	return file->is_new &&
	       (file->state == CHANGE_NEW || file->state == CHANGE_COPY);
}

/* Return the new file at the place of the row in the longest of its directories that
 * was moved, or NULL. */
static struct list_row *
find_at_place(struct list_moves *self, const struct list_row *row)
{
	const struct list_directory *directory = NULL;
	size_t len = strlen(row->path), at;
	struct list_row *file = NULL;
	struct text path = { 0 };

	while (len > 0 && !directory) {
		len = directory_len(row->path, len - 1);
		directory = find_directory(self, row->path, len);
	}
	if (directory && text_add(&path, directory->to, directory->to_len) &&
	    text_add_string(&path, row->path + len)) {
		at = list_rows_place(self->found, path.bytes, path.len + 1);
		if (at < self->found->n &&
		    strcmp(self->found->rows[at].path, path.bytes) == 0)
			file = &self->found->rows[at];
	}
	text_free(&path);
	return file && is_unpaired(file) ? file : NULL;
}

/* Give the name's place to a file that may be edited or damaged. */
static void
take_place(struct list_row *row, struct list_row *file)
{
	switch (list_judge(row, file->digest, &file->seen)) {
	case VERDICT_SAME: file->state = CHANGE_MOVED; break;
	case VERDICT_EDITED: file->state = CHANGE_EDITED; break;
	default: file->state = CHANGE_DIFFERS;
	}
	file->other = row;
	row->is_taken = true;
}

static bool
is_left(const struct list_row *row)
{
	return row->state == ROW_GONE && !row->is_taken;
}

/* Return the name that is gone and whose file this was when it was hashed, or NULL.
 * Several names may have had the inode, one after the other. */
static struct list_row *
find_by_inode(const struct list_digests *gone, struct list_row *file)
{
	struct list_row **const end = gone->rows + gone->n;
	struct list_row **row = bsearch(&file, gone->rows, gone->n,
					sizeof(*gone->rows), compare_inodes);

	while (row && row > gone->rows && compare_inodes(row - 1, &file) == 0)
		row--;
	for (; row && row < end && compare_inodes(row, &file) == 0; row++)
		if (is_left(*row) &&
		    list_witness_agrees(&(*row)->seen, &file->seen))
			return *row;
	return NULL;
}

/* Find the files that have inode, size and time of a name that is gone, and then those
 * that were moved with their directories, which is less certain. */
static bool
match_places(struct list_moves *self)
{
	struct list_digests gone = {
		calloc(self->old->n + 1, sizeof(*gone.rows)), 0
	};
	struct list_row *file;

	if (!gone.rows)
		return false;
	for (size_t i = 0; i < self->old->n; i++) {
		struct list_row *const row = &self->old->rows[i];

		if (is_left(row) && row->seen.is_there)
			gone.rows[gone.n++] = row;
	}
	sort(&gone, compare_inodes);
	for (size_t i = 0; i < self->found->n && gone.n > 0; i++) {
		struct list_row *row;

		file = &self->found->rows[i];
		row = is_unpaired(file) && file->seen.is_there ?
			      find_by_inode(&gone, file) :
			      NULL;
		if (row)
			take_place(row, file);
	}
	free(gone.rows);
	for (size_t i = 0; i < self->old->n; i++) {
		struct list_row *const row = &self->old->rows[i];

		file = is_left(row) ? find_at_place(self, row) : NULL;
		if (file)
			take_place(row, file);
	}
	return true;
}

/* Return the topmost directory with which the file was moved, or NULL. */
static struct list_directory *
find_topmost(const struct list_moves *self, const struct list_row *file)
{
	const char *const from = file->other->path, *const to = file->path;

	for (size_t len = 1; from[len - 1]; len++) {
		struct list_directory *const directory =
			from[len - 1] == '/' ? find_directory(self, from, len) :
					       NULL;

		if (directory && directory->to_len > 0 &&
		    strncmp(to, directory->to, directory->to_len) == 0 &&
		    strcmp(to + directory->to_len, from + len) == 0)
			return directory;
	}
	return NULL;
}

static bool
is_move(const struct list_row *file)
{
	return file->is_new && file->state == CHANGE_MOVED &&
	       file->other->state == ROW_GONE;
}

/* Mark the files that are reported with their directories, two or more. */
static void
mark_told(struct list_moves *self)
{
	struct list_rows *const found = self->found;
	struct list_directory *directory;

	for (size_t i = 0; i < found->n; i++)
		if (is_move(&found->rows[i]) &&
		    (directory = find_topmost(self, &found->rows[i])) != NULL)
			directory->files++;
	for (size_t i = 0; i < found->n; i++) {
		struct list_row *const file = &found->rows[i];

		directory = is_move(file) ? find_topmost(self, file) : NULL;
		file->is_told = directory && directory->files > 1;
	}
}

bool
list_moves_find(struct list_moves *self)
{
	struct list_rows *const found = self->found;
	size_t capacity = 0;

	if (found->n == 0)
		return true;
	if (!match_digests(self))
		return false;
	for (size_t i = 0; i < found->n; i++)
		if (is_move(&found->rows[i]) &&
		    !add_directories(self, &capacity, &found->rows[i]))
			return false;
	choose_directories(self);
	if (!match_places(self))
		return false;
	mark_told(self);
	return true;
}

void
list_moves_free(struct list_moves *self)
{
	free(self->directories);
	text_free(&self->existing);
}
