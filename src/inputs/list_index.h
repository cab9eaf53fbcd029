/* SPDX-License-Identifier: MIT */
/*
 * list_index: the text of a list and of the files beside it.
 *
 * LIST.index has a row for each name of LIST: size, time of modification, inode,
 * "young" or "-", and then the line of LIST.  LIST.part has the same rows with
 * device and ctime in front.  qpu-sha256sum-lists(7) describes both for users.
 */
#ifndef SRC_INPUTS_LIST_INDEX_H
#define SRC_INPUTS_LIST_INDEX_H

#include "src/inputs/list_rows.h"

#define LIST_INDEX_HEAD "# LIST.index of qpu-sha256sum, version 1"

/* Why a list cannot be used. */
struct list_fault {
	const char *text; /* or NULL */
	uintmax_t line;	  /* of the list, or 0 */
};

/* Add the names and digests of a list, which has an end for each line as --zero
 * writes it or not, and sort them.  Return false and the fault; if fault is NULL,
 * lines that cannot be understood are left out. */
bool
list_read(struct list_rows *, const char *list, bool zero, struct list_fault *);

/*
 * Give the sorted rows the witnesses that a LIST.index has for their names and
 * digests; other rows of it are ignored.  Return false if there is no such file,
 * or if it is no LIST.index.
 */
bool
list_index_read(struct list_rows *, const char *index);

/* Add the rows of a LIST.part, with their identities, one for each name.  Malformed
 * ones are ignored. */
void
list_part_read(struct list_rows *, int fd);

/* Add the text of a row.  identity is NULL in LIST.index.  Return false if memory is
 * short. */
bool
list_index_add_row(struct text *, const struct list_row *,
		   const struct list_identity *identity);

#endif
