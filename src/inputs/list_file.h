/* SPDX-License-Identifier: MIT */
/*
 * list_file: a check list that is updated in place, so that none is ever lost.
 *
 * While files are hashed their lines go to LIST.part; the next update goes on
 * from there, whatever has ended this one.  At the end the new list is written to
 * LIST.new, and when that has reached the medium it takes the place of LIST, which
 * stays as LIST~.  LIST.part is locked as long as an update works on the list,
 * and goes when it is done.
 *
 * A digest in LIST.part is good only for a file that was not modified since the
 * update began that has hashed it: so each update first writes a comment with
 * its beginning, by the clock of the file system that has the list.  The new
 * list has that time of modification, too: each file that was edited after it
 * was hashed is newer than the list.
 */
#ifndef SRC_INPUTS_LIST_FILE_H
#define SRC_INPUTS_LIST_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "src/base/text.h"

struct list_file {
	char *path; /* of LIST, or of the file that it is a link to */
	char *part, *new, *old;
	bool exists; /* did LIST exist, when the update began? */
	struct stat before;
	struct timespec began;
	bool has_began;	   /* the comment is written */
	int fd;		   /* of LIST.part; -1: nothing is updated in place */
	struct text lines; /* that are not written yet */
};

/* Lock LIST.  False: a message has the reason. */
bool
list_file_open(struct list_file *, const char *list);

/* Is the file of that name LIST, LIST.part, LIST.new or LIST~? */
bool
list_file_is_own(const struct list_file *, const char *name,
		 const struct stat *);

/*
 * The comment of an update with the time when it began: true and *began.  All
 * lines of LIST.part after it are of that update.
 */
bool
list_file_read_began(const char *line, struct timespec *began);

/* Add what this update hashes to LIST.part, when it is flushed.  A failure to
 * write is reported, and ends the program with status 1. */
void
list_file_add(struct list_file *, const struct text *line);
void
list_file_flush(struct list_file *);

/* Put a new list with this text in the place of LIST.  False: a message has the
 * reason, and LIST and LIST.part are as they were. */
bool
list_file_replace(struct list_file *, const struct text *text);

/* Unlock it.  LIST.part stays, unless it is empty or LIST has been replaced. */
void
list_file_close(struct list_file *);

#endif
