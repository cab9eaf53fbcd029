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

#include "src/inputs/list_rows.h"
#include "src/output/results.h"

/*
 * Print all changes, in the order of their paths, those that are gone last; with
 * `quiet` only what is lost or damaged.  `rows` are sorted and united, `gone` are
 * sorted: lines of the old list that have no file any more.  Rows of damaged files
 * get their old digests, and the exit status is 1.  False: memory is short, and
 * nothing was printed.
 */
bool
list_changes_print(struct list_rows *rows, struct list_rows *gone,
		   struct results *results, bool quiet);

#endif
