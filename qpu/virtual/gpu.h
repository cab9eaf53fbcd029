/* SPDX-License-Identifier: MIT */
/*
 * gpu: the QPUs of the virtual board.
 *
 * Each process that starts programs has an emulated machine of its own; what
 * outlives a process (memory, a hang) is in the shared state.  A program may
 * touch memory that is locked, or a buffer of the kernel's, and nothing else.
 * Called with the state's lock held.
 */
#ifndef QPU_VIRTUAL_GPU_H
#define QPU_VIRTUAL_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/virtual/world.h"

enum gpu_answer {
	GPU_OK,
	GPU_FAILED,	/* what the firmware answers to refusals and hangs */
	GPU_LATE	/* the kernel gave up waiting for the firmware */
};

/* Start `n` programs; `control` is the bus address of their pairs. */
enum gpu_answer
gpu_execute(const struct world *, uint32_t n, uint32_t control,
	    uint32_t timeout_ms);

/* 0, or what the firmware answers when it refuses. */
uint32_t
gpu_enable(const struct world *, bool on);

/* Registers of the V3D by byte offset; programs run on while they are read. */
uint32_t
gpu_read(const struct world *, uint32_t offset);
void
gpu_write(const struct world *, uint32_t offset, uint32_t value);

#endif
