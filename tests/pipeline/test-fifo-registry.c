/* SPDX-License-Identifier: MIT */
/*
 * Promise: of the lanes that have a FIFO open, the registry lets exactly one
 * keep it, and forgets a FIFO with the last of them.
 */
#include "config.h"

#include "src/lanes/fifo_registry.h"

#include "tests/support/tap.h"

enum { DEVICE = 5 };

static struct fifo_registry registry;

/* Is it the first?  *slot is for its release. */
static bool
claim(dev_t device, ino_t inode, struct fifo_slot **slot)
{
	bool first;

	*slot = fifo_registry_claim(&registry, device, inode, &first);
	return first;
}

static void
release(struct fifo_slot *slot)
{
	fifo_registry_release(&registry, slot);
}

static void
test_claims(void)
{
	struct fifo_slot *one, *two, *other, *elsewhere;

	ok(claim(DEVICE, 1, &one), "the first to have a FIFO open keeps it");
	ok(!claim(DEVICE, 1, &two) && two == one,
	   "the second to have a FIFO open closes it, and counts");
	ok(claim(DEVICE, 2, &other), "another inode is another FIFO");
	ok(claim(DEVICE + 1, 1, &elsewhere),
	   "the same inode on another device is another FIFO");
	release(one);
	ok(!claim(DEVICE, 1, &one),
	   "while one has it open, the next is not the first");
	release(one);
	release(two);
	ok(claim(DEVICE, 1, &one),
	   "when all have released it, the next is the first");
	release(one);
	release(other);
	release(elsewhere);
}

static void
test_join(void)
{
	struct fifo_slot *one, *other;

	ok(!fifo_registry_has_claims(&registry),
	   "no FIFO has been claimed at first");
	ok(!fifo_registry_join(&registry, DEVICE, 1) &&
		   !fifo_registry_has_claims(&registry),
	   "a FIFO that nobody has claimed cannot be joined");
	claim(DEVICE, 1, &one);
	ok(fifo_registry_has_claims(&registry), "one FIFO has been claimed");
	ok(!fifo_registry_join(&registry, DEVICE, 2),
	   "another FIFO than the one claimed cannot be joined");
	ok(fifo_registry_join(&registry, DEVICE, 1) == one,
	   "a FIFO that is claimed can be joined");
	release(one);
	ok(fifo_registry_has_claims(&registry) && !claim(DEVICE, 1, &other) &&
		   other == one,
	   "a FIFO that was joined is claimed after its first claim has ended");
	release(one);
	release(one);
	ok(!fifo_registry_has_claims(&registry),
	   "when all have released it, no FIFO is claimed");
}

static void
test_room(void)
{
	struct fifo_slot *slots[FIFO_REGISTRY_SLOTS], *second, *none, *late;
	unsigned first = 0;

	for (ino_t inode = 0; inode < FIFO_REGISTRY_SLOTS; inode++)
		first += claim(DEVICE, inode, &slots[inode]);
	ok(first == 64, "64 FIFOs may be open");
	ok(!claim(DEVICE, 64, &none) && !none,
	   "a FIFO for which there is no slot waits for its turn, and does not count");
	ok(!claim(DEVICE, 0, &second) && second == slots[0] &&
		   !claim(DEVICE, 63, &none) && none == slots[63],
	   "FIFOs that are open are found where all slots are in use");
	release(slots[7]);
	ok(claim(DEVICE, 64, &late) && late == slots[7],
	   "a free slot is used again");
	release(late);
	ok(!claim(DEVICE, 8, &late) && claim(DEVICE, 64, &late),
	   "a free slot in front hides no FIFO");
	release(slots[5]);
	release(slots[40]);
	ok(claim(DEVICE, 65, &none) && none == slots[5],
	   "the first free slot is taken");
}

int
main(void)
{
	fifo_registry_init(&registry);
	test_join();
	test_claims();
	test_room();
	fifo_registry_destroy(&registry);
	return tap_done();
}
