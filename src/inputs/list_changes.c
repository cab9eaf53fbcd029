/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_changes.h"

#include <stdlib.h>
#include <string.h>

#include "src/output/report.h"

/* Of more files with one digest not all names are compared. */
enum { MOST_ALIKE = 64 };

/* The two directories of a move that are left when the equal ends of the names
 * are taken away. */
struct move {
	struct list_row *to; /* to->other: from */
	size_t to_len, from_len;
};

struct finder {
	struct list_rows *rows, *gone;
	struct list_digests old, lost; /* rows that are not new; gone */
	struct move *moves;
	size_t nmoves;
	struct results *results;
	bool quiet;
};

static void
tell(const struct finder *self, const struct list_change *change)
{
	if (change->kind == CHANGE_DAMAGED)
		report_fail();
	if (!self->quiet || change->kind == CHANGE_DAMAGED ||
	    change->kind == CHANGE_DROPPED)
		results_changed(self->results, change);
}

static void
tell_row(const struct finder *self, enum list_change_kind kind,
	 const struct list_row *row, const struct list_row *from)
{
	tell(self, &(struct list_change){ .kind = kind,
					  .name = row->name,
					  .from = from ? from->name : NULL });
}

static bool
is_same(const struct list_row *a, const struct list_row *b)
{
	return memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;
}

/* Moves --------------------------------------------------------------------- */

/* How many bytes at the ends of two paths are equal, as whole parts. */
static size_t
equal_end(const char *a, const char *b)
{
	const size_t m = strlen(a), n = strlen(b);
	size_t len = 0, whole = 0;

	while (len < m && len < n && a[m - len - 1] == b[n - len - 1]) {
		len++;
		if (a[m - len] == '/')
			whole = len - 1;
	}
	/* The whole of the shorter one, where the other has a slash. */
	if ((len == m && (len == n || b[n - len - 1] == '/')) ||
	    (len == n && len < m && a[m - len - 1] == '/'))
		whole = len;
	return whole;
}

/* The file that is gone and has this digest; of several the one whose name is
 * the most similar. */
static struct list_row *
find_origin(const struct finder *self, const struct list_row *row)
{
	struct list_row *best = NULL;
	size_t most = 0, n;
	struct list_row **const alike =
		list_digests_find(&self->lost, row->digest, &n);

	for (size_t i = 0; i < n && i < MOST_ALIKE; i++) {
		const size_t equal = equal_end(alike[i]->path, row->path);

		if (!alike[i]->other && (!best || equal > most)) {
			best = alike[i];
			most = equal;
		}
	}
	return best;
}

static void
find_moves(struct finder *self)
{
	for (size_t i = 0; i < self->rows->n; i++) {
		struct list_row *const to = &self->rows->rows[i];
		struct list_row *const from =
			to->kind == ROW_NEW ? find_origin(self, to) : NULL;
		size_t equal;

		if (!from)
			continue;
		to->other = from;
		from->other = to;
		equal = equal_end(to->path, from->path);
		if (equal > 0)
			self->moves[self->nmoves++] =
				(struct move){ to, strlen(to->path) - equal,
					       strlen(from->path) - equal };
	}
}

/* Directories ---------------------------------------------------------------- */

