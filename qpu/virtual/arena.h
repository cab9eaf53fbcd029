/* SPDX-License-Identifier: MIT */
/*
 * arena: the memory that QPU programs of this process can reach, kept in step
 * with what is locked.  Called with the state's lock held.
 */
#ifndef QPU_VIRTUAL_ARENA_H
#define QPU_VIRTUAL_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/virtual/world.h"

struct arena_region {
	uint32_t physical;
	uint32_t bytes;
	uint8_t *host;
	bool buffer;		/* mapped for this launch only */
};

struct arena {
	struct arena_region regions[STATE_BLOCKS + STATE_BUFFERS];
	unsigned nregions;
	uint32_t changes;	/* of the state, when it was last looked at */
	uint8_t *copy;		/* of all regions, one behind the other */
};

/* Give the machine all that may be touched now. */
bool
arena_enter(struct arena *, const struct world *, struct machine *,
	    struct diag *why);

/* Let go of the kernel's buffers, which may be gone before the next time. */
void
arena_leave(struct arena *, struct machine *);

/* Where bytes at a bus address are, or NULL. */
void *
arena_at(const struct arena *, uint32_t bus, uint32_t bytes);

/*
 * For a fault on order: remember what memory holds, and then let one word that
 * has changed since, the `number`th from the end, have a wrong bit.
 */
void
arena_remember(struct arena *);
void
arena_spoil(struct arena *, uint64_t number);

#endif
