/* SPDX-License-Identifier: MIT */
/*
 * walkers: tasks of a pool that read directories before a walk comes to them.
 *
 * The list has, in the order of the walk, directories that are read, being read
 * or not begun yet.  A walker reads the first one that is not begun; when it is
 * read, those below it follow it.  The walk takes the first one.
 *
 * Lock: `lock` guards the list, inside of each function.  `wake_fd` can be read
 * as soon as the directory that the walk waits for has been read.
 */
#ifndef SRC_INPUTS_WALKERS_H
#define SRC_INPUTS_WALKERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/base/pool.h"
#include "src/inputs/directory.h"

enum {
	WALKERS = 64,
	/* Directories, read or being read, and bytes of names in them.  The next
	 * WALKERS of the walk are read even where more wait that come later. */
	WALKERS_MAX_STARTED = 512,
	WALKERS_NAME_BYTES = 16 << 20
};

/* The position of a directory, below the start of a walk. */
struct walk_position {
	int root; /* descriptor */
	dev_t above;
	bool one_file_system;
};

/* What was read: `error` is 0, an errno value, or one of those in tree.c. */
struct walk_result {
	int error;
	dev_t device;
	struct directory directory;
};

typedef void
walk_read(const struct walk_position *, const char *below,
	  struct walk_result *);

struct walk_node;

struct walkers;

/* Reads one directory after the other, each as a task. */
struct walker {
	struct task task; /* the first member */
	struct walkers *walkers;
	bool is_posted;
};

struct walkers {
	walk_read *read;
	struct pool *pool;
	pthread_mutex_t lock;
	struct walk_node *first;
	unsigned started; /* read, or being read */
	size_t name_bytes;
	bool ends;
	bool is_awaited; /* the first one, by the walk */
	bool has_told;	 /* it that it is read */
	int wake_fd;
	struct walker walkers[WALKERS];
};

/* Return false if there are no threads, or descriptors are few. */
bool
walkers_init(struct walkers *, struct pool *, walk_read *);

/* End all tasks, before directories of the walk are closed. */
void
walkers_close(struct walkers *);

/* List the directories below the one that the walk has read itself, from its
 * next entry on, at the front.  `prefix` is its path with a '/', or nothing. */
void
walkers_list(struct walkers *, const struct walk_position *, const char *prefix,
	     size_t prefix_len, const struct directory *);

enum walkers_result {
	WALK_TAKEN, /* *result has it */
	WALK_LATER, /* wait for wake_fd */
	WALK_ITSELF /* the walk has to read it: memory or threads are short, or
		     * that has failed before */
};

enum walkers_result
walkers_take(struct walkers *, const char *below, struct walk_result *result);

#endif
