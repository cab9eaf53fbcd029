/* SPDX-License-Identifier: MIT */
/*
 * list_rows: names and digests of a list, in memory.
 */
#ifndef SRC_INPUTS_LIST_ROWS_H
#define SRC_INPUTS_LIST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/fips180.h"
#include "src/base/text.h"

enum list_row_kind {
	ROW_OLD,    /* of the old list; its file has not been hashed now */
	ROW_AGAIN,  /* the same, but its file is to be hashed now */
	ROW_EDITED, /* its file was hashed, and has another digest now */
	ROW_NEW
};

struct list_row {
	char *path; /* the name in its shortest form */
	char *name; /* stands after it, in the same allocation */
	enum list_row_kind kind;
	uint8_t digest[SHA256_DIGEST_BYTES];
	/* Of list_changes: where the file was moved to or from, or NULL; and that
	 * it is told with its directory. */
	struct list_row *other;
	bool is_told;
};

/* Start from {0}. */
struct list_rows {
	struct list_row *rows;
	size_t n;
	size_t capacity;
	struct text path; /* the shortest form of a new row's name */
};

/* False: memory is short. */
bool
list_rows_add(struct list_rows *, const char *name, enum list_row_kind,
	      const uint8_t digest[SHA256_DIGEST_BYTES]);

/* Sort by paths; rows of one path are neighbours, old ones first. */
void
list_rows_sort(struct list_rows *);

/* Sort by the bytes of the names as they are written. */
void
list_rows_sort_names(struct list_rows *);

/*
 * Of sorted rows keep one for each path, with its spelling in the old list or
 * else the shortest one.  A row to be hashed again gets the digest of the new row
 * of its path, if there is one.
 */
void
list_rows_unite(struct list_rows *);

/* The first of sorted rows whose path begins with these bytes, or NULL; a path
 * and its NUL find that path. */
struct list_row *
list_rows_find(const struct list_rows *, const char *path, size_t len);

void
list_rows_free(struct list_rows *);

/*
 * Rows by their digests.  All empty files have one digest, which says nothing;
 * they are left out.  Rows must not be added or sorted as long as it is used.
 */
struct list_digests {
	struct list_row **rows;
	size_t n;
};

/* All rows but new ones.  False: memory is short. */
bool
list_digests_fill(struct list_digests *, const struct list_rows *);

/* The first of the rows with this digest, in their order, of *n; or NULL. */
struct list_row **
list_digests_find(const struct list_digests *,
		  const uint8_t digest[SHA256_DIGEST_BYTES], size_t *n);

void
list_digests_free(struct list_digests *);

#endif
