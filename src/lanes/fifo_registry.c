/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/fifo_registry.h"

#include <string.h>

void
fifo_registry_init(struct fifo_registry *registry)
{
	pthread_mutex_init(&registry->lock, NULL);
	memset(registry->slots, 0, sizeof(registry->slots));
	registry->claims = 0;
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

/* Lock held. */
static void
claim(struct fifo_registry *registry, struct fifo_slot *slot)
{
	slot->uses++;
	__atomic_add_fetch(&registry->claims, 1, __ATOMIC_RELAXED);
}

struct fifo_slot *
fifo_registry_claim(struct fifo_registry *registry, dev_t device, ino_t inode,
		    bool *first)
{
	*first = false;
	pthread_mutex_lock(&registry->lock);
	struct fifo_slot *slot = find_slot(registry, device, inode);
	if (slot) {
		*first = slot->uses == 0;
		slot->device = device;
		slot->inode = inode;
		claim(registry, slot);
	}
	pthread_mutex_unlock(&registry->lock);
	return slot;
}

bool
fifo_registry_has_claims(const struct fifo_registry *registry)
{
	return __atomic_load_n(&registry->claims, __ATOMIC_RELAXED) > 0;
}

struct fifo_slot *
fifo_registry_join(struct fifo_registry *registry, dev_t device, ino_t inode)
{
	pthread_mutex_lock(&registry->lock);
	struct fifo_slot *slot = find_slot(registry, device, inode);
	if (slot && slot->uses == 0)
		slot = NULL;
	if (slot)
		claim(registry, slot);
	pthread_mutex_unlock(&registry->lock);
	return slot;
}

void
fifo_registry_release(struct fifo_registry *registry, struct fifo_slot *slot)
{
	pthread_mutex_lock(&registry->lock);
	slot->uses--;
	__atomic_sub_fetch(&registry->claims, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&registry->lock);
}
