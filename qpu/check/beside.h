/* SPDX-License-Identifier: MIT */
/*
 * beside: QPUs that are started by registers while the kernel's driver vc4 has
 * the GPU.  This is for the questions of make check-hardware KMS=yes alone,
 * which can be asked of a stock system without a screen and without a reboot.
 *
 * It needs root, /dev/vcsm-cma, and a V3D that keeps its power
 * (power/control of the device in sysfs says "on"; check-hardware.sh sees to
 * that).  Nothing keeps the driver's own jobs away, so no other program may have
 * the GPU open.  A Pi 3B with Linux 6.6 was reported to work so without a
 * desktop; with one a program that did not end could only be stopped by a reboot
 * (github.com/1640675651/VC4CL, KMS.md).
 */
#ifndef QPU_CHECK_BESIDE_H
#define QPU_CHECK_BESIDE_H

#include "qpu/ways/way.h"

/* Its name is "beside". */
extern const struct qpu_device device_beside;

#endif
