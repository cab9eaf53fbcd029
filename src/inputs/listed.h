/* SPDX-License-Identifier: MIT */
/*
 * listed: what check lists name, to look up which files of a tree they do not
 * name, and from where such a file was moved.
 */
#ifndef SRC_INPUTS_LISTED_H
#define SRC_INPUTS_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"
#include "src/base/text.h"

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

/* Is it the digest of an empty file? */
bool
listed_is_of_empty(const uint8_t digest[SHA256_DIGEST_BYTES]);

/*
 * The names for which there is no file, with their digests; start from {0}.
 *
 * All empty files have one digest, which says nothing; they are left out.
 * Memory holds each name and 40 bytes or so.
 */
struct missing {
	struct missing_name *rows;
	size_t n;
	size_t capacity;
	bool sorted;
};

/* Where memory is short the name is not remembered. */
void
missing_add(struct missing *, const char *name,
	    const uint8_t digest[SHA256_DIGEST_BYTES]);

/* The first name that was added with this digest, or NULL. */
const char *
missing_find(struct missing *, const uint8_t digest[SHA256_DIGEST_BYTES]);

void
missing_free(struct missing *);

#endif
