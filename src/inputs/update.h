/* SPDX-License-Identifier: MIT */
/*
 * update: the new list that --update=LIST makes of an old one.
 *
 * Names in LIST that are still files keep their digests and are not hashed
 * again; the digests of all other inputs are added; at the end the list is
 * printed, sorted by the bytes of the names, or replaces LIST (list_file.h).
 * Memory holds all of it.
 *
 * A list that is malformed, or gives one name two digests, is refused: what
 * cannot be understood would be lost.  So is one of which nothing would be left,
 * in all or below one of the directories (a disk may not be mounted), and one
 * that has no name below any of them.
 */
#ifndef SRC_INPUTS_UPDATE_H
#define SRC_INPUTS_UPDATE_H

#include <sys/types.h>

#include "src/inputs/input_options.h"
#include "src/inputs/list_changes.h"
#include "src/inputs/list_file.h"
#include "src/inputs/listed.h"
#include "src/lanes/job.h"
#include "src/output/digest_line.h"

/* Names in LIST that are below an operand. */
struct update_root {
	uintmax_t kept;
	uintmax_t dropped;
};

/* Functions of next (update_has) share nothing with those of emit. */
struct update {
	const char *list; /* NULL: nothing to update */
	dev_t device;	  /* of LIST, which is not listed itself */
	ino_t inode;
	struct listed names;   /* in LIST, that are still files */
	char *const *operands; /* directories that are walked */
	size_t noperands;
	struct update_root *roots; /* one for each of them */
	size_t root;		   /* of the last name; noperands: of none */
	struct text root_folder;   /* of that name, with its slash */
	struct text folder;	   /* of the last of them, with its slash */
	struct update_rows rows, gone;
	uintmax_t kept;
	uintmax_t dropped;	  /* names in LIST that are no files any more */
	struct timespec modified; /* LIST */
	bool by_time;		  /* what was modified after that is hashed */
	uintmax_t edited;	  /* files that were */
	size_t first_edited;	  /* the row of one of them */
	struct list_file file;	  /* with --in-place */
	bool in_place;
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

/*
 * Print the list, each name once, or tell what has changed and put it in the
 * place of LIST.  False: a message says why that was not done.
 */
bool
update_end(struct update *, struct digest_line_style style,
	   void (*tell)(void *context, const struct list_change *),
	   void *context);

void
update_close(struct update *);

#endif
