/* SPDX-License-Identifier: MIT */
/*
 * walkers: threads that read directories before a walk comes to them.
 *
 * The list has the directories that a walk will enter next, in that order.
 * Walkers read the first ones that nobody reads; when one is read, those below
 * it are inserted after it, as the walk will go.  So the walk takes the first
 * one of the list, if it is the one that it wants, else it inserts what it
 * wants (walkers_insert).
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

#include "src/inputs/directory.h"

enum {
	WALKERS = 64,
	/* Directories in the list, more or less, and bytes of names in those
	 * that were read. */
	WALKERS_LISTED = 512,
	WALKERS_NAME_BYTES = 16 << 20
};

/* How a directory is read below that of a walk, by any thread. */
struct walk_place {
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
walk_read(const struct walk_place *, const char *below, struct walk_result *);

struct walk_node;

struct walkers {
	walk_read *read;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* there is more to read, or the end */
	pthread_cond_t read_all;
	struct walk_node *first;
	unsigned listed, reading, idle;
	size_t name_bytes;
	bool ends;
	int wake_fd;
	unsigned most, nthreads;
	pthread_t threads[WALKERS];
};

/* False: descriptors are few, or there are none. */
bool
walkers_init(struct walkers *, walk_read *);

/* Ends the threads. */
void
walkers_close(struct walkers *);

/*
 * List the directories of `directory`, from the entry `from` on, at the front:
 * as many as there is room for, and at least WALKERS.  False: there is no memory or
 * no thread.
 */
bool
walkers_insert(struct walkers *, const struct walk_place *, const char *prefix,
	       const struct directory *, size_t from);

enum walk_answer {
	WALK_TAKEN,  /* *result has it */
	WALK_LATER,  /* wait for wake_fd */
	WALK_UNKNOWN /* it is not the first one of the list */
};

enum walk_answer
walkers_take(struct walkers *, const char *below, struct walk_result *);

/* Forget all, and wait for what is being read. */
void
walkers_forget(struct walkers *);

#endif
