/* SPDX-License-Identifier: MIT */
/*
 * tile_rig: a tile device for the questions of make check-hardware, and
 * programs given as text.  This is how an ordinary user reaches the QPUs of a stock
 * system (qpu/ways/way.h).
 */
#ifndef QPU_CHECK_TILE_RIG_H
#define QPU_CHECK_TILE_RIG_H

#include "qpu/ways/way.h"

enum {
	TILE_RIG_TILES = 10,	   /* of a job, at most */
	TILE_RIG_DATA = 1 << 20,   /* bytes for lookups */
	TILE_RIG_CLEAR = 0xc1ea4ed /* what samples hold before */
};

struct tile_rig {
	const struct tile_device *device;
	void *handle;
	unsigned qpus;
	struct tile_memory results, depths, data;
};

/* Is it "emulator:tiles...", "qpu:drm", or a "qpu" where the kernel's driver
 * has the GPU, whether or not this user may use it? */
bool
tile_rig_is_meant(const char *words);

bool
tile_rig_open(struct tile_rig *, const char *words, struct diag *why);
void
tile_rig_close(struct tile_rig *);

bool
tile_rig_load(struct tile_rig *, const char *text, unsigned uniforms,
	      unsigned loads, struct tile_program *, struct diag *why);

/* A job of a row of tiles with one window of this size, from the corner on, in
 * each.  All lookups are of the rig's data. */
struct tile_rig_job {
	const struct tile_program *program;
	const uint32_t *uniforms;
	unsigned tiles, width, height;
	bool depth;
};

bool
tile_rig_submit(struct tile_rig *, const struct tile_rig_job *,
		uint64_t *ticket, struct diag *why);
/* It ends within some seconds, or the device has failed. */
bool
tile_rig_wait(struct tile_rig *, uint64_t ticket, struct diag *why);
/* Both; ms, which may be NULL, is how long they took. */
bool
tile_rig_run(struct tile_rig *, const struct tile_rig_job *, double *ms,
	     struct diag *why);

#endif
