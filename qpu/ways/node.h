/* SPDX-License-Identifier: MIT */
/*
 * node: finds the render node of the kernel's driver vc4, and says what its
 * owner has to change when there is none that this user may open.
 *
 * Render nodes are for programs that compute or draw and show nothing.  The
 * nodes for displays beside them, card*, are never opened: who opens the first
 * one keeps a desktop from starting.
 */
#ifndef QPU_DRM_NODE_H
#define QPU_DRM_NODE_H

#include <stdbool.h>

#include "qpu/abi/soc.h"
#include "qpu/ways/requests.h"
#include "src/base/diag.h"

/* What may be in the way; where nodes differ, the last one counts. */
enum drm_obstacle {
	DRM_USABLE,    /* nothing is */
	DRM_NO_PI,     /* not a Raspberry Pi */
	DRM_OTHER_GPU, /* Pi 4 and later */
	DRM_NO_NODE,   /* vc4 has no render node */
	DRM_NO_DEVICE, /* a file of that name is no device of its kind */
	DRM_CANNOT_OPEN,
	DRM_FOR_GROUP,	/* a group may open it, and this user is not in it */
	DRM_FOR_ROOT,	/* only root may open it */
	DRM_NO_V3D,	/* a vc4 that drives displays only */
	DRM_NO_BRANCHES /* a kernel before 4.9 */
};

enum { DRM_NODE_PATH = 32 };

struct drm_node {
	char path[DRM_NODE_PATH]; /* "/dev/dri/renderD128"; "": there is none */
	enum drm_obstacle obstacle;
	char group[64]; /* that may open it, if this user is not in it */
};

/*
 * Look below `root` ("" is this machine; tests have directories of their own)
 * and open the first node that can be used.  False: *why_not has the reason and
 * what is to be done, and node->path the node that it is about.
 */
bool
drm_node_open(const char *root, struct drm_node *node, struct drm_calls *calls,
	      struct diag *why_not);

/* The chip of this board, without a look at its nodes.  NULL when it has no
 * VideoCore IV. */
const struct soc *
drm_node_soc(const char *root);

/* Is what answers here a driver whose V3D can run programs? */
enum drm_obstacle
drm_node_judge(const struct drm_calls *);

#endif
