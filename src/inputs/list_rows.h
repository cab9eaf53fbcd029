/* SPDX-License-Identifier: MIT */
/*
 * list_rows: names and digests of a list, in memory, sorted by path.
 *
 * A name is kept as the list spells it.  Its path is the shortest form of it
 * (listed_shorten), by which names are compared, so that "a" and "./a" are one.
 */
#ifndef SRC_INPUTS_LIST_ROWS_H
#define SRC_INPUTS_LIST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "src/base/fips180.h"
#include "src/base/text.h"

/* A file as it was when it was hashed; a row of LIST.index has this.  Lists may have
 * millions of rows, so it has no gaps. */
struct list_witness {
	int64_t size, seconds; /* st_size, and st_mtim's seconds */
	uint64_t inode;
	uint32_t nanoseconds : 30;
	uint32_t is_there : 1; /* the row has a witness */
	uint32_t is_young : 1; /* modified about when it was hashed */
} __attribute__((packed, aligned(4)));

/* The rest of a file's identity, for rows of LIST.part. */
struct list_identity {
	uint64_t device;
	struct timespec changed;
};

/* The state of a LIST name's file, so far as an update knows it. */
enum list_row_state {
	ROW_ASIDE,   /* not looked at */
	ROW_KEPT,    /* there, with the digest of LIST */
	ROW_CHANGED, /* there, with another digest */
	ROW_HIDDEN,  /* perhaps there: it could not be looked at or read */
	ROW_GONE,
	ROW_DROPPED /* gone, and its name goes as well */
};

struct list_row {
	const char *path, *name; /* may overlap */
	uint8_t digest[SHA256_DIGEST_BYTES];
	struct list_witness seen;
	uint8_t state; /* enum list_row_state, or list_change_kind of a file */
	/* Set before any file is looked at: */
	bool is_twin : 1;     /* another row has this size and time */
	bool is_accepted : 1; /* read the file, and take its digest */
	/* And when all have been: */
	uint8_t : 0;
	bool is_sought : 1; /* below a FILE */
	bool is_found : 1;  /* gone, and a file has its digest now */
	bool is_taken : 1;  /* that file has its place in LIST */
	bool is_new : 1;    /* a file that LIST does not name */
	bool is_told : 1;   /* with its directory */
	union {
		struct list_row *other; /* a row's file, a file's old name */
		const struct list_identity *identity;
	};
};

_Static_assert(sizeof(void *) < 8 || sizeof(struct list_row) == 88,
	       "a million rows take 88 MB");

/* Start from {0}. */
struct list_rows {
	struct list_row *rows;
	size_t n, capacity;
	size_t last;	  /* row that list_rows_find_name has found last */
	struct text path; /* shortest form of a name */
	struct list_block *block; /* of names */
};

/* Add a row without a witness.  Return NULL if memory is short. */
struct list_row *
list_rows_add(struct list_rows *, const char *name,
	      const uint8_t digest[SHA256_DIGEST_BYTES]);

/* Return memory that lives as long as the rows, or NULL. */
void *
list_rows_allocate(struct list_rows *, size_t bytes);

/* Sort by paths; the shortest of several names with one path comes first. */
void
list_rows_sort(struct list_rows *);

/* Keep the first of the sorted rows with one path. */
void
list_rows_unite(struct list_rows *);

/* Return the place of the first sorted row whose path begins with these bytes, or
 * where it would be. */
size_t
list_rows_place(const struct list_rows *, const char *path, size_t len);

/* Return the first sorted row with this name in any spelling, or NULL.  *known is
 * false if memory is too short to look. */
struct list_row *
list_rows_find_name(struct list_rows *, const char *name, bool *known);

/* Return true if the row's name is below the directory, whose shortest path ends
 * with a slash; an empty path is the working directory. */
bool
list_row_is_below(const struct list_row *, const char *directory, size_t len);

void
list_rows_free(struct list_rows *);

/* Rows sorted by their digests; empty files are left out. */
struct list_digests {
	struct list_row **rows;
	size_t n;
};

/* Compare two rows that the arguments point to pointers to, for qsort and bsearch. */
int
list_digests_compare(const void *, const void *);

/* Return false if memory is short. */
bool
list_digests_fill(struct list_digests *, const struct list_rows *);

/* Return a row with the digest, or NULL. */
const struct list_row *
list_digests_find(const struct list_digests *,
		  const uint8_t digest[SHA256_DIGEST_BYTES]);

/* All empty files have one digest, which identifies none of them. */
extern const uint8_t list_digest_of_nothing[SHA256_DIGEST_BYTES];

static inline bool
list_row_has(const struct list_row *row,
	     const uint8_t digest[SHA256_DIGEST_BYTES])
{
	return memcmp(row->digest, digest, SHA256_DIGEST_BYTES) == 0;
}

#endif
