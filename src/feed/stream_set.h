/* SPDX-License-Identifier: MIT */
/*
 * stream_set: what a feeder asks of all its streams together.
 */
#ifndef SRC_FEED_STREAM_SET_H
#define SRC_FEED_STREAM_SET_H

#include <stdint.h>

#include "src/feed/stream.h"

struct stream_set {
	struct stream *all;
	unsigned n;
};

/* How many have blocks, or a message that is open? */
unsigned
stream_set_busy(const struct stream_set *);

/* How many have nothing that the next filling could go on with? */
unsigned
stream_set_idle(const struct stream_set *);

/* The one with the longest rest of a message, if that has more than `least`
 * blocks and is not promised to a worker yet; or NULL. */
struct stream *
stream_set_rest(const struct stream_set *, uint64_t least);

/*
 * How many blocks should streams get ready at most?  Where this launch leaves
 * blocks in some of them, as many as the longest of these rests, so that all
 * come to the end of a buffer together again: else every launch would end where
 * the first of them does, as long as there is work.  Unless what the others
 * could have more is worth less than a launch.
 */
uint32_t
stream_set_common_end(const struct stream_set *);

#endif
