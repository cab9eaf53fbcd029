/* SPDX-License-Identifier: MIT */
/*
 * directory: the names in one directory, sorted, and what each of them is.
 *
 * What a name is comes with it from most file systems, so that files need not
 * be looked at before they are opened for hashing.
 */
#ifndef SRC_DIRECTORY_H
#define SRC_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "src/text.h"

enum directory_kind {
	DIRECTORY_FILE,
	DIRECTORY_BELOW,	/* a directory; its name ends with '/' */
	DIRECTORY_LINK,
	DIRECTORY_SPECIAL	/* FIFO, socket, device */
};

struct directory_entry {
	enum directory_kind kind;
	const char *name;	/* valid until the directory is closed */
};

struct directory {
	struct text names;	/* a byte for the kind, the name, NUL; ... */
	const char **entries;	/* into names */
	size_t nentries;
	size_t next;
};

/*
 * Read all names of the directory `path`, but no "." and ".."; `follow` it if
 * it is a symbolic link.  Bytewise order, where directories count as if their
 * names ended with '/': this makes all paths of a tree come in the order of
 * their bytes.  Returns 0, or an errno value and there is nothing to close.
 */
int
directory_read(struct directory *, const char *path, bool follow);

/* The next entry; false: there is none. */
bool
directory_next(struct directory *, struct directory_entry *);

/* Give the last entry again. */
void
directory_again(struct directory *);

void
directory_close(struct directory *);

#endif
