/* SPDX-License-Identifier: MIT */
/*
 * list_file: a check list that is updated in place, so that none is ever lost.
 *
 * While files are hashed their rows go to LIST.part, from which the next update
 * goes on after an interruption.  At the end the new list is written to
 * LIST.part.new and brought to the medium.  LIST~ becomes a link to LIST, by way of
 * LIST.part.old, and LIST.part.new is renamed to LIST; so there is a whole LIST at
 * every moment, and a LIST~ once there was one.  Then LIST.index is replaced in the
 * same way, and LIST.part removed.
 *
 * LIST.part is locked as long as an update works on the list.  If it is there when an
 * update begins, a killed one has left it, and perhaps the other two, which are removed.
 * Without a LIST.part they belong to another program, and nothing is updated.  All files
 * are created with mode 0600, and then get the mode and the owner of LIST.
 */
#ifndef SRC_INPUTS_LIST_FILE_H
#define SRC_INPUTS_LIST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#include "src/base/text.h"
#include "src/lanes/job.h"

/* The files beside LIST, and the ends of their names. */
enum list_beside {
	LIST_PART,
	LIST_INDEX,
	LIST_OLD,
	LIST_NEW,     /* temporary */
	LIST_NEW_OLD, /* the same */
	LIST_BESIDE
};
extern const char *const list_file_ends[LIST_BESIDE];

struct list_file {
	char *path; /* of LIST, or of the file that it is a link to */
	char *beside[LIST_BESIDE];
	bool exists; /* LIST, when the update began */
	struct stat before;
	mode_t mode;
	int fd;	       /* of LIST.part, or -1 */
	bool is_new;   /* LIST.part was not there */
	bool is_begun; /* that is ours */
	bool is_noted; /* that mode or owner cannot be kept */
};

/* Lock LIST.  Return false after a message. */
bool
list_file_open(struct list_file *, const char *list);

/* Return true if the job's file is LIST or one of those beside it. */
bool
list_file_is_own(const struct list_file *, const struct job *);

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

/* Write LIST, and then LIST.index, if they have other lines now.  Return false after a
 * message if LIST could not be written; it is as it was then. */
bool
list_file_replace(struct list_file *, const struct list_lines *lines,
		  const struct list_lines *index);

/* Unlock LIST.  LIST.part stays unless the update is done or it has no rows. */
void
list_file_close(struct list_file *, bool done);

#endif
