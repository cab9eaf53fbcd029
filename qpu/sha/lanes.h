/* SPDX-License-Identifier: MIT */
/*
 * lanes: launches of programs that QPUs have for themselves; each works on a
 * batch of 16 lanes.  Its devices are struct qpu_device.
 */
#ifndef QPU_SHA_LANES_H
#define QPU_SHA_LANES_H

#include "qpu/sha/launcher.h"

enum { LANES_MB = 431 };

extern const struct launcher launcher_lanes;

#endif
