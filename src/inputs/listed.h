/* SPDX-License-Identifier: MIT */
/*
 * listed: names as texts: a set of those that check lists have, and the part of
 * all names that --part selects.
 */
#ifndef SRC_INPUTS_LISTED_H
#define SRC_INPUTS_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"
#include "src/inputs/input_options.h"

enum { LISTED_NAME_BYTES = 16 };

/*
 * A set of names; start from {0}.
 *
 * A name is stored as the first 16 bytes of its SHA-256 digest, in a table that
 * is at most three quarters full, so a million names of any length need 32 MB.
 * Two names with the same 16 bytes are not known and cannot be found with less
 * than about 2^64 trials.
 * Names that differ only in "./" and "//" are the same; "..", links and case
 * are not interpreted.
 */
struct listed {
	uint8_t (*keys)[LISTED_NAME_BYTES]; /* zeros: none */
	size_t nkeys;
	size_t capacity;  /* a power of two, or 0 */
	struct text path; /* a name in its shortest form */
	struct text directory;
};

/* Set `path` to the name without its "." parts and repeated slashes, a C
 * string even if it is empty.  Return false if memory is short. */
bool
listed_shorten(struct text *path, const char *name);

/* Add a name.  If memory is short return false: then the set is unchanged. */
bool
listed_add(struct listed *, const char *name);

/* Return true if the name is in the set.  If memory is short, return false and
 * set *known to false. */
bool
listed_has(struct listed *, const char *name, bool *known);

/* Return true if the name is below the directory, judged by the text alone.
 * If memory is short, return false and set *known as listed_has does. */
bool
listed_is_below(struct listed *, const char *name, const char *directory,
		bool *known);

void
listed_free(struct listed *);

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
listed_is_in_part(const struct input_part *, struct text *path,
		  const char *name);

#endif
