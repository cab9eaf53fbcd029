/* SPDX-License-Identifier: MIT */
/*
 * fifo_registry: the FIFOs that lanes have open.
 *
 * A FIFO named twice must be read twice, by one reader after the other.  The
 * first lane keeps it open; a later one opens it when its job is the oldest.
 * Until then it does not open it even to see what it is: a writer that opened
 * the FIFO at that moment would lose its data.
 *
 * Lock: its own, held inside of each function only, and no other lock is
 * taken meanwhile.  Any worker may call.
 */
#ifndef SRC_LANES_FIFO_REGISTRY_H
#define SRC_LANES_FIFO_REGISTRY_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

enum { FIFO_REGISTRY_SLOTS = 64 };

struct fifo_slot {
	dev_t device;
	ino_t inode;
	unsigned uses; /* 0 = free slot */
};

struct fifo_registry {
	pthread_mutex_t lock;
	unsigned claims; /* of all slots; may be read without the lock */
	struct fifo_slot slots[FIFO_REGISTRY_SLOTS];
};

void
fifo_registry_init(struct fifo_registry *);

void
fifo_registry_destroy(struct fifo_registry *);

/*
 * The slot that counts the claim until it is released; NULL: all are in use by
 * other FIFOs.  *first: it is the only claim of the FIFO that counts, and the
 * caller keeps it open; else it opens it again as the oldest.
 */
struct fifo_slot *
fifo_registry_claim(struct fifo_registry *, dev_t device, ino_t inode,
		    bool *first);

/* Has any FIFO been claimed?  Quick, for those who have not opened theirs. */
bool
fifo_registry_has_claims(const struct fifo_registry *);

/* One more claim of a FIFO that has been claimed; NULL: it has not. */
struct fifo_slot *
fifo_registry_join(struct fifo_registry *, dev_t device, ino_t inode);

void
fifo_registry_release(struct fifo_registry *, struct fifo_slot *);

#endif
