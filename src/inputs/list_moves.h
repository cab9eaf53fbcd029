/* SPDX-License-Identifier: MIT */
/*
 * list_moves: which files were moved or copied.
 *
 * Files that LIST does not name, or that have another digest now, are joined with
 * the names that are gone or have another digest: by digest, where the proof is the
 * content, the inode or at least what is left of the old directory; by inode and
 * witness; and by their places, if all names below a directory are gone and one of
 * their digests is at the same place below another directory, which then was moved as
 * one.  All of it takes a time of n log n for n names, however many have one digest.
 */
#ifndef SRC_INPUTS_LIST_MOVES_H
#define SRC_INPUTS_LIST_MOVES_H

#include <stdbool.h>

#include "src/inputs/list_rows.h"
#include "src/output/results.h"

/* A directory that was moved as one: the beginning of both paths of a file, with their
 * slashes. */
struct list_directory {
	const char *from, *to;
	size_t from_len, to_len;
	struct list_row *file;
	size_t files; /* moved with it, 2 or more */
};

/* Start from {.old, .found, .walks}. */
struct list_moves {
	struct list_rows *old;	 /* LIST, with the states of its rows */
	struct list_rows *found; /* files that were read: NEW, EDITED, DIFFERS */
	bool walks;		 /* symbolic links are not followed */
	struct list_directory *directories;
	size_t ndirectories, capacity;
	/* The rest of the directory that was asked for last, of this row. */
	struct text existing;
	const struct list_row *asked;
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
