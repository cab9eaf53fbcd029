/* SPDX-License-Identifier: MIT */
/*
 * list_changes: how a new list differs from the old one: which files are new,
 * gone, edited, moved or copies.
 *
 * A new file that has the digest of one that is gone was moved; one that has the
 * digest of another file is a copy.  All files that were below a directory, of
 * which nothing is left, and are now at the same place below another one, were
 * moved with it: that is one change.  A file that should have moved with them,
 * but has another digest, is damaged: it keeps the digest of the old list, so that
 * each check says so, too.  Empty files are all the same, and are neither moved
 * nor copies.
 */
#ifndef SRC_INPUTS_LIST_CHANGES_H
#define SRC_INPUTS_LIST_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "src/inputs/update_rows.h"

enum list_change_kind {
	CHANGE_NEW,
	CHANGE_MOVED,	  /* from */
	CHANGE_DIRECTORY, /* name, with `files` files, was moved from */
	CHANGE_DAMAGED,	  /* moved from, and has another digest */
	CHANGE_COPY,	  /* of from */
	CHANGE_EDITED,
	CHANGE_DROPPED
};

struct list_change {
	enum list_change_kind kind;
	const char *name, *from; /* as the lists write them */
	size_t files;
};

/*
 * Tell all changes, in the order of their paths, those that are gone last.
 * `rows` are sorted and united, `gone` are sorted: lines of the old list that
 * have no file any more.  Rows of damaged files get their old digests.  False:
 * memory is short, and nothing was told.
 */
bool
list_changes_find(struct update_rows *rows, const struct update_rows *gone,
		  void (*tell)(void *context, const struct list_change *),
		  void *context);

#endif
