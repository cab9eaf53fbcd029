/* SPDX-License-Identifier: MIT */
/*
 * missing: the names in check lists for which there is no file, with their
 * digests, to tell of an unlisted file that it was moved.
 *
 * All empty files have one digest, which says nothing; they are left out.
 * Memory holds each name and 40 bytes or so.
 */
#ifndef SRC_INPUTS_MISSING_H
#define SRC_INPUTS_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"

struct missing_name;

/* Start from {0}. */
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
