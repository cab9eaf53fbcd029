/* SPDX-License-Identifier: MIT */
/*
 * tile_rig: QPUs that are shared with a desktop, as programs for pixels, and
 * programs given as text.  This is how an ordinary user reaches the QPUs of a
 * stock system.
 */
#ifndef QPU_CHECK_TILE_RIG_H
#define QPU_CHECK_TILE_RIG_H

#include "qpu/check/rig.h"

enum {
	TILE_RIG_DRAWS = 16,	   /* of a job, at most */
	TILE_RIG_CLEAR = 0xc1ea4ed /* what samples hold before */
};

bool
tile_rig_load(struct rig *, const char *text, unsigned uniforms,
	      struct way_program *, struct diag *why);

/* Draws into tiles beside each other. */
struct tile_rig_job {
	unsigned tiles, ndraws;
	struct tile_draw draws[TILE_RIG_DRAWS];
};

bool
tile_rig_submit(struct rig *, const struct tile_rig_job *, uint64_t *ticket,
		struct diag *why);
/* It ends within some seconds, or the device has failed. */
bool
tile_rig_wait(struct rig *, uint64_t ticket, struct diag *why);
/* Both; ms, which may be NULL, is how long they took, by the model if there is
 * one. */
bool
tile_rig_run(struct rig *, const struct tile_rig_job *, double *ms,
	     struct diag *why);

#endif
