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

/* Set `path` to the name without its "." parts and repeated slashes, which is a
 * C string even if it is empty.  False: memory is short. */
bool
listed_shorten(struct text *path, const char *name);

/* False: memory is short, and the set is unchanged. */
bool
listed_add(struct listed *, const char *name);

/* False: it is not in the set, or memory is too short to tell; *known says
 * which. */
bool
listed_has(struct listed *, const char *name, bool *known);

/* Is the name one of something below that directory, as far as the text says?
 * False also where memory is too short to tell, as in listed_has. */
bool
listed_is_below(struct listed *, const char *name, const char *directory,
		bool *known);

void
listed_free(struct listed *);

/*
 * Is the file in the part (--part=K/N)?  It belongs to the part that its name
 * says, by a digest of the name in its shortest form, and so to the same one
 * whatever other files there are: a list may grow between one part and the next,
 * and machines that walk a tree at the same time agree about each file without
 * asking each other.
 *
 * All files are if there is no such option, and also where memory is too short to
 * tell: a file that is hashed twice does no harm.  The text is the caller's, for
 * the shortest form of the name.
 */
bool
listed_is_in_part(const struct input_part *, struct text *path,
		  const char *name);

#endif
