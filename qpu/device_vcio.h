/* SPDX-License-Identifier: MIT */
/*
 * device_vcio: the QPUs of a Raspberry Pi, by way of its firmware (/dev/vcio)
 * or, for short runs where it is possible, their registers.
 */
#ifndef QPU_DEVICE_VCIO_H
#define QPU_DEVICE_VCIO_H

struct qpu_device;

extern const struct qpu_device device_vcio;

/* How many messages make it faster than the CPU of this board? */
unsigned
device_vcio_worth(void);

#endif
