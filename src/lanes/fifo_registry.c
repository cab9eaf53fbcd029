/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/fifo_registry.h"

#include <string.h>

void
fifo_registry_init(struct fifo_registry *registry)
{
	pthread_mutex_init(&registry->lock, NULL);
	memset(registry->slots, 0, sizeof(registry->slots));
}

void
fifo_registry_destroy(struct fifo_registry *registry)
{
	pthread_mutex_destroy(&registry->lock);
}

/* The slot of a FIFO, else a free one, else NULL.  Lock held. */
static struct fifo_slot *
find_slot(struct fifo_registry *registry, dev_t device, ino_t inode)
{
	struct fifo_slot *found = NULL;

	for (unsigned i = 0; i < FIFO_REGISTRY_SLOTS; i++) {
		struct fifo_slot *slot = &registry->slots[i];

		if (slot->uses == 0)
			found = found ? found : slot;
		else if (slot->device == device && slot->inode == inode)
			return slot;
	}
	return found;
}

struct fifo_slot *
fifo_registry_claim(struct fifo_registry *registry, dev_t device, ino_t inode,
		    bool *first)
{
	*first = false;
	pthread_mutex_lock(&registry->lock);
	struct fifo_slot *slot = find_slot(registry, device, inode);
	if (slot) {
		*first = slot->uses++ == 0;
		slot->device = device;
		slot->inode = inode;
	}
	pthread_mutex_unlock(&registry->lock);
	return slot;
}

void
fifo_registry_release(struct fifo_registry *registry, struct fifo_slot *slot)
{
	pthread_mutex_lock(&registry->lock);
	slot->uses--;
	pthread_mutex_unlock(&registry->lock);
}
