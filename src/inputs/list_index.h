/* SPDX-License-Identifier: MIT */
/*
 * list_index: reads a list and the files beside it, LIST.index and LIST.part, and
 * writes their rows.
 *
 * LIST.index has a row for each name of LIST: size, time of modification, inode,
 * "young" or "-", and then the line of LIST.  LIST.part has the same rows with
 * device and ctime in front.  qpu-sha256sum-lists(7) describes both for users.
 */
#ifndef SRC_INPUTS_LIST_INDEX_H
#define SRC_INPUTS_LIST_INDEX_H

#include "src/inputs/list_rows.h"

#define LIST_INDEX_HEAD "# LIST.index of qpu-sha256sum, version 1"

/* The reason why a list cannot be used. */
struct list_fault {
	const char *text; /* or NULL */
	uintmax_t line;	  /* of the list, or 0 */
};

/* Add the names and digests of a list, and sort them.  `zero` says that its lines end
 * with NUL, as --zero writes them.  Return false and the fault if the list cannot be
 * read or a line is malformed; if `fault` is NULL, skip malformed lines. */
bool
list_read(struct list_rows *, const char *list, bool zero, struct list_fault *);

/*
 * Set the witnesses of the sorted rows from the rows of a LIST.index with the same name
 * and digest; ignore its other rows.  Return false if the file cannot be read or is
 * not a LIST.index.
 */
bool
list_index_read(struct list_rows *, const char *index);

/* Add the rows of a LIST.part with the identities of their files, one row for each
 * name.  Ignore malformed rows. */
void
list_part_read(struct list_rows *, int fd);

/* Append the text of a row: for LIST.part with an identity, for LIST.index with NULL.
 * Return false if memory is short. */
bool
list_index_add_row(struct text *, const struct list_row *,
		   const struct list_identity *identity);

#endif
