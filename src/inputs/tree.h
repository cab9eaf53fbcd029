/* SPDX-License-Identifier: MIT */
/*
 * tree: the inputs of --recursive.  It filters the jobs of names: a name that
 * is a directory is replaced by the regular files below it, any other name
 * passes unchanged.
 *
 * A symbolic link is followed only if it is the name itself, which makes loops
 * impossible.  All below is opened from the directory that the name was when
 * its walk began, without following links, so that none that takes another
 * file's place during the walk is followed either, and so that names may be
 * longer than PATH_MAX.  That directory, the root, stays open until its walk
 * has ended and its jobs are released; a walk waits while too many are.
 * Memory holds the names in the directories from the top down to the current
 * one; and of some hundred that come next, where reading them takes long
 * (walkers.h).
 *
 * Directories on a pseudo file system (directory.h) are skipped with a remark, and
 * with one_file_system those on another file system than the root.
 */
#ifndef SRC_INPUTS_TREE_H
#define SRC_INPUTS_TREE_H

#include <stdatomic.h>

#include "src/base/text.h"
#include "src/inputs/names.h"
#include "src/inputs/walkers.h"
#include "src/lanes/ahead.h"
#include "src/lanes/job.h"
#include "src/lanes/source.h"

struct tree_level;
struct tree_root;

struct tree {
	struct names *names;
	bool walks; /* directories; else names pass unchanged */
	struct job_filter filter;
	struct job top;		/* the name being walked, or no name */
	uintmax_t links;	/* below it, so far */
	struct tree_root *root; /* of it, once it is open */
	unsigned max_roots;
	atomic_uint nroots;
	struct tree_level *level; /* the directory being walked */
	struct text path;	  /* of what is being looked at */
	/* Directories are read ahead once reading them takes long. */
	struct ahead_timing timing;
	struct pool *pool; /* or NULL; set after init */
	struct walkers walkers;
	bool has_walkers, no_walkers; /* latter: never again */
	bool waits;		      /* for walkers */
	bool one_file_system;	      /* --one-file-system; set after init */
	bool tells_end;		      /* a remark ends each walk; the same */
	bool unread;		      /* it, or at first the name, is a
					 * directory to go down into */
};

void
tree_init(struct tree *, struct names *, bool walks);

/* Like names_next; there are also remarks with a note of NOTE_TREE_*. */
enum source_result
tree_next(struct tree *, struct job *job, bool is_oldest);

/* Like names_wait_fd. */
int
tree_wait_fd(const struct tree *);

/* Report a remark that tree_next made. */
void
tree_report(const struct tree *, const struct job *job);

/* Release a job that tree_next made; on any thread. */
void
tree_release(struct tree *, struct job *job);

void
tree_close(struct tree *);

#endif
