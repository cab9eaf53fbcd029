/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_changes.h"

#include <stdlib.h>
#include <string.h>

#include "src/inputs/listed.h"

/* Of more files with one digest not all names are compared. */
enum { MOST_ALIKE = 64 };

/* A row of the new list that is new, or one that is gone. */
struct end {
	struct update_row *row;
	struct end *other; /* where it was moved to or from, or NULL */
	bool told;	   /* with its directory */
	bool damaged;
};

/* The two directories of a move that are left when the equal ends of the names
 * are taken away. */
struct move {
	struct end *to;
	size_t to_len, from_len;
};

struct finder {
	struct update_rows *rows;
	struct end *new, *gone;
	struct end **by_digest;	 /* of those that are gone */
	struct update_row **old; /* rows that are not new, by digest */
	struct move *moves;
	size_t nnew, ngone, nold, nmoves;
	void (*tell)(void *context, const struct list_change *);
	void *context;
};

static int
compare_digests(const struct update_row *a, const struct update_row *b)
{
	const int order = memcmp(a->digest, b->digest, sizeof(a->digest));

	return order ? order : strcmp(a->path, b->path);
}

static int
compare_ends(const void *left, const void *right)
{
	const struct end *const *a = left, *const *b = right;

	return compare_digests((*a)->row, (*b)->row);
}

static int
compare_rows(const void *left, const void *right)
{
	const struct update_row *const *a = left, *const *b = right;

	return compare_digests(*a, *b);
}

static bool
is_same(const struct update_row *a, const struct update_row *b)
{
	return memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;
}

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

/* Moves --------------------------------------------------------------------- */

