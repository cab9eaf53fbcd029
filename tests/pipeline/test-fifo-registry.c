/* SPDX-License-Identifier: MIT */
/*
 * Promise: of the lanes that have a FIFO open, the registry lets exactly one
 * keep it, and forgets a FIFO with the last of them.
 */
#include "config.h"

#include "src/pipeline/fifo_registry.h"

#include <stdlib.h>

#include "tests/support/tap.h"

enum { DEVICE = 5, THREADS = 8 };

static struct fifo_registry registry;

static bool
claim(ino_t inode)
{
	return fifo_registry_claim(&registry, DEVICE, inode);
}

static void
release(ino_t inode)
{
	fifo_registry_release(&registry, DEVICE, inode);
}

static void
test_claims(void)
{
	ok(claim(1), "the first to have a FIFO open keeps it");
	ok(!claim(1), "the second does not");
	ok(claim(2) && fifo_registry_claim(&registry, DEVICE + 1, 1),
	   "another inode or device is another FIFO");
	release(1);
	ok(!claim(1), "while one has it open, the next is not the first");
	release(1);
	release(1);
	ok(claim(1), "when all have released it, the next is the first");
	release(1);
	release(2);
	fifo_registry_release(&registry, DEVICE + 1, 1);
}

static void
test_room(void)
{
	unsigned first = 0;

	for (ino_t inode = 0; inode < FIFO_REGISTRY_SLOTS; inode++)
		first += claim(inode);
	ok(first == FIFO_REGISTRY_SLOTS, "so many FIFOs may be open");
	ok(!claim(FIFO_REGISTRY_SLOTS), "one more waits for its turn");
	release(FIFO_REGISTRY_SLOTS);
	ok(!claim(0) && !claim(FIFO_REGISTRY_SLOTS - 1),
	   "its release does not touch the others");
	release(0);
	release(FIFO_REGISTRY_SLOTS - 1);
	release(7);
	ok(claim(FIFO_REGISTRY_SLOTS), "a free slot is used again");
}

static void *
claim_on_thread(void *kept)
{
	for (ino_t inode = 1000; inode < 1000 + FIFO_REGISTRY_SLOTS; inode++)
		if (claim(inode))
			__atomic_add_fetch((unsigned *)kept, 1,
					   __ATOMIC_RELAXED);
	return NULL;
}

static void
test_threads(void)
{
	pthread_t threads[THREADS];
	unsigned kept = 0;

	fifo_registry_destroy(&registry);
	fifo_registry_init(&registry);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, claim_on_thread, &kept))
			exit(99);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(kept == FIFO_REGISTRY_SLOTS, "of many threads one keeps each FIFO");
}

int
main(void)
{
	fifo_registry_init(&registry);
	test_claims();
	test_room();
	test_threads();
	fifo_registry_destroy(&registry);
	return tap_done();
}
