/* SPDX-License-Identifier: MIT */
/*
 * engine_tiles: batches on a tile device (qpu/ways/way.h).
 *
 * The messages of all lanes of a step are taken apart, sorted by length and
 * hashed eight to a thread, each from its own state.  A row of the program's
 * table of engines names its device:
 *
 *	const struct engine engine_drm = {
 *		.name = "qpu",
 *		.about = ..., .options = ..., .speed = ...,
 *		ENGINE_ON_TILES(device_drm),
 *	};
 *
 * The README has what such an engine promises, and what it cannot.
 */
#ifndef QPU_TILES_ENGINE_TILES_H
#define QPU_TILES_ENGINE_TILES_H

#include "src/base/engine.h"

/* The context of all functions is the const struct tile_device. */
#define ENGINE_ON_TILES(device)                                                \
	.context = &(device), .modelled_mb = TILES_MODELLED_MB,                \
	.modelled_mhz = TILES_MODELLED_MHZ, .probe = tiles_probe,              \
	.open = tiles_open, .alloc = tiles_alloc, .free = tiles_free,          \
	.submit = tiles_submit, .wait = tiles_wait, .stats = tiles_stats,      \
	.details = tiles_details, .close = tiles_close

/* The rate of 12 QPUs, by the emulator's cycle model. */
enum { TILES_MODELLED_MB = 310, TILES_MODELLED_MHZ = 250 };

/* Lanes and rate of a device whose QPUs have this clock; other fields stay. */
void
tiles_set_rate(struct engine_speed *, unsigned mhz);

bool
tiles_probe(const void *context, struct diag *why_not);
void *
tiles_open(const void *context, const char *options, struct engine_limits *,
	   struct diag *why_not);
void *
tiles_alloc(void *self, size_t bytes);
void
tiles_free(void *self, void *buffer, size_t bytes);
enum engine_status
tiles_submit(void *self, struct batch *, unsigned n, struct diag *why);
enum engine_status
tiles_wait(void *self, struct diag *why);
void
tiles_stats(void *self, struct facts *);
void
tiles_details(const void *context, struct facts *);
void
tiles_close(void *self);

#endif
