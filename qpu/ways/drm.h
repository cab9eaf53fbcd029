/* SPDX-License-Identifier: MIT */
/*
 * drm: the QPUs of this machine as a tile device, through the kernel's driver
 * vc4.
 */
#ifndef QPU_WAYS_DRM_H
#define QPU_WAYS_DRM_H

#include "qpu/ways/obstacle.h"
#include "src/base/option.h"

struct engine_speed;
struct tile_device;

extern const struct tile_device device_drm;

/* These options may follow the device's name and a colon. */
extern const struct option_row drm_option_rows[];

/* How fast this board should be, all but the device's own rate; returns the
 * clock of its QPUs at rest in MHz, 0 if it is not known. */
unsigned
drm_speed(struct engine_speed *);

/* The first obstacle on this machine. */
enum obstacle
drm_look(void);

#endif
