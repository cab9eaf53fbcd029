/* SPDX-License-Identifier: MIT */
/*
 * name_set: names as texts: their shortest forms, a set of those that check lists have,
 * and the part of all names that --part selects.
 */
#ifndef SRC_INPUTS_NAME_SET_H
#define SRC_INPUTS_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"
#include "src/inputs/input_options.h"

/* Set `path` to the name without its "." parts and repeated slashes, a C
 * string even if it is empty.  Return false if memory is short. */
bool
name_shorten(struct text *path, const char *name);

/* Do the same for a directory, with a slash at its end; the working directory is the
 * empty text. */
bool
name_shorten_directory(struct text *path, const char *name);

/* Return true if a path is below such a directory.  "..", links and case are not
 * interpreted. */
bool
name_is_below(const char *path, const char *directory, size_t len);

/*
 * A set of names; start from {0}.  All are added before the first one is looked for.
 *
 * A name is stored as the first 16 bytes of its SHA-256 digest, so a million names of
 * any length need 32 MB at most.  Two names with the same 16 bytes are not known and
 * cannot be found with less than about 2^64 trials.  Names that differ only in "./" and
 * "//" are the same.
 */
struct name_set {
	struct name_key *keys;
	size_t n, capacity;
	bool is_sorted;
	bool failed;	  /* memory was short, once: names may be missing */
	struct text path; /* the shortest form of the last name */
};

void
name_set_add(struct name_set *, const char *name);

/* Return true if the name is in the set. */
bool
name_set_has(struct name_set *, const char *name);

void
name_set_free(struct name_set *);

/*
 * Return true if the file is in the part (--part=K/N).  A digest of its name
 * in the shortest form decides to which part a file belongs, whatever other
 * files there are: a list may grow between one part and the next, and machines
 * that walk a tree at the same time agree about each file without asking each
 * other.
 *
 * Without the option all files are.  If memory is short the answer is true:
 * hashing a file twice does no harm.  The caller provides `path`, for the
 * shortest form of the name.
 */
bool
name_is_in_part(const struct input_part *, struct text *path, const char *name);

#endif
