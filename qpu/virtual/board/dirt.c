/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/dirt.h"

enum {
	SEMAPHORES = 16,
	V3D_SQRSV0 = 0x410,
	V3D_SQRSV1 = 0x414,
	V3D_VPMBASE = 0x504,
	/* Each QPU has four bits; bit 0 keeps user programs from it. */
	FOUR_QPUS = 0x1111,
	EIGHT_QPUS = 0x11111111,
	SOME_ROWS = 4 /* in units of 4 */
};

/* Programs that are known use the semaphores 0 to 7 and 12 to 15. */
static bool
is_used(unsigned semaphore)
{
	return semaphore < 8 || semaphore >= 12;
}

void
dirt_take_rows(struct machine *machine)
{
	machine_write(machine, V3D_VPMBASE, 0);
}

void
dirt_spread(enum dirt dirt, struct machine *machine)
{
	const bool all = dirt == DIRT_ALL;

	if (dirt == DIRT_NONE || dirt == DIRT_RUNS)
		return;
	/* The values are from 1 to 15; at 15 an increment stalls. */
	for (unsigned i = 0; i < SEMAPHORES; i++)
		if (all || is_used(i))
			machine_set_semaphore(machine, i, 1 + i * 7 % 15);
	machine_write(machine, V3D_VPMBASE, all ? 0 : SOME_ROWS);
	machine_write(machine, V3D_SQRSV0, all ? EIGHT_QPUS : 0);
	machine_write(machine, V3D_SQRSV1, FOUR_QPUS);
}
