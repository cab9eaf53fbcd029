/* SPDX-License-Identifier: MIT */
/*
 * directory: the sorted names in one directory, and the file type of each.
 *
 * Most file systems return the type with the name, so no stat is needed before
 * a file is opened for hashing.
 */
#ifndef SRC_INPUTS_DIRECTORY_H
#define SRC_INPUTS_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/text.h"

enum directory_kind {
	DIRECTORY_FILE,
	DIRECTORY_BELOW, /* a directory; its name ends with '/' */
	DIRECTORY_LINK,
	DIRECTORY_SPECIAL /* FIFO, socket, device */
};

struct directory_entry {
	enum directory_kind kind;
	const char *name; /* valid until the directory is closed */
};

struct directory {
	struct text names;    /* a byte for the kind, the name, NUL; ... */
	const char **entries; /* into names */
	size_t nentries;
	size_t next;
};

/*
 * Read all names of the open directory `fd`, which is closed, except "." and
 * "..".  Names are sorted by their bytes, and names of directories as if they
 * ended with '/', so that all paths of a tree are in byte order.  Return 0, or
 * an errno value: then there is nothing to close.
 */
int
directory_read(struct directory *, int fd);

/* Get the next entry.  Return false if there are no more. */
bool
directory_next(struct directory *, struct directory_entry *);

/* Make directory_next return its last entry again. */
void
directory_again(struct directory *);

void
directory_close(struct directory *);

/*
 * Return true if the open file is on a file system such as proc or sysfs,
 * whose files the kernel makes up while they are read.  Some of these files
 * never end, wait for events or act on the system when they are read, so a
 * walk leaves them out.
 */
bool
directory_is_pseudo(int fd);

#endif
