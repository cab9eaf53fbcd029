/* SPDX-License-Identifier: MIT */
/*
 * opening: the part of an input (input.h) that opens it, and decides whether it may be
 * read, and when.
 */
#ifndef SRC_LANES_OPENING_H
#define SRC_LANES_OPENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/lanes/input.h"

/* Return true if the input is to be opened in its turn, as its name shows.  What the
 * filter will refuse is refused at once. */
bool
opening_has_to_wait(const struct input *);

/* Close the input, which is to be opened in its turn. */
void
opening_postpone(struct input *);

/* Open the file without waiting for the writer of a FIFO, so that it can be looked at
 * before its turn.  Set *have to the bytes that were read into the buffer. */
enum input_result
opening_now(struct input *, uint8_t *buffer, size_t room, size_t *have);

/*
 * Open what was postponed; all earlier inputs are done.  Standard input that is a file
 * belongs to the program from now on: treat it as a file with a name, unless little is
 * left of it.  When it is closed its offset is where read(2) would have left it.
 */
enum input_result
opening_in_turn(struct input *, size_t room);

/* Remember what the open input is, and its state before the first read. */
bool
opening_look_at(struct input *, struct stat *);

/* Read like pread(2), or read(2) at offset -1, but only from the page cache. */
ssize_t
input_read_cached(struct input *, uint8_t *to, size_t bytes, off_t at);

/* Close the input, whose job ends without a digest. */
enum input_result
input_fail(struct input *, int error);

#endif
