/* SPDX-License-Identifier: MIT */
/*
 * tree: the inputs of --recursive.  It stands between names and their jobs:
 * a name that is a directory becomes the regular files below it, any other
 * goes through.
 *
 * A symbolic link is followed only where it is the name itself, so that there
 * are no loops.  No descriptor stays open between two jobs; the memory is that
 * of the names in the directories from the top to where the walk is.
 */
#ifndef SRC_TREE_H
#define SRC_TREE_H

#include "src/job.h"
#include "src/names.h"
#include "src/source.h"
#include "src/text.h"

/* job->subject of the remarks that tree_next makes, beyond those of names. */
enum tree_subject {
	TREE_SPECIAL = NAMES_SUBJECTS,	/* neither file, directory nor link */
	TREE_LINKS			/* a name's end; number[0] links */
};

struct tree_level;

struct tree {
	struct names *names;
	struct job_filter filter;
	struct job top;			/* the name being walked, or no name */
	uintmax_t links;		/* below it, so far */
	struct tree_level *level;	/* the directory being walked */
	struct text path;		/* of what is being looked at */
	bool unread;			/* it, or at first the name, is a
					 * directory to go down into */
};

void
tree_init(struct tree *, struct names *);

/*
 * As names_next; and there are remarks with an error, which stand for
 * directories that could not be read.
 */
enum source_answer
tree_next(struct tree *, struct job *job, bool alone);

/* As names_wait_fd. */
int
tree_wait_fd(const struct tree *);

/* Report a remark that tree_next made, if it has no error. */
void
tree_report(const struct tree *, const struct job *job);

void
tree_close(struct tree *);

#endif
