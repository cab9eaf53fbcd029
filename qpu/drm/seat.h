/* SPDX-License-Identifier: MIT */
/*
 * seat: is there somebody before the screen whose frames the GPU draws?
 * systemd-logind writes down who uses the first seat of a computer.
 */
#ifndef QPU_DRM_SEAT_H
#define QPU_DRM_SEAT_H

#include <stdbool.h>

/*
 * Is the active session of seat0 a user's desktop?  root comes before the paths
 * of systemd, "" for those of this system.  Without logind the answer is no, as
 * it is for a text console, from which a desktop may have been started by hand.
 */
bool
seat_has_desktop(const char *root);

#endif
