/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/rows.h"
#include "src/inputs/listed.h"

bool
list_rows_add(struct list_rows *self, const char *name, enum list_row_kind kind,
	      const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct text *const path = &self->path;
	const size_t name_bytes = strlen(name) + 1;
	struct list_row row = { .kind = kind };

	if (!rows_grow(&self->rows, &self->capacity, self->n, sizeof(row)) ||
	    !listed_shorten(path, name) ||
	    !(row.path = malloc(path->len + 1 + name_bytes)))
		return false;
	row.name = row.path + path->len + 1;
	memcpy(row.path, path->bytes, path->len + 1);
	memcpy(row.name, name, name_bytes);
	memcpy(row.digest, digest, sizeof(row.digest));
	self->rows[self->n++] = row;
	return true;
}

static int
compare_paths(const void *left, const void *right)
{
	const struct list_row *const a = left, *const b = right;
	const int order = strcmp(a->path, b->path);
	const size_t m = strlen(a->name), n = strlen(b->name);

	if (order)
		return order;
	if ((a->kind == ROW_NEW) != (b->kind == ROW_NEW))
		return a->kind == ROW_NEW ? 1 : -1;
	return m == n ? strcmp(a->name, b->name) : m < n ? -1 : 1;
}

static int
compare_names(const void *left, const void *right)
{
	const struct list_row *const a = left, *const b = right;

	return strcmp(a->name, b->name);
}

static void
sort(struct list_rows *self, int (*order)(const void *, const void *))
{
	if (self->n > 0)
		qsort(self->rows, self->n, sizeof(*self->rows), order);
}

void
list_rows_sort(struct list_rows *self)
{
	sort(self, compare_paths);
}

void
list_rows_sort_names(struct list_rows *self)
{
	sort(self, compare_names);
}

/* The file of an old row has been hashed again. */
static void
take_digest(struct list_row *row, const struct list_row *again)
{
	const bool is_same =
		memcmp(row->digest, again->digest, sizeof(row->digest)) == 0;

	row->kind = is_same ? ROW_OLD : ROW_EDITED;
	memcpy(row->digest, again->digest, sizeof(row->digest));
}

void
list_rows_unite(struct list_rows *self)
{
	size_t n = 0;

	for (size_t i = 0; i < self->n; i++) {
		struct list_row *const row = &self->rows[i];
		struct list_row *const last = n ? &self->rows[n - 1] : NULL;

		if (!last || strcmp(last->path, row->path) != 0) {
			self->rows[n++] = *row;
			continue;
		}
		if (last->kind == ROW_AGAIN && row->kind == ROW_NEW)
			take_digest(last, row);
		free(row->path);
	}
	self->n = n;
}

struct list_row *
list_rows_find(const struct list_rows *self, const char *path, size_t len)
{
	size_t low = 0, high = self->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(self->rows[middle].path, path, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < self->n && strncmp(self->rows[low].path, path, len) == 0 ?
		       &self->rows[low] :
		       NULL;
}

void
list_rows_free(struct list_rows *self)
{
	for (size_t i = 0; i < self->n; i++)
		free(self->rows[i].path);
	free(self->rows);
	text_free(&self->path);
	*self = (struct list_rows){ 0 };
}

/* By digest --------------------------------------------------------------- */

static const uint8_t of_nothing[SHA256_DIGEST_BYTES] = {
	0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
	0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55
};

static int
compare_digests(const void *left, const void *right)
{
	const struct list_row *const a = *(struct list_row *const *)left;
	const struct list_row *const b = *(struct list_row *const *)right;
	const int order = memcmp(a->digest, b->digest, sizeof(a->digest));

	return order ? order : (a > b) - (a < b);
}

bool
list_digests_fill(struct list_digests *self, const struct list_rows *rows)
{
	self->n = 0;
	self->rows = calloc(rows->n + 1, sizeof(struct list_row *));
	if (!self->rows)
		return false;
	for (size_t i = 0; i < rows->n; i++) {
		struct list_row *const row = &rows->rows[i];

		if (row->kind != ROW_NEW &&
		    memcmp(row->digest, of_nothing, sizeof(of_nothing)) != 0)
			self->rows[self->n++] = row;
	}
	qsort(self->rows, self->n, sizeof(struct list_row *), compare_digests);
	return true;
}

struct list_row **
list_digests_find(const struct list_digests *self,
		  const uint8_t digest[SHA256_DIGEST_BYTES], size_t *n)
{
	size_t low = 0, high = self->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (memcmp(self->rows[middle]->digest, digest,
			   SHA256_DIGEST_BYTES) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < self->n; ++*n)
		if (memcmp(self->rows[low + *n]->digest, digest,
			   SHA256_DIGEST_BYTES) != 0)
			break;
	return *n > 0 ? self->rows + low : NULL;
}

void
list_digests_free(struct list_digests *self)
{
	free(self->rows);
	*self = (struct list_digests){ NULL, 0 };
}
