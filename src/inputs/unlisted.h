/* SPDX-License-Identifier: MIT */
/*
 * unlisted: the regular files below a directory that no check list names
 * (--unlisted), found after the last list was read.
 *
 * A file is hashed if the name of another one is listed and missing: the digest
 * may tell that it was moved.
 *
 * The lists themselves and the file that standard output is written to do not
 * count.  Memory holds 16 bytes for each name in a list (listed.h), and
 * what a walk needs (tree.h).
 */
#ifndef SRC_INPUTS_UNLISTED_H
#define SRC_INPUTS_UNLISTED_H

#include <sys/types.h>

#include "src/inputs/listed.h"
#include "src/inputs/names.h"
#include "src/inputs/tree.h"

struct unlisted_file;

/* Functions of next share nothing with unlisted_report and tree_release. */
struct unlisted {
	char *dir; /* NULL: nothing to do */
	struct names names;
	struct tree tree;
	struct listed listed;
	struct unlisted_file *lists;
	size_t nlists;
	bool looked_at_dir;
	bool unknown; /* some names in lists are not known */
	bool begun;   /* the walk */
	bool ended;
	const struct missing *missing;
	/* A name in the lists, and whether one of them is below dir. */
	char *example;
	bool any_below;
};

/* `dir` may be NULL.  `missing` is read when all entries of the lists were
 * emitted. */
void
unlisted_init(struct unlisted *, const char *dir, bool one_file_system,
	      const struct missing *missing);

/* An open list, and a name in it. */
void
unlisted_add_list(struct unlisted *, int fd);
void
unlisted_add_name(struct unlisted *, const char *name);

/* A list cannot be read. */
void
unlisted_give_up(struct unlisted *);

/*
 * To be called before the first list is opened.  True: `dir` is not a directory
 * that can be read, and *job has become a remark that says so.
 */
bool
unlisted_fails(struct unlisted *, struct job *job);

/* Like tree_next, after the last list; the jobs have a note of NOTE_UNLISTED_*,
 * NOTE_TREE_* or NOTE_NAMES_NO_MEMORY. */
enum source_answer
unlisted_next(struct unlisted *, struct job *job, bool is_oldest);

void
unlisted_close(struct unlisted *);

#endif
