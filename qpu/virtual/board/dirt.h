/* SPDX-License-Identifier: MIT */
/*
 * dirt: what a program that was killed may have left in the V3D: semaphores
 * that are not 0, QPUs and rows of the VPM that are not for user programs, or
 * programs that do not end.
 */
#ifndef QPU_VIRTUAL_BOARD_DIRT_H
#define QPU_VIRTUAL_BOARD_DIRT_H

#include "qpu/emulator/emulator.h"

enum dirt {
	DIRT_NONE,
	DIRT_SOME, /* programs that need at most 16 rows of the VPM run */
	DIRT_ALL,  /* no program runs, and no semaphore is 0 */
	DIRT_RUNS  /* all is clean, but a program runs for ever */
};

/* Leave it in a machine that was just reset. */
void
dirt_spread(enum dirt, struct machine *);

/* The kernel's driver vc4 takes all rows of the VPM for itself when it switches
 * the V3D on (vc4_v3d_init_hw), none is left for programs of users. */
void
dirt_take_rows(struct machine *);

#endif
