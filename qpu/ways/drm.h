/* SPDX-License-Identifier: MIT */
/*
 * drm: the QPUs of this machine as a tile device, through the render node of
 * the kernel's driver vc4; or the reason why this user cannot open a node.
 *
 * Render nodes are for programs that compute or draw and show nothing.  The
 * nodes for displays beside them, card*, are never opened: the first program to
 * open one keeps a desktop from starting.
 */
#ifndef QPU_WAYS_DRM_H
#define QPU_WAYS_DRM_H

#include "qpu/ways/host.h"
#include "qpu/ways/render.h"

/* The first obstacle on this machine; *why_not has the reason, if there is one. */
enum obstacle
drm_obstacle(struct diag *why_not);

/* Return how long all jobs in the kernel's queue should take at most, in ms: less
 * where a screen is on. */
unsigned
drm_queue_ms(void);

struct drm_node {
	struct host host;
	struct finding finding; /* its path, or the obstacle */
	struct drm_calls calls;
};

/* Open the first node that can be used.  Return false with the reason, and what is
 * to be done. */
bool
drm_node_open(struct drm_node *, struct diag *why_not);

#endif
