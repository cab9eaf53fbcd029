/* SPDX-License-Identifier: MIT */
/*
 * update_rows: the lines of a list in memory, for --update.
 */
#ifndef SRC_INPUTS_UPDATE_ROWS_H
#define SRC_INPUTS_UPDATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"
#include "src/base/text.h"

enum update_kind {
	UPDATE_OLD,    /* of the old list; its file has not been hashed now */
	UPDATE_AGAIN,  /* the same, but its file is to be hashed now */
	UPDATE_EDITED, /* its file was hashed, and has another digest now */
	UPDATE_NEW
};

struct update_row {
	char *path; /* the name in its shortest form */
	char *name; /* stands after it, in the same allocation */
	enum update_kind kind;
	uint8_t digest[SHA256_DIGEST_BYTES];
};

/* Start from {0}. */
struct update_rows {
	struct update_row *rows;
	size_t n;
	size_t capacity;
	struct text path; /* the shortest form of a new row's name */
};

/* False: memory is short. */
bool
update_rows_add(struct update_rows *, const char *name, enum update_kind,
		const uint8_t digest[SHA256_DIGEST_BYTES]);

/* Sort by paths; rows of one path are neighbours, old ones first. */
void
update_rows_sort(struct update_rows *);

/* Sort by the bytes of the names as they are written. */
void
update_rows_sort_names(struct update_rows *);

/*
 * Of sorted rows keep one for each path, with its spelling in the old list or
 * else the shortest one.  A row to be hashed again gets the digest of the new row
 * of its path, if there is one.
 */
void
update_rows_unite(struct update_rows *);

/* Of sorted rows the one of this path, or NULL. */
struct update_row *
update_rows_find(const struct update_rows *, const char *path);

void
update_rows_free(struct update_rows *);

#endif
