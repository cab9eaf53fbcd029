/* SPDX-License-Identifier: MIT */
/*
 * drm_node: finds the render node of the kernel's driver vc4, or what is in the
 * way of one that this user may open.
 *
 * Render nodes are for programs that compute or draw and show nothing.  The
 * nodes for displays beside them, card*, are never opened: who opens the first
 * one keeps a desktop from starting.
 */
#ifndef QPU_WAYS_DRM_NODE_H
#define QPU_WAYS_DRM_NODE_H

#include <stdbool.h>

#include "qpu/ways/drm_calls.h"
#include "qpu/ways/obstacle.h"
#include "src/base/diag.h"

/*
 * Look below `root` (board.h) and open the first node that can be used; its
 * path is finding->detail.  False: *why_not has the reason and what is to be
 * done.
 */
bool
drm_node_open(const char *root, struct finding *finding,
	      struct drm_calls *calls, struct diag *why_not);

#endif
