/* SPDX-License-Identifier: MIT */
/*
 * piece: the blocks of a message in a lane of a step, which are hashed by
 * themselves.
 *
 * A lane holds several messages, one after the other (struct batch_end).  The
 * first may have begun before, and goes on from the lane's state; all others
 * begin in the lane, and the last may go on after it:
 *
 *	lane	|-- goes on --|--- message ---|-- message --|- begins ...
 *	pieces	|      0      |       1       |      2      |    3     |
 */
#ifndef QPU_SHA_PIECE_H
#define QPU_SHA_PIECE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/batch.h"

enum { PIECE_BLOCKS = 512 /* at most */ };

struct piece {
	const uint8_t *data;
	uint32_t offset; /* of the data in their memory */
	uint16_t blocks;
	/* Of them; before and in a stage (tiles_stage.h). */
	uint16_t hashed, now;
	uint8_t memory; /* number of it */
	uint8_t batch, lane;
	bool is_first, is_last; /* of its lane */
	struct batch_end *end;	/* NULL: the message goes on */
};

/* The state from which a piece goes on. */
void
piece_begin(const struct piece *, const struct batch *batches,
	    uint32_t state[SHA256_STATE_WORDS]);

/* What it has come to, for its message and its lane. */
void
piece_finish(const struct piece *, struct batch *batches,
	     const uint32_t state[SHA256_STATE_WORDS]);

/*
 * Take a lane apart into at most `most` pieces and set its `done`; the memory
 * and the offset are the caller's to set.  Returns how many there are.
 */
unsigned
pieces_of_lane(struct piece *, unsigned most, struct batch *batches,
	       unsigned batch, unsigned lane);

#endif
