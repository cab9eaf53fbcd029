/* SPDX-License-Identifier: MIT */
/*
 * vcio: the QPUs of a Raspberry Pi, by way of its firmware (/dev/vcio).
 */
#ifndef QPU_WAYS_VCIO_H
#define QPU_WAYS_VCIO_H

#include "src/base/option.h"

struct qpu_device;

extern const struct qpu_device device_vcio;

/* These options may follow the device's name and a colon. */
extern const struct option_row vcio_option_rows[];

#endif
