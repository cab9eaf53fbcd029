/* SPDX-License-Identifier: MIT */
/*
 * unlisted: the regular files below directories that no check list names
 * (--unlisted), found after the last list was read.
 *
 * A file is hashed if the name of another one is listed and missing: an equal
 * digest shows that it was moved.
 *
 * The lists themselves and the file that standard output is written to do not
 * count.  Memory holds some bytes for each name in a list (name_set.h), and
 * what a walk needs (tree.h).
 */
#ifndef SRC_INPUTS_UNLISTED_H
#define SRC_INPUTS_UNLISTED_H

#include <sys/types.h>

#include "src/base/option.h"
#include "src/inputs/list_rows.h"
#include "src/inputs/name_set.h"
#include "src/inputs/names.h"
#include "src/inputs/tree.h"

struct unlisted_file;

/* Functions of next share nothing with unlisted_report and tree_release. */
struct unlisted {
	/* The directories that can be read; none: nothing to do. */
	char *dirs[OPTION_TEXTS_MAX];
	struct names names; /* has their number */
	struct tree tree;
	struct name_set listed;
	struct unlisted_file *files; /* that do not count: lists */
	size_t nfiles, files_capacity;
	size_t looked_at; /* directories, before anything else */
	bool unknown;	  /* a list could not be read to its end */
	bool begun;	  /* the walk */
	bool ended;
	const struct list_rows *missing;
	/* The first name in the lists, and whether one is below each of dirs. */
	char *example;
	bool any_below[OPTION_TEXTS_MAX];
	size_t unnamed; /* 1 + the one that none is below, so far */
};

/* `missing` is read when all entries of the lists were emitted. */
void
unlisted_init(struct unlisted *, const struct option_texts *dirs,
	      bool one_file_system, const struct list_rows *missing);

/* Add an open list, and a name in it.  Files that --update keeps beside the
 * list do not count. */
void
unlisted_add_list(struct unlisted *, int fd, const char *list);
void
unlisted_add_name(struct unlisted *, const char *name);

/*
 * Call before the first list is opened, until it returns false.  Return true
 * if one of `dirs` is not a readable directory.  It is left out, and *job has
 * become a remark on it.
 */
bool
unlisted_fails(struct unlisted *, struct job *job);

/* Get the next job like tree_next, after the last list.  The jobs have a note
 * of NOTE_UNLISTED_*, NOTE_TREE_* or NOTE_NAMES_NO_MEMORY. */
enum source_result
unlisted_next(struct unlisted *, struct job *job, bool is_oldest);

void
unlisted_close(struct unlisted *);

#endif
