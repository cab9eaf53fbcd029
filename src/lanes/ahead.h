/* SPDX-License-Identifier: MIT */
/*
 * ahead: what threads of the pool read of a message before a lane asks for it, as a
 * ring of pieces.  Many small files, one long file and a pipe are the same here:
 *
 *     pieces   | taken by a lane | filled | filled | being read | being read |
 *              first                                         first + count
 *
 * A message that would make its worker wait is given to fetch (fetch.h), and one
 * thread, a reader, opens it and reads one piece.  When it is given again, since its
 * next bytes are not there either, readers go on: two, and twice as many whenever it
 * has to wait again for a read that took long.  Of a regular file they read *whole*
 * pieces, each at its place.  The bytes of a pipe come one after the other, so there
 * is one reader.  A reader ends when the ring is full, and is called again when
 * half of it is free: each wake-up costs as much as reading many kilobytes.
 *
 * Readers end before the message does.  An error, the end of a file, and what comes
 * after them are left to the lane.
 *
 * Lock: the lock of fetch guards all of it.
 */
#ifndef SRC_LANES_AHEAD_H
#define SRC_LANES_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/pool.h"
#include "src/lanes/input.h"

struct fetch;
struct message;

enum {
	AHEAD_READERS = 32, /* of a message, at most */
	/* Pieces of a message that are filled, or being read, while readers are
	 * fewer; these stay in the cache. */
	AHEAD_FEW = 8,
	AHEAD_PIECES = AHEAD_READERS + 1 /* with the one that a lane has */
};

struct ahead;

/* Read on from now on, while the message is in a lane, with max_readers at most.
 * Return false if threads or memory are short. */
bool
ahead_begin(struct fetch *, struct message *, unsigned max_readers);

/*
 * Take the next piece; the one before has been hashed.  Return false if the lane has
 * to read.  Else *answer is INPUT_BLOCKS, with *blocks until the next call,
 * INPUT_ENDED, or INPUT_BLOCKED: give the message to fetch until there is a piece.
 */
bool
ahead_take(struct fetch *, struct message *, enum input_answer *answer,
	   struct input_blocks *blocks);

/* Give back the piece that was taken, if any: it has been hashed. */
void
ahead_give_back(struct fetch *, struct message *);

/* Return whether a piece of the message is being read, or was and is not taken. */
bool
ahead_has_pieces(struct fetch *, const struct message *);

/* Forget all pieces; may wait until they have been read. */
void
ahead_stop(struct fetch *, struct message *);

/* Free the memory for a ring; NULL is allowed. */
void
ahead_free(struct ahead *);

/*
 * For fetch, its lock held: see that a reader fills the first piece, after which
 * fetch_make_ready is called.  Return false if threads or memory are short.
 */
bool
ahead_ask(struct fetch *, struct message *);

#endif
