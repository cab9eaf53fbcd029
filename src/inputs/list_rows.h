/* SPDX-License-Identifier: MIT */
/*
 * list_rows: names with their digests, and the files that had these.
 *
 * An update joins two sets of rows: the lines of LIST, and the files that were read
 * because nothing proved them known.  The three rules of qpu-sha256sum-lists(7) are
 * these joins, from the strongest proof to the weakest:
 *
 *	name, witness	the file is as it was hashed, and is not read
 *			(list_is_as_hashed): the row keeps its digest
 *	name, digest	the same content: the row gets the file's witness
 *	name		edited, or damaged where the witness agrees (list_judge)
 *	digest, inode	moved: no damage makes another file's content
 *	digest		moved, if what is left of the old directory shows that its
 *			disk is not off; else new; or a copy if the old one is there
 *	place		below a directory that moved as one: edited or damaged
 *	inode, witness	moved and damaged
 *
 * A row of LIST.index is the witness of a row of LIST only for the digest that LIST
 * has; one of LIST.part counts only for the very file with its ctime.  A row without
 * any of these proofs stays as it is: its file is missing.  No clock is asked: times
 * are compared for being equal.
 *
 * A name is kept as the list spells it.  Its path is the shortest form of it
 * (name_shorten), by which names are compared, so that "a" and "./a" are one.
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
#include "src/lanes/job.h"

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
	bool failed;		  /* memory was short, once */
	size_t last;		  /* row that list_rows_find has found last */
	struct text path;	  /* shortest form of a name */
	struct list_block *block; /* of names */
};

/* All empty files have one digest, which identifies none of them. */
extern const uint8_t list_digest_of_nothing[SHA256_DIGEST_BYTES];
bool
list_row_has_content(const struct list_row *);

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

/* Return the first sorted row with this name in any spelling, or NULL. */
struct list_row *
list_rows_find(struct list_rows *, const char *name);

/* Return the first sorted row below the directory, whose path ends with a slash or is
 * empty for the working directory; or the next one after `row`; NULL at the end. */
struct list_row *
list_rows_next_below(const struct list_rows *, const char *directory,
		     size_t len, const struct list_row *row);

/* Return the length of the topmost directory of row i that has names of the rows from
 * `first` to before `end`, and no others; or 0. */
size_t
list_rows_topmost(const struct list_rows *, size_t i, size_t first, size_t end);

void
list_rows_free(struct list_rows *);

/* Compare m and n bytes: their beginnings, then their lengths. */
int
list_compare_bytes(const char *a, size_t m, const char *b, size_t n);

/* Return the bytes of a path up to its last part, or 0 if it has only one. */
size_t
list_directory_len(const char *path, size_t len);

static inline bool
list_row_has(const struct list_row *row,
	     const uint8_t digest[SHA256_DIGEST_BYTES])
{
	return memcmp(row->digest, digest, SHA256_DIGEST_BYTES) == 0;
}

/* Views ------------------------------------------------------------------------- */

/* Some of the rows, in some order; start from {0}. */
struct list_view {
	struct list_row **rows;
	size_t n;
};

typedef int
list_order(const struct list_row *, const struct list_row *);

list_order list_by_path, list_by_name, list_by_directory, list_by_digest,
	list_by_inode;

/* Add the rows for which `has` returns true or, if it is NULL, those that have a digest
 * of another view, which is sorted by digests.  Return false if memory is short. */
bool
list_view_add(struct list_view *, const struct list_rows *,
	      bool (*has)(const struct list_row *),
	      const struct list_view *like);

void
list_view_sort(struct list_view *, list_order *);

/* Return the rows of a sorted view from the first one on that are equal to it. */
struct list_view
list_view_run(const struct list_view *, size_t first, list_order *);

/* Return a row of a view sorted by digests that has this one, or NULL. */
struct list_row *
list_view_find(const struct list_view *,
	       const uint8_t digest[SHA256_DIGEST_BYTES]);

void
list_view_free(struct list_view *);

/* Witnesses --------------------------------------------------------------------- */

enum list_result {
	LIST_SAME, /* it has the list's digest */
	LIST_EDITED,
	LIST_DAMAGED,
	LIST_UNKNOWN /* edited or damaged; the row has no witness */
};

/* Describe a regular file, at the time when it was hashed. */
struct list_witness
list_witness_of(const struct file_version *);

/* Describe the file of that name.  Return false with errno if it cannot be looked at,
 * or if it is neither a regular file nor a special one. */
bool
list_witness_look(const char *name, bool follow, struct list_witness *);

/*
 * Return true if both have one size and one time: to the nanosecond or, if one
 * time has no fraction of a second (FAT, zip and some servers), less than 2 s
 * apart.
 */
bool
list_witness_agrees(const struct list_witness *, const struct list_witness *);

/* Return true if the times are less than 2 s apart. */
bool
list_witness_is_near(const struct list_witness *, struct timespec time);

/* Judge a file that has been hashed, by the row of its name. */
enum list_result
list_judge(const struct list_row *row,
	   const uint8_t digest[SHA256_DIGEST_BYTES],
	   const struct list_witness *now);

/* Return true if the file is as it was hashed and need not be read.  A young row does
 * not show that, nor does a twin's with another inode. */
bool
list_is_as_hashed(const struct list_row *row, const struct list_witness *now);

#endif
