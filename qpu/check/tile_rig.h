/* SPDX-License-Identifier: MIT */
/*
 * tile_rig: QPUs that are shared with a desktop, as programs for pixels, and
 * programs given as text.  This is how an ordinary user reaches the QPUs of a
 * stock system.
 */
#ifndef QPU_CHECK_TILE_RIG_H
#define QPU_CHECK_TILE_RIG_H

#include "qpu/ways/way.h"

enum {
	TILE_RIG_TILES = 6,	   /* of a job, at most */
	TILE_RIG_WINDOWS = 16,	   /* of a job, at most */
	TILE_RIG_DATA = 1 << 20,   /* bytes for the CPU */
	TILE_RIG_CLEAR = 0xc1ea4ed /* what samples hold before */
};

struct tile_rig {
	const struct tile_device *device;
	void *handle;
	bool emulated;
	unsigned qpus;
	struct tile_memory results, data;
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
	      struct tile_program *, struct diag *why);

/* Pixels for which a program runs. */
struct tile_rig_window {
	const uint32_t *uniforms;
	uint16_t x, y, width, height;
};

/* The tiles are beside each other. */
struct tile_rig_job {
	const struct tile_program *program;
	unsigned tiles, nwindows;
	struct tile_rig_window windows[TILE_RIG_WINDOWS];
};

bool
tile_rig_submit(struct tile_rig *, const struct tile_rig_job *,
		uint64_t *ticket, struct diag *why);
/* It ends within some seconds, or the device has failed. */
bool
tile_rig_wait(struct tile_rig *, uint64_t ticket, struct diag *why);
/* Both; ms, which may be NULL, is how long they took, by the model if there is
 * one. */
bool
tile_rig_run(struct tile_rig *, const struct tile_rig_job *, double *ms,
	     struct diag *why);

#endif
