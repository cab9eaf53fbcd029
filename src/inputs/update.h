/* SPDX-License-Identifier: MIT */
/*
 * update: the new list that --update=LIST puts in the place of an old one.
 *
 * Names in LIST that are still files keep their digests and are not hashed
 * again; the digests of all other inputs are added; at the end the list, sorted by
 * the bytes of the names, replaces LIST (list_file.h).  Memory holds all of it.
 *
 * A list that is malformed, or gives one name two digests, is refused: what
 * cannot be understood would be lost.  So is one of which nothing would be left,
 * in all or below one of the directories (a disk may not be mounted), and one
 * that has no name below any of them.
 */
#ifndef SRC_INPUTS_UPDATE_H
#define SRC_INPUTS_UPDATE_H

#include "src/inputs/input_options.h"
#include "src/inputs/list_file.h"
#include "src/inputs/list_rows.h"
#include "src/inputs/listed.h"
#include "src/lanes/job.h"
#include "src/output/results.h"

/* Functions of next (update_has) share nothing with those of emit. */
struct update {
	const char *list; /* NULL: nothing to update */
	const struct input_options *options;
	struct listed names; /* in LIST, that are still files */
	struct list_rows rows,
		gone; /* gone: names in LIST of no file any more */
	uintmax_t kept;
	uintmax_t edited;    /* files that were modified after LIST was */
	size_t first_edited; /* the row of one of them */
	struct list_file file;
	bool incomplete; /* memory was short for a digest */
	struct text line;
};

/* Read LIST and look at its files, if there is an option for that.  False: a
 * message says what is wrong. */
bool
update_begin(struct update *, const struct input_options *);

/* Need the job's file not be hashed, since LIST names it or it is LIST, met by a
 * walk? */
bool
update_has(struct update *, const struct job *job);

/* Add the digest of a file that has been hashed, or report that memory is short
 * for it. */
void
update_add(struct update *, const char *name,
	   const uint8_t digest[SHA256_DIGEST_BYTES]);

/* Nothing more is ready: what was added outlives the process. */
void
update_flush(struct update *);

/* Print what has changed, and put the list, each name once, in the place of LIST.
 * If that is not done, a message says why. */
void
update_end(struct update *, struct results *);

void
update_close(struct update *);

#endif
