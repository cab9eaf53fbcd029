/* SPDX-License-Identifier: MIT */
/*
 * device_emu: an emulated VideoCore IV as a device.  It runs the same words on
 * the same memory as a real one; its times are modelled.
 */
#ifndef QPU_ENGINE_DEVICE_EMU_H
#define QPU_ENGINE_DEVICE_EMU_H

struct qpu_device;

extern const struct qpu_device device_emu;

#endif