static int
compare_directories(const char *a, size_t m, const char *b, size_t n)
{
	const int order = memcmp(a, b, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

static int
compare_moves(const void *left, const void *right)
{
	const struct move *const a = left, *const b = right;
	const int order = compare_directories(a->to->other->path, a->from_len,
					      b->to->other->path, b->from_len);

	return order ? order :
		       compare_directories(a->to->path, a->to_len, b->to->path,
					   b->to_len);
}

/* The other files of the old directory that are below the new one: those that are
 * damaged are told later, empty ones are not. */
static void
find_rest(const struct finder *self, const struct move *move)
{
	const char *const from = move->to->other->path;
	const struct list_row *const end = self->gone->rows + self->gone->n;
	struct list_row *gone =
		list_rows_find(self->gone, from, move->from_len);

	for (; gone < end && strncmp(gone->path, from, move->from_len) == 0;
	     gone++) {
		struct text path = { 0 };
		struct list_row *row = NULL;

		if (!gone->other &&
		    text_add(&path, move->to->path, move->to_len) &&
		    text_add_string(&path, gone->path + move->from_len))
			row = list_rows_find(self->rows, path.bytes,
					     path.len + 1);
		if (row && row->kind == ROW_NEW && !row->other) {
			row->other = gone;
			gone->other = row;
			row->is_told = is_same(row, gone);
		}
		text_free(&path);
	}
}

/* Tell the moves [first, end), which are of one pair of directories, as one. */
static void
tell_directory(const struct finder *self, struct move *first, struct move *end)
{
	const struct list_row *const to = first->to, *const from = to->other;
	struct list_change change = { .kind = CHANGE_DIRECTORY,
				      .files = (size_t)(end - first) };
	char *to_name, *from_name;

	if (end - first < 2 || first->to_len == 0 || first->from_len == 0 ||
	    list_rows_find(self->rows, from->path, first->from_len))
		return;
	/* The directories in their shortest form, without a slash at the end. */
	to_name = strndup(to->path, first->to_len - 1);
	from_name = strndup(from->path, first->from_len - 1);
	if (to_name && from_name) {
		find_rest(self, first);
		change.name = to_name;
		change.from = from_name;
		tell(self, &change);
		for (struct move *move = first; move < end; move++)
			move->to->is_told = true;
	}
	free(to_name);
	free(from_name);
}

static void
tell_directories(struct finder *self)
{
	size_t end;

	qsort(self->moves, self->nmoves, sizeof(*self->moves), compare_moves);
	for (size_t first = 0; first < self->nmoves; first = end) {
		end = first + 1;
		while (end < self->nmoves &&
		       compare_moves(&self->moves[first], &self->moves[end]) ==
			       0)
			end++;
		tell_directory(self, &self->moves[first], &self->moves[end]);
	}
}

/* Files ---------------------------------------------------------------------- */

static void
tell_new(const struct finder *self, struct list_row *row)
{
	struct list_row *const from = row->other, **original;
	size_t n;

	if (row->is_told)
		return;
	if (!from) {
		original = list_digests_find(&self->old, row->digest, &n);
		tell_row(self, original ? CHANGE_COPY : CHANGE_NEW, row,
			 original ? *original : NULL);
	} else if (is_same(row, from)) {
		tell_row(self, CHANGE_MOVED, row, from);
	} else {
		memcpy(row->digest, from->digest, sizeof(row->digest));
		tell_row(self, CHANGE_DAMAGED, row, from);
	}
}

static void
tell_files(const struct finder *self)
{
	for (size_t i = 0; i < self->rows->n; i++) {
		struct list_row *const row = &self->rows->rows[i];

		if (row->kind == ROW_EDITED)
			tell_row(self, CHANGE_EDITED, row, NULL);
		else if (row->kind == ROW_NEW)
			tell_new(self, row);
	}
	for (size_t i = 0; i < self->gone->n; i++)
		if (!self->gone->rows[i].other)
			tell_row(self, CHANGE_DROPPED, &self->gone->rows[i],
				 NULL);
}

bool
list_changes_print(struct list_rows *rows, struct list_rows *gone,
		   struct results *results, bool quiet)
{
	struct finder self = { .rows = rows,
			       .gone = gone,
			       .moves =
				       calloc(rows->n + 1, sizeof(struct move)),
			       .results = results,
			       .quiet = quiet };
	const bool good = self.moves && list_digests_fill(&self.old, rows) &&
			  list_digests_fill(&self.lost, gone);

	if (good) {
		find_moves(&self);
		tell_directories(&self);
		tell_files(&self);
	}
	free(self.moves);
	list_digests_free(&self.old);
	list_digests_free(&self.lost);
	return good;
}
