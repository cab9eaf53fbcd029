/* SPDX-License-Identifier: MIT */
/*
 * device_emu: an emulated VideoCore IV as a device.  It runs the same words on
 * the same memory as a real one; its times are modelled.
 */
#ifndef QPU_ENGINE_DEVICE_EMU_H
#define QPU_ENGINE_DEVICE_EMU_H

#include <stdbool.h>

struct device_totals;
struct machine;
struct qpu_device;

extern const struct qpu_device device_emu;

/* What an emulated machine counts, as totals of a device: all but busy_ms. */
void
emulated_totals(struct machine *, bool timed, struct device_totals *);

#endif
