/* SPDX-License-Identifier: MIT */
/*
 * details: what --list-devices=details says of the two ways to the QPUs of this
 * machine, and what is still to be done before this user can use them.  What
 * cannot be found out is left out.
 */
#ifndef QPU_WAYS_DETAILS_H
#define QPU_WAYS_DETAILS_H

#include "src/base/facts.h"

/* No rows on a machine that is no Raspberry Pi.  The firmware is asked questions
 * that change nothing, if /dev/vcio can be opened. */
void
details_add_vcio(struct facts *);

/* No rows on a machine without a node of the driver vc4.  Where the device can be
 * used, two short jobs measure its clock. */
void
details_add_drm(struct facts *);

#endif
