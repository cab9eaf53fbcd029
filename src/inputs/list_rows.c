/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/update_rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/rows.h"
#include "src/inputs/listed.h"

bool
update_rows_add(struct update_rows *self, const char *name,
		enum update_kind kind,
		const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct text *const path = &self->path;
	const size_t name_bytes = strlen(name) + 1;
	struct update_row row = { .kind = kind };

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
	const struct update_row *const a = left, *const b = right;
	const int order = strcmp(a->path, b->path);
	const size_t m = strlen(a->name), n = strlen(b->name);

	if (order)
		return order;
	if ((a->kind == UPDATE_NEW) != (b->kind == UPDATE_NEW))
		return a->kind == UPDATE_NEW ? 1 : -1;
	return m == n ? strcmp(a->name, b->name) : m < n ? -1 : 1;
}

static int
compare_names(const void *left, const void *right)
{
	const struct update_row *const a = left, *const b = right;

	return strcmp(a->name, b->name);
}

static void
sort(struct update_rows *self, int (*order)(const void *, const void *))
{
	if (self->n > 0)
		qsort(self->rows, self->n, sizeof(*self->rows), order);
}

void
update_rows_sort(struct update_rows *self)
{
	sort(self, compare_paths);
}

void
update_rows_sort_names(struct update_rows *self)
{
	sort(self, compare_names);
}

/* The file of an old row has been hashed again. */
static void
take_digest(struct update_row *row, const struct update_row *again)
{
	row->kind = memcmp(row->digest, again->digest, sizeof(row->digest)) ==
				    0 ?
			    UPDATE_OLD :
			    UPDATE_EDITED;
	memcpy(row->digest, again->digest, sizeof(row->digest));
}

void
update_rows_unite(struct update_rows *self)
{
	size_t n = 0;

	for (size_t i = 0; i < self->n; i++) {
		struct update_row *const row = &self->rows[i];
		struct update_row *const last = n ? &self->rows[n - 1] : NULL;

		if (!last || strcmp(last->path, row->path) != 0) {
			self->rows[n++] = *row;
			continue;
		}
		if (last->kind == UPDATE_AGAIN && row->kind == UPDATE_NEW)
			take_digest(last, row);
		free(row->path);
	}
	self->n = n;
}

struct update_row *
update_rows_find(const struct update_rows *self, const char *path)
{
	size_t low = 0, high = self->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(self->rows[middle].path, path);

		if (order == 0)
			return &self->rows[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void
update_rows_free(struct update_rows *self)
{
	for (size_t i = 0; i < self->n; i++)
		free(self->rows[i].path);
	free(self->rows);
	text_free(&self->path);
	*self = (struct update_rows){ 0 };
}