static size_t
first_with_digest(const struct finder *self, const struct update_row *row)
{
	size_t low = 0, high = self->ngone;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (memcmp(self->by_digest[middle]->row->digest, row->digest,
			   sizeof(row->digest)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The file that is gone and has this digest; of several the one whose name is
 * the most similar. */
static struct end *
find_origin(const struct finder *self, const struct update_row *row)
{
	const size_t first = first_with_digest(self, row);
	struct end *best = NULL;
	size_t most = 0;

	for (size_t i = first; i < self->ngone && i < first + MOST_ALIKE &&
			       is_same(self->by_digest[i]->row, row);
	     i++) {
		struct end *const gone = self->by_digest[i];
		const size_t equal = equal_end(gone->row->path, row->path);

		if (!gone->other && (!best || equal > most)) {
			best = gone;
			most = equal;
		}
	}
	return best;
}

static void
find_moves(struct finder *self)
{
	for (size_t i = 0; i < self->nnew; i++) {
		struct end *const to = &self->new[i];
		struct end *const from = listed_is_of_empty(to->row->digest) ?
						 NULL :
						 find_origin(self, to->row);
		size_t equal;

		if (!from)
			continue;
		to->other = from;
		from->other = to;
		equal = equal_end(to->row->path, from->row->path);
		if (equal > 0)
			self->moves[self->nmoves++] = (struct move){
				to, strlen(to->row->path) - equal,
				strlen(from->row->path) - equal
			};
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
	const char *const from_a = a->to->other->row->path;
	const char *const from_b = b->to->other->row->path;
	const int order =
		compare_directories(from_a, a->from_len, from_b, b->from_len);

	return order ? order :
		       compare_directories(a->to->row->path, a->to_len,
					   b->to->row->path, b->to_len);
}

/* The first of the sorted ends whose path is not before that of a directory. */
static struct end *
first_below(struct end *ends, size_t n, const char *directory, size_t len)
{
	size_t low = 0;

	while (low < n) {
		const size_t middle = low + (n - low) / 2;

		if (strncmp(ends[middle].row->path, directory, len) < 0)
			low = middle + 1;
		else
			n = middle;
	}
	return ends + low;
}

/* Has the new list anything below the directory? */
static bool
is_left(const struct finder *self, const char *directory, size_t len)
{
	const struct update_rows *rows = self->rows;
	size_t low = 0, high = rows->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(rows->rows[middle].path, directory, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < rows->n &&
	       strncmp(rows->rows[low].path, directory, len) == 0;
}

/* Files below the old directory that have another digest below the new one. */
static void
find_damaged(const struct finder *self, const struct move *move)
{
	const char *const from = move->to->other->row->path;
	const char *const to = move->to->row->path;
	const struct end *const end = self->gone + self->ngone;
	struct end *gone =
		first_below(self->gone, self->ngone, from, move->from_len);

	for (;
	     gone < end && strncmp(gone->row->path, from, move->from_len) == 0;
	     gone++) {
		struct text path = { 0 };
		struct end *new;

		if (gone->other)
			continue;
		if (text_add(&path, to, move->to_len) &&
		    text_add_string(&path, gone->row->path + move->from_len)) {
			new = first_below(self->new, self->nnew, path.bytes,
					  path.len + 1);
			if (new < self->new + self->nnew && !new->other &&
			    strcmp(new->row->path, path.bytes) == 0) {
				new->other = gone;
				new->damaged = true;
				gone->other = new;
				memcpy(new->row->digest, gone->row->digest,
				       sizeof(gone->row->digest));
			}
		}
		text_free(&path);
	}
}

/* Tell the moves [first, end), which are of one pair of directories, as one. */
static void
tell_directory(const struct finder *self, struct move *first, struct move *end)
{
	struct update_row *const to = first->to->row;
	struct update_row *const from = first->to->other->row;
	struct list_change change = { .kind = CHANGE_DIRECTORY,
				      .files = (size_t)(end - first) };
	char *to_name, *from_name;

	if (end - first < 2 || first->to_len == 0 || first->from_len == 0 ||
	    is_left(self, from->path, first->from_len))
		return;
	/* The directories in their shortest form, without a slash at the end. */
	to_name = strndup(to->path, first->to_len - 1);
	from_name = strndup(from->path, first->from_len - 1);
	if (to_name && from_name) {
		find_damaged(self, first);
		change.name = to_name;
		change.from = from_name;
		self->tell(self->context, &change);
		for (struct move *move = first; move < end; move++)
			move->to->told = true;
	}
	free(to_name);
	free(from_name);
}

static void
tell_directories(struct finder *self)
{
	size_t end;

	if (self->nmoves > 0)
		qsort(self->moves, self->nmoves, sizeof(*self->moves),
		      compare_moves);
	for (size_t first = 0; first < self->nmoves; first = end) {
		end = first + 1;
		while (end < self->nmoves &&
		       compare_moves(&self->moves[first], &self->moves[end]) ==
			       0)
			end++;
		tell_directory(self, &self->moves[first], &self->moves[end]);
	}
}

/* All the rest --------------------------------------------------------------- */

static const struct update_row *
find_original(const struct finder *self, struct update_row *row)
{
	size_t low = 0, high = self->nold;

	if (listed_is_of_empty(row->digest))
		return NULL;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (memcmp(self->old[middle]->digest, row->digest,
			   sizeof(row->digest)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < self->nold && is_same(self->old[low], row) ?
		       self->old[low] :
		       NULL;
}

static void
tell(const struct finder *self, enum list_change_kind kind,
     const struct update_row *row, const struct update_row *from)
{
	const struct list_change change = { .kind = kind,
					    .name = row->name,
					    .from = from ? from->name : NULL };

	self->tell(self->context, &change);
}

static void
tell_new(const struct finder *self, const struct end *new)
{
	const struct update_row *original;

	if (new->told)
		return;
	if (new->other) {
		tell(self, new->damaged ? CHANGE_DAMAGED : CHANGE_MOVED,
		     new->row, new->other->row);
		return;
	}
	original = find_original(self, new->row);
	tell(self, original ? CHANGE_COPY : CHANGE_NEW, new->row, original);
}

static void
tell_files(const struct finder *self)
{
	const struct end *new = self->new;

	for (size_t i = 0; i < self->rows->n; i++) {
		const struct update_row *const row = &self->rows->rows[i];

		if (row->kind == UPDATE_EDITED)
			tell(self, CHANGE_EDITED, row, NULL);
		else if (row->kind == UPDATE_NEW)
			tell_new(self, new ++);
	}
	for (size_t i = 0; i < self->ngone; i++)
		if (!self->gone[i].other)
			tell(self, CHANGE_DROPPED, self->gone[i].row, NULL);
}

static bool
allocate(struct finder *self, const struct update_rows *gone)
{
	const size_t n = self->rows->n;

	self->new = calloc(n + 1, sizeof(*self->new));
	self->old = calloc(n + 1, sizeof(*self->old));
	self->moves = calloc(n + 1, sizeof(*self->moves));
	self->gone = calloc(gone->n + 1, sizeof(*self->gone));
	self->by_digest = calloc(gone->n + 1, sizeof(*self->by_digest));
	return self->new && self->old && self->moves && self->gone &&
	       self->by_digest;
}

static void
fill(struct finder *self, const struct update_rows *gone)
{
	for (size_t i = 0; i < self->rows->n; i++) {
		struct update_row *const row = &self->rows->rows[i];

		if (row->kind == UPDATE_NEW)
			self->new[self->nnew++].row = row;
		else
			self->old[self->nold++] = row;
	}
	for (size_t i = 0; i < gone->n; i++) {
		self->gone[i].row = &gone->rows[i];
		self->by_digest[i] = &self->gone[i];
	}
	self->ngone = gone->n;
	if (self->nold > 0)
		qsort(self->old, self->nold, sizeof(struct update_row *),
		      compare_rows);
	if (self->ngone > 0)
		qsort(self->by_digest, self->ngone, sizeof(struct end *),
		      compare_ends);
}

bool
list_changes_find(struct update_rows *rows, const struct update_rows *gone,
		  void (*tell_one)(void *context, const struct list_change *),
		  void *context)
{
	struct finder self = { .rows = rows,
			       .tell = tell_one,
			       .context = context };
	const bool good = allocate(&self, gone);

	if (good) {
		fill(&self, gone);
		find_moves(&self);
		tell_directories(&self);
		tell_files(&self);
	}
	free(self.new);
	free(self.old);
	free(self.moves);
	free(self.gone);
	free(self.by_digest);
	return good;
}
