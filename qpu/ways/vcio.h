/* SPDX-License-Identifier: MIT */
/*
 * vcio: the QPUs of a Raspberry Pi, by way of its firmware (/dev/vcio)
 * or, for short runs where it is possible, their registers.
 */
#ifndef QPU_DRIVER_VCIO_H
#define QPU_DRIVER_VCIO_H

struct engine_speed;
struct qpu_device;

extern const struct qpu_device device_vcio;

/* Of this board's CPU and memory; returns the clock of its QPUs at rest, in
 * MHz.  Everything is 0 on a board without them. */
unsigned
device_vcio_speed(struct engine_speed *);

#endif
