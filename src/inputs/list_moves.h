/* SPDX-License-Identifier: MIT */
/*
 * list_moves: which files were moved or copied, by their digests.
 *
 * A file with the digest of a name that is gone, or whose file has another digest
 * now, was moved: so are files that were renamed, rotated or swapped.  If all names
 * below a directory are gone, and one of their digests is at the same place below
 * another directory, the directory was moved as one: then what is at the places of
 * its other names belongs to them, edited or damaged.  All of it takes a time of
 * n log n for n names, however many have one digest.
 */
#ifndef SRC_INPUTS_LIST_MOVES_H
#define SRC_INPUTS_LIST_MOVES_H

#include <stdbool.h>

#include "src/inputs/list_rows.h"
#include "src/output/results.h"

/* A directory that was moved as one: in both paths, with their slashes. */
struct list_directory {
	const char *from, *to;
	size_t from_len, to_len;
	size_t files; /* moved with it; it is reported if they are several */
};

/* Start from {.old, .found, .walks}. */
struct list_moves {
	struct list_rows *old;	 /* LIST, with the states of its rows */
	struct list_rows *found; /* files that were read: NEW, EDITED, DIFFERS */
	bool walks;		 /* symbolic links are not followed */
	struct list_directory *directories;
	size_t ndirectories;
	struct text existing; /* of list_has_moved */
	const char *asked;
	size_t asked_len;
	bool has_files;
};

/*
 * Set the kind of each found file, and its old name as `other`.  Rows that were
 * not looked at become GONE if a file was moved from there.  Return false if
 * memory is short.
 */
bool
list_moves_find(struct list_moves *);

void
list_moves_free(struct list_moves *);

#endif
