/* SPDX-License-Identifier: MIT */
/*
 * update: the new list that --update=LIST puts in the place of an old one.
 *
 * Files that LIST does not name, and those with another size or time than in its
 * index, are hashed (list_rows.h).  At the end their digests decide what was edited,
 * moved or copied (list_moves.h), and LIST and LIST.index are replaced (list_file.h).
 * Memory holds all names.
 */
#ifndef SRC_INPUTS_UPDATE_H
#define SRC_INPUTS_UPDATE_H

#include "src/inputs/input_options.h"
#include "src/inputs/list_file.h"
#include "src/inputs/list_rows.h"
#include "src/lanes/job.h"
#include "src/output/results.h"

/* The state of --update.  Members written for `next` are not read for `emit`,
 * and the reverse. */
struct update {
	const char *list; /* or NULL */
	const struct input_options *options;
	struct list_file file;
	struct list_rows old;	/* LIST */
	struct list_rows part;	/* LIST.part */
	struct list_rows found; /* files that were read, with their digests */
	/* FILEs that were walked or are gone (ROW_GONE), and directories that were
	 * not walked (ROW_HIDDEN). */
	struct list_rows places;
	struct list_rows again; /* files that changed while they were read */
	struct job_filter named;
	size_t next_again;
	/* Identities of the last found files, which LIST.part lacks. */
	struct list_identity identities[256];
	size_t nidentities;
	struct timespec wrote; /* when that was written to last */
	uintmax_t kept, missing, dropped;
	bool done;
};

/* Read LIST and what is beside it, if there is an option for that.  `walked` is the
 * filter of the files that a walk finds.  Return false after a message. */
bool
update_begin(struct update *, const struct input_options *,
	     struct job_filter *walked);

/* Prepare a job of a walk or a name.  Return false if its file is to be skipped:
 * the walk met LIST or a file beside it. */
bool
update_prepare(struct update *, struct job *);

/* Make a job of a file that changed while it was read, when all others have been
 * emitted.  Return false if there is none left. */
bool
update_next_again(struct update *, struct job *);

/* Note that a walk has ended, or has skipped a directory. */
void
update_note_walk(struct update *, const struct job *remark);

/* Return true if the job, which may have failed, needs no message: its name is in
 * LIST and gone, or is hashed again at the end. */
bool
update_excuses(struct update *, const struct job *);

/* Take the digest of a file that was hashed, or is known. */
void
update_add(struct update *, const struct job *);

/* Write what was added to LIST.part, so that it outlives the process. */
void
update_flush(struct update *);

/* Put the new list in the place of LIST, and print what has changed. */
void
update_end(struct update *, struct results *);

void
update_close(struct update *);

#endif
