/* SPDX-License-Identifier: MIT */
/*
 * drm_details: what the kernel's driver vc4 is here, and what is still to be
 * done before this user can use it.
 */
#ifndef QPU_DRM_DRM_DETAILS_H
#define QPU_DRM_DRM_DETAILS_H

#include "src/base/facts.h"

/* No rows on a machine without a node of the driver.  Where the device can be
 * used, two short jobs measure its clock. */
void
drm_details_add(struct facts *);

#endif
