/* SPDX-License-Identifier: MIT */
/*
 * holes: parts of a file that its file system does not store, and which read(2)
 * would fill with zeros: a copy, and pages of the cache, for nothing.
 *
 * A file is asked for them only if it has fewer blocks than its size takes, and only
 * on file systems of this machine that are known to answer well: an answer that is
 * wrong is a digest that is wrong.
 */
#ifndef SRC_LANES_HOLES_H
#define SRC_LANES_HOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct holes {
	bool any;	   /* there may be some */
	uint64_t data_end; /* from where it was asked last to there are none */
};

/* Look whether a file of at least `bytes` bytes, which is open, may have holes. */
void
holes_init(struct holes *, int fd, const struct stat *, size_t bytes);

/* Return whether all of these bytes of the file are in a hole now.  The offset of
 * the descriptor moves. */
bool
holes_cover(struct holes *, int fd, uint64_t at, size_t bytes);

/* Return whether these bytes are known to be in no hole. */
static inline bool
holes_are_past(const struct holes *holes, uint64_t at, size_t bytes)
{
	return !holes->any || holes->data_end >= at + bytes;
}

#endif
