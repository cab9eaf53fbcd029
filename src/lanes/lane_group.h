/* SPDX-License-Identifier: MIT */
/*
 * lane_group: the batches that an engine gets at a time, and their lanes.
 */
#ifndef SRC_LANES_LANE_GROUP_H
#define SRC_LANES_LANE_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/batch.h"
#include "src/lanes/lane.h"

struct lane_group {
	struct batch *batches;
	struct lane *lanes;
	unsigned nbatches;
	unsigned nallocated; /* lanes */
	unsigned nlanes;     /* with a buffer */
	unsigned busy;	     /* lanes with a job */
};

/* Sizes of one lane's memory. */
struct lane_room {
	size_t capacity;    /* of a fill */
	size_t slack_bytes; /* behind each hand-out, for the engine */
};

/* So many batches, all 0; NULL when memory is short. */
struct batch *
lane_group_new_batches(unsigned n);

/*
 * nlanes lanes like `model`, lanes_of_batch to a batch.  False when memory is
 * short; lane_group_free is due in either case.
 */
bool
lane_group_allocate(struct lane_group *, unsigned nbatches,
		    unsigned lanes_of_batch, unsigned nlanes,
		    const struct lane *model);

void
lane_group_free(struct lane_group *);

/* From one buffer to the next. */
size_t
lane_stride(const struct lane_room *);

/* Bytes of buffers for so many lanes, to be aligned to 4096. */
size_t
lane_group_buffer_bytes(unsigned nlanes, const struct lane_room *);

/*
 * Give each lane its buffer: capacity, padding, slack.  In the sets of a cache
 * they lie one 64-byte line apart, lane after lane, so that no two of them
 * compete for the same one: neither in a CPU's first level nor in the QPUs'
 * direct-mapped TMU caches, where it would cost a factor of 6.
 */
void
lane_group_place_buffers(struct lane_group *, uint8_t *buffers, unsigned nlanes,
			 const struct lane_room *);

#endif
