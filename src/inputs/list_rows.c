/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/rows.h"
#include "src/inputs/listed.h"

enum { BLOCK_BYTES = 64 << 10 };

struct list_block {
	struct list_block *next;
	size_t used, size;
	_Alignas(8) char bytes[];
};

const uint8_t list_digest_of_nothing[SHA256_DIGEST_BYTES] = {
	0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
	0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55
};

/* Return memory, aligned to `align`, from the block or from a new one. */
static void *
take_bytes(struct list_rows *self, size_t bytes, size_t align)
{
	const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct list_block *block = self->block;
	size_t at = block ? (block->used + align - 1) / align * align : 0;

	if (!block || at > block->size || block->size - at < bytes) {
		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		*block = (struct list_block){ .next = self->block,
					      .size = size };
		self->block = block;
		at = 0;
	}
	block->used = at + bytes;
	return block->bytes + at;
}

void *
list_rows_allocate(struct list_rows *self, size_t bytes)
{
	return take_bytes(self, bytes, 8);
}

struct list_row *
list_rows_add(struct list_rows *self, const char *name,
	      const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct text *const path = &self->path;
	const size_t len = strlen(name);
	struct list_row row = { .state = 0 };
	bool ends;
	char *bytes;

	if (!rows_grow(&self->rows, &self->capacity, self->n, sizeof(row)) ||
	    !listed_shorten(path, name))
		return NULL;
	/* Most paths are the ends of their names. */
	ends = len >= path->len &&
	       strcmp(name + len - path->len, path->bytes) == 0;
	bytes = take_bytes(self, len + 1 + (ends ? 0 : path->len + 1), 1);
	if (!bytes)
		return NULL;
	row.name = memcpy(bytes, name, len + 1);
	row.path = ends ? bytes + len - path->len :
			  memcpy(bytes + len + 1, path->bytes, path->len + 1);
	memcpy(row.digest, digest, sizeof(row.digest));
	self->rows[self->n] = row;
	return &self->rows[self->n++];
}

static int
compare_paths(const void *left, const void *right)
{
	const struct list_row *const a = left, *const b = right;
	const int order = strcmp(a->path, b->path);
	size_t m, n;

	if (order)
		return order;
	m = strlen(a->name);
	n = strlen(b->name);
	return m == n ? strcmp(a->name, b->name) : m < n ? -1 : 1;
}

void
list_rows_sort(struct list_rows *self)
{
	size_t sorted = 1;

	while (sorted < self->n &&
	       compare_paths(&self->rows[sorted - 1], &self->rows[sorted]) <= 0)
		sorted++;
	if (sorted < self->n)
		qsort(self->rows, self->n, sizeof(*self->rows), compare_paths);
}

void
list_rows_unite(struct list_rows *self)
{
	size_t n = 0;

	for (size_t i = 0; i < self->n; i++)
		if (n == 0 ||
		    strcmp(self->rows[n - 1].path, self->rows[i].path) != 0)
			self->rows[n++] = self->rows[i];
	self->n = n;
}

size_t
list_rows_place(const struct list_rows *self, const char *path, size_t len)
{
	size_t low = 0, high = self->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(self->rows[middle].path, path, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct list_row *
list_rows_find_name(struct list_rows *self, const char *name, bool *known)
{
	const struct text *const path = &self->path;
	size_t at = self->last + 1;

	*known = listed_shorten(&self->path, name);
	if (!*known || self->n == 0)
		return NULL;
	/* Walks and lists have the same order. */
	if (at >= self->n || strcmp(self->rows[at].path, path->bytes) != 0)
		at = list_rows_place(self, path->bytes, path->len + 1);
	if (at >= self->n || strcmp(self->rows[at].path, path->bytes) != 0)
		return NULL;
	self->last = at;
	return &self->rows[at];
}

bool
list_row_is_below(const struct list_row *row, const char *directory, size_t len)
{
	if (len == 0)
		return *row->path != '/' && strcmp(row->path, "..") != 0 &&
		       strncmp(row->path, "../", 3) != 0;
	return strncmp(row->path, directory, len) == 0;
}

void
list_rows_free(struct list_rows *self)
{
	while (self->block) {
		struct list_block *const block = self->block;

		self->block = block->next;
		free(block);
	}
	free(self->rows);
	text_free(&self->path);
	*self = (struct list_rows){ 0 };
}

/* Digests --------------------------------------------------------------------- */

int
list_digests_compare(const void *left, const void *right)
{
	const struct list_row *const a = *(struct list_row *const *)left;
	const struct list_row *const b = *(struct list_row *const *)right;

	return memcmp(a->digest, b->digest, sizeof(a->digest));
}

bool
list_digests_fill(struct list_digests *self, const struct list_rows *rows)
{
	self->n = 0;
	self->rows = calloc(rows->n + 1, sizeof(*self->rows));
	if (!self->rows)
		return false;
	for (size_t i = 0; i < rows->n; i++)
		if (!list_row_has(&rows->rows[i], list_digest_of_nothing))
			self->rows[self->n++] = &rows->rows[i];
	qsort(self->rows, self->n, sizeof(*self->rows), list_digests_compare);
	return true;
}

const struct list_row *
list_digests_find(const struct list_digests *self,
		  const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct list_row key, *at = &key;
	struct list_row **found;

	memcpy(key.digest, digest, sizeof(key.digest));
	found = self->n == 0 ?
			NULL :
			bsearch(&at, self->rows, self->n, sizeof(*self->rows),
				list_digests_compare);
	return found ? *found : NULL;
}
