/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_rows.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/base/rows.h"
#include "src/inputs/name_set.h"

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
	char *bytes = NULL;
	bool ends = false;

	if (rows_grow(&self->rows, &self->capacity, self->n, sizeof(row)) &&
	    name_shorten(path, name)) {
		/* Most paths are the ends of their names. */
		ends = len >= path->len &&
		       strcmp(name + len - path->len, path->bytes) == 0;
		bytes = take_bytes(self, len + 1 + (ends ? 0 : path->len + 1),
				   1);
	}
	if (!bytes) {
		self->failed = true;
		return NULL;
	}
	row.name = memcpy(bytes, name, len + 1);
	row.path = ends ? bytes + len - path->len :
			  memcpy(bytes + len + 1, path->bytes, path->len + 1);
	memcpy(row.digest, digest, sizeof(row.digest));
	self->rows[self->n] = row;
	return &self->rows[self->n++];
}

static int
compare_rows(const void *left, const void *right)
{
	return list_by_path(left, right);
}

void
list_rows_sort(struct list_rows *self)
{
	size_t sorted = 1;

	while (sorted < self->n &&
	       list_by_path(&self->rows[sorted - 1], &self->rows[sorted]) <= 0)
		sorted++;
	if (sorted < self->n)
		qsort(self->rows, self->n, sizeof(*self->rows), compare_rows);
	self->last = SIZE_MAX;
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

/* Return the index of the first row whose path begins with these bytes, or where it
 * would be. */
static size_t
find_index(const struct list_rows *self, const char *path, size_t len)
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
list_rows_find(struct list_rows *self, const char *name)
{
	const struct text *const path = &self->path;
	size_t at = self->last + 1;

	if (!name_shorten(&self->path, name)) {
		self->failed = true;
		return NULL;
	}
	/* Walks and lists have the same order. */
	if (at >= self->n || strcmp(self->rows[at].path, path->bytes) != 0)
		at = find_index(self, path->bytes, path->len + 1);
	if (at >= self->n || strcmp(self->rows[at].path, path->bytes) != 0)
		return NULL;
	self->last = at;
	return &self->rows[at];
}

bool
list_row_has_content(const struct list_row *row)
{
	return !list_row_has(row, list_digest_of_nothing);
}

struct list_row *
list_rows_next_below(const struct list_rows *self, const char *directory,
		     size_t len, const struct list_row *row)
{
	size_t at = row ? (size_t)(row - self->rows) + 1 :
			  find_index(self, directory, len);

	/* Names that are not below the working directory are among the others. */
	while (len == 0 && at < self->n &&
	       !name_is_below(self->rows[at].path, directory, len))
		at++;
	if (at == self->n ||
	    !name_is_below(self->rows[at].path, directory, len))
		return NULL;
	return &self->rows[at];
}

size_t
list_directory_len(const char *path, size_t len)
{
	while (len > 0 && path[len - 1] != '/')
		len--;
	return len;
}

size_t
list_rows_topmost(const struct list_rows *self, size_t i, size_t first,
		  size_t end)
{
	const char *const path = self->rows[i].path;

	assert(first <= i && i < end && end <= self->n);
	for (size_t len = 2; path[len - 2] && path[len - 1]; len++)
		if (path[len - 1] == '/' &&
		    (first == 0 ||
		     !name_is_below(self->rows[first - 1].path, path, len)) &&
		    (end == self->n ||
		     !name_is_below(self->rows[end].path, path, len)))
			return len;
	return 0;
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

/* Views ------------------------------------------------------------------------- */

int
list_by_path(const struct list_row *a, const struct list_row *b)
{
	int order = strcmp(a->path, b->path);

	if (order == 0) {
		const size_t m = strlen(a->name), n = strlen(b->name);

		order = (m > n) - (m < n);
	}
	return order ? order : strcmp(a->name, b->name);
}

int
list_by_name(const struct list_row *a, const struct list_row *b)
{
	return strcmp(a->name, b->name);
}

int
list_compare_bytes(const char *a, size_t m, const char *b, size_t n)
{
	const int order = memcmp(a, b, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

int
list_by_directory(const struct list_row *a, const struct list_row *b)
{
	return list_compare_bytes(a->path,
				  list_directory_len(a->path, strlen(a->path)),
				  b->path,
				  list_directory_len(b->path, strlen(b->path)));
}

int
list_by_digest(const struct list_row *a, const struct list_row *b)
{
	return memcmp(a->digest, b->digest, sizeof(a->digest));
}

int
list_by_inode(const struct list_row *a, const struct list_row *b)
{
	return (a->seen.inode > b->seen.inode) -
	       (a->seen.inode < b->seen.inode);
}

static int
compare_pointers(const void *left, const void *right, void *order)
{
	return (*(list_order **)order)(*(struct list_row *const *)left,
				       *(struct list_row *const *)right);
}

void
list_view_sort(struct list_view *self, list_order *order)
{
	size_t sorted = 1;

	while (sorted < self->n &&
	       order(self->rows[sorted - 1], self->rows[sorted]) <= 0)
		sorted++;
	if (sorted < self->n)
		qsort_r(self->rows, self->n, sizeof(*self->rows),
			compare_pointers, &order);
}

bool
list_view_add(struct list_view *self, const struct list_rows *rows,
	      bool (*has)(const struct list_row *),
	      const struct list_view *like)
{
	struct list_row **const all =
		reallocarray(self->rows, self->n + rows->n + 1, sizeof(*all));

	if (!all)
		return false;
	self->rows = all;
	for (size_t i = 0; i < rows->n; i++)
		if (has ? has(&rows->rows[i]) :
			  list_view_find(like, rows->rows[i].digest) != NULL)
			all[self->n++] = &rows->rows[i];
	return true;
}

struct list_view
list_view_run(const struct list_view *self, size_t first, list_order *order)
{
	size_t end = first + 1;

	assert(first < self->n);
	while (end < self->n && order(self->rows[first], self->rows[end]) == 0)
		end++;
	return (struct list_view){ self->rows + first, end - first };
}

struct list_row *
list_view_find(const struct list_view *self,
	       const uint8_t digest[SHA256_DIGEST_BYTES])
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
	return low < self->n && list_row_has(self->rows[low], digest) ?
		       self->rows[low] :
		       NULL;
}

void
list_view_free(struct list_view *self)
{
	free(self->rows);
	*self = (struct list_view){ 0 };
}

/* Witnesses --------------------------------------------------------------------- */

struct list_witness
list_witness_of(const struct file_version *version)
{
	return (struct list_witness){
		.size = version->size,
		.seconds = version->modified.tv_sec,
		.nanoseconds = (uint32_t)version->modified.tv_nsec,
		.inode = version->inode,
		.is_there = version->is_regular,
	};
}

bool
list_witness_look(const char *name, bool follow, struct list_witness *now)
{
	const int fd =
		descriptor_open(name, O_PATH | (follow ? 0 : O_NOFOLLOW));
	struct stat st = { .st_mode = 0 };

	if (fd < 0 || fstat(fd, &st) != 0)
		st.st_mode = 0;
	else if (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))
		errno = ENOENT;
	if (fd >= 0)
		close(fd);
	*now = list_witness_of(
		&(struct file_version){ .inode = st.st_ino,
					.size = st.st_size,
					.modified = st.st_mtim,
					.is_regular = S_ISREG(st.st_mode) });
	return st.st_mode && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode);
}

bool
list_witness_is_near(const struct list_witness *self, struct timespec time)
{
	const int64_t seconds = self->seconds, other = time.tv_sec;
	int64_t apart;

	if (seconds > other + 2 || other > seconds + 2)
		return false;
	apart = (seconds - other) * CLOCK_NS_PER_S +
		((int64_t)self->nanoseconds - time.tv_nsec);
	return apart > -2 * (int64_t)CLOCK_NS_PER_S &&
	       apart < 2 * (int64_t)CLOCK_NS_PER_S;
}

bool
list_witness_agrees(const struct list_witness *a, const struct list_witness *b)
{
	const struct timespec time = { .tv_sec = (time_t)b->seconds,
				       .tv_nsec = (long)b->nanoseconds };

	if (a->size != b->size)
		return false;
	if (a->seconds == b->seconds && a->nanoseconds == b->nanoseconds)
		return true;
	return (a->nanoseconds == 0 || b->nanoseconds == 0) &&
	       list_witness_is_near(a, time);
}

enum list_result
list_judge(const struct list_row *row,
	   const uint8_t digest[SHA256_DIGEST_BYTES],
	   const struct list_witness *now)
{
	if (list_row_has(row, digest))
		return LIST_SAME;
	if (!row->seen.is_there || !now->is_there)
		return LIST_UNKNOWN;
	return row->seen.is_young || !list_witness_agrees(&row->seen, now) ?
		       LIST_EDITED :
		       LIST_DAMAGED;
}

bool
list_is_as_hashed(const struct list_row *row, const struct list_witness *now)
{
	return row->seen.is_there && !row->seen.is_young && !row->is_accepted &&
	       list_witness_agrees(&row->seen, now) &&
	       !(row->is_twin && row->seen.inode != now->inode);
}
