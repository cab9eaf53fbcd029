/* SPDX-License-Identifier: MIT */
/*
 * listed_names: the set of the names in check lists, to look up which files of
 * a tree they do not name.
 *
 * A name is stored as the first 16 bytes of its SHA-256 digest, so a million
 * names of any length need 16 to 32 MB.  Two names with the same 16 bytes are
 * not known and cannot be found with less than about 2^64 trials.
 * Names that differ only in "./" and "//" are the same; "..", links and case
 * are not interpreted.
 */
#ifndef SRC_INPUTS_LISTED_NAMES_H
#define SRC_INPUTS_LISTED_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/text.h"

enum { LISTED_NAME_BYTES = 16 };

/* Start from {0}. */
struct listed_names {
	uint8_t (*keys)[LISTED_NAME_BYTES];
	size_t nkeys;
	size_t capacity;
	bool sorted;
	struct text path; /* a name in its shortest form */
	struct text directory;
};

/* Set `path` to the name without its "." parts and repeated slashes, which is a
 * C string even if it is empty.  False: memory is short. */
bool
listed_names_shorten(struct text *path, const char *name);

/* False: memory is short, and the set is unchanged. */
bool
listed_names_add(struct listed_names *, const char *name);

/* False: it is not in the set, or memory is too short to tell; *known says
 * which. */
bool
listed_names_has(struct listed_names *, const char *name, bool *known);

/* Is the name one of something below that directory, as far as the text says?
 * False also where memory is short. */
bool
listed_names_is_below(struct listed_names *, const char *name,
		      const char *directory);

void
listed_names_free(struct listed_names *);

#endif
