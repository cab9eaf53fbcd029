/* SPDX-License-Identifier: MIT */
/*
 * set: the batches that an engine gets at a time, and the lanes in them.
 */
#ifndef SRC_SET_H
#define SRC_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/batch.h"
#include "src/lane.h"

struct set {
	struct batch *batches;
	struct batch *saved;	/* states before a step, if it may fail */
	struct lane *lanes;
	unsigned nbatches;
	unsigned nlanes;	/* with a buffer */
	unsigned busy;		/* lanes with a job */
	const char *device;	/* the engine's name that stepped last */
};

/*
 * nlanes lanes like `model`, lanes_of_batch to a batch.  False when memory is
 * short; set_free is due in either case.
 */
bool
set_allocate(struct set *, unsigned nbatches, unsigned lanes_of_batch,
	     unsigned nlanes, bool may_fail, const struct lane *model);

void
set_free(struct set *);

/* Bytes of buffers for so many lanes, to be aligned to 4096. */
size_t
set_buffer_bytes(unsigned nlanes, size_t capacity);

/*
 * Give each lane its buffer of `capacity` bytes and READER_SLACK_BYTES.  They
 * lie one 64-byte line apart in the sets of a cache, lane after lane, so that
 * no two of them compete for the same one: neither in a CPU's first level nor
 * in the QPUs' direct-mapped TMU caches, where it would cost a factor of 6.
 */
void
set_place_buffers(struct set *, uint8_t *buffers, unsigned nlanes,
		  size_t capacity);

/* Keep the batches as they are before a step, and go back to them. */
void
set_save(struct set *);
void
set_restore(struct set *);

#endif
