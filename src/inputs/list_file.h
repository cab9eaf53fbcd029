/* SPDX-License-Identifier: MIT */
/*
 * list_file: a check list that is updated in place, so that none is ever lost.
 *
 * While files are hashed their rows go to LIST.part, from which the next update
 * goes on after an interruption.  At the end the new list is written to a
 * temporary file and brought to the medium.  LIST~ becomes a link to LIST, and the
 * temporary file is renamed to LIST; so there is a whole LIST at every moment, and
 * a LIST~ once there was one.  Then LIST.index is replaced, and LIST.part removed.
 *
 * LIST.part is locked as long as an update works on the list.  Its first line has
 * the end of the temporary files' names, so that the next update removes those
 * that a killed one left.  All files are created with mode 0600, and then get the
 * mode and the owner of LIST.
 */
#ifndef SRC_INPUTS_LIST_FILE_H
#define SRC_INPUTS_LIST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#include "src/base/text.h"
#include "src/lanes/job.h"

enum { LIST_FILE_END_BYTES = 10 }; /* ".01234567" */

struct list_file {
	char *path; /* of LIST, or of the file that it is a link to */
	char *part, *index, *old, *new, *new_old;
	bool exists; /* LIST, when the update began */
	struct stat before;
	mode_t mode;
	int fd;	       /* of LIST.part, or -1 */
	bool is_noted; /* that mode or owner cannot be kept */
};

/* Lock LIST.  Return false after a message. */
bool
list_file_open(struct list_file *, const char *list);

/* Return true if the job's file is LIST or one of those beside it. */
bool
list_file_is_own(const struct list_file *, const struct job *);

/* Read the end of the names of temporary files from the first line of a
 * LIST.part.  Return false if it is not whole. */
bool
list_file_read_end(int fd, char end[LIST_FILE_END_BYTES]);

/* Return the time by the clock of the file system that has LIST.part. */
struct timespec
list_file_time(const struct list_file *);

/* Add rows to LIST.part.  A failure is reported and ends the program with status
 * 1. */
void
list_file_append(const struct list_file *, const struct text *);

/* Lines to write.  `add` adds one row's line and returns false if memory is short. */
struct list_lines {
	const char *head; /* first line, or "" */
	bool (*add)(const void *context, size_t row, struct text *);
	const void *context;
	size_t n;
};

enum list_written { LIST_UNCHANGED, LIST_REPLACED, LIST_FAILED };

/* Write LIST, or LIST.index, if it has other lines now.  LIST_FAILED comes after a
 * message; the file is as it was then. */
enum list_written
list_file_replace(struct list_file *, const struct list_lines *);
enum list_written
list_file_replace_index(struct list_file *, const struct list_lines *);

/* Unlock LIST.  LIST.part stays unless the update is done or it has no rows. */
void
list_file_close(struct list_file *, bool done);

#endif
