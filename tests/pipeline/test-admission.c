/* SPDX-License-Identifier: MIT */
/*
 * Promise: of the lanes that have a FIFO open exactly one keeps it, and a FIFO is
 * forgotten with the last of them.  What that is for is asked in test-streams.
 */
#include "config.h"

#include "src/lanes/admission.h"

#include "tests/support/tap.h"

enum { DEVICE = 5 };

static struct fifos fifos;

/* How many have claimed it before?  *fifo is for its release. */
static unsigned
claim(dev_t device, ino_t inode, struct fifo **fifo)
{
	return fifos_claim(&fifos, device, inode, true, fifo);
}

static void
test_claims(void)
{
	struct fifo *one, *two, *other, *elsewhere;

	ok(claim(DEVICE, 1, &one) == 0 && one,
	   "the first to have a FIFO open keeps it");
	ok(claim(DEVICE, 1, &two) == 1 && two == one,
	   "the second to have a FIFO open closes it, and counts");
	ok(claim(DEVICE, 2, &other) == 0, "another inode is another FIFO");
	ok(claim(DEVICE + 1, 1, &elsewhere) == 0,
	   "the same inode on another device is another FIFO");
	fifos_release(&fifos, one);
	fifos_claim(&fifos, DEVICE, 1, false, &one);
	ok(one == two, "a FIFO that is claimed is found by its name");
	fifos_release(&fifos, one);
	fifos_release(&fifos, two);
	fifos_claim(&fifos, DEVICE, 1, false, &one);
	ok(!one, "a FIFO that all have released is not found by its name");
	ok(claim(DEVICE, 2, &two) == 1 && claim(DEVICE, 3, &one) == 0,
	   "a free place in front hides no FIFO");
	fifos_release(&fifos, one);
	fifos_release(&fifos, two);
	fifos_release(&fifos, other);
	fifos_release(&fifos, elsewhere);
	ok(fifos.uses == 0, "when all have released theirs, none is claimed");
}

static void
test_room(void)
{
	struct fifo *claimed[FIFOS], *again, *none;
	unsigned before = 0;

	for (ino_t inode = 0; inode < FIFOS; inode++)
		before += claim(DEVICE, inode, &claimed[inode]);
	ok(before == 0 && claimed[FIFOS - 1], "64 FIFOs may be open");
	ok(claim(DEVICE, FIFOS, &none) > 0 && !none,
	   "a FIFO for which there is no room waits for its turn, and does not "
	   "count");
	ok(claim(DEVICE, FIFOS - 1, &again) == 1 && again == claimed[FIFOS - 1],
	   "a FIFO that is open is found where there is no room");
	fifos_release(&fifos, claimed[7]);
	ok(claim(DEVICE, FIFOS, &again) == 0 && again == claimed[7],
	   "a free place is used again");
}

int
main(void)
{
	fifos_init(&fifos);
	test_claims();
	test_room();
	fifos_destroy(&fifos);
	return tap_done();
}
