/* SPDX-License-Identifier: MIT */
/*
 * mapping: big files that are hashed where the page cache has them, which saves a
 * copy, for the lanes of one worker.
 *
 * Only regular files of local file systems are mapped, and only what is in the
 * page cache.  A file that changes meanwhile is read from there on.
 *
 * A window is a part of a file that is mapped.  A page that is no more there (the
 * file was truncated), or that its disk cannot give, would kill the process by
 * SIGBUS.  In a window it becomes zeros, and the window is lost: what was computed
 * from it counts for nothing.  Any other SIGBUS does what it would have done without
 * windows.  All windows of a thread lie side by side, and no other thread touches
 * them but to ask for their pages.
 */
#ifndef SRC_LANES_MAPPING_H
#define SRC_LANES_MAPPING_H

#include <signal.h>

#include "src/base/pool.h"
#include "src/lanes/input.h"

enum { MAPPING_PIECE_BYTES = 256 << 10, MAPPING_LANES = 32 };

/* The bytes of a file that a window shows; end is 0 if it shows none. */
struct mapping_view {
	uint64_t at, end;
	volatile sig_atomic_t lost;
};

/* The pages of a window, which a thread of the pool touches. */
struct prefault {
	struct task task; /* the first member */
	void *pages;
	size_t bytes;
};

struct mapping {
	unsigned n; /* windows, one of each lane, <= MAPPING_LANES */
	size_t page_bytes;
	size_t window_bytes; /* whole pieces, and a page if they begin in one */
	uint8_t *base;	     /* NULL until their addresses are reserved */
	struct mapping_view views[MAPPING_LANES];
	struct pool *pool;
	bool touches_ahead;
	struct prefault prefault;
};

/* For the lanes of one of `threads` workers, at most MAPPING_LANES. */
void
mapping_init(struct mapping *, struct pool *, unsigned lanes, unsigned threads);

void
mapping_close(struct mapping *);

/* Return whether the file that was just opened may be mapped at all. */
bool
mapping_suits(const struct input *);

/* Have a thread prefault the pages that the only busy lane will hash, until
 * mapping_release. */
void
mapping_touch_ahead(struct mapping *);

/* Hand out a piece of MAPPING_PIECE_BYTES of the lane's file.  Return false if it is
 * to be read, here and in what follows. */
bool
mapping_next(struct mapping *, unsigned lane, struct input *,
	     struct input_blocks *);

/*
 * Return true if the piece that was hashed is valid.  Return false if the file
 * has changed, or could not be read from its disk.  The input is where it was
 * before: then roll back the hash, and read the file.
 */
bool
mapping_was_kept(struct mapping *, unsigned lane, struct input *);

/* Release the window of a lane that has finished its file, or gives it away. */
void
mapping_release(struct mapping *, unsigned lane);

#endif
