/* SPDX-License-Identifier: MIT */
/*
 * gpu: the QPUs of the virtual board.
 *
 * Each process that starts programs has an emulated machine of its own; what
 * outlives a process (memory, a hang) is in struct board_shared.  A program may
 * touch locked GPU memory and buffers of /dev/vcsm-cma, nothing else.
 * Called with the board's lock held.
 */
#ifndef QPU_PI_GPU_H
#define QPU_PI_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/virtual_board.h"

enum gpu_answer {
	GPU_OK,
	GPU_FAILED, /* the firmware's answer to refusals and hangs */
	GPU_LATE    /* the kernel gave up waiting for the firmware */
};

/* Start `n` programs; `control` is the bus address of their pairs.  With noflush
 * the QPUs' caches stay as the launch before has left them. */
enum gpu_answer
gpu_execute(const struct board *, uint32_t n, uint32_t control, bool noflush,
	    uint32_t timeout_ms);

/*
 * Registers of the V3D by byte offset.  Running programs advance at each read;
 * a peek at n registers changes nothing.
 */
uint32_t
gpu_read(const struct board *, uint32_t offset);
void
gpu_peek(const struct board *, uint32_t offset, uint32_t *values, size_t n);
void
gpu_write(const struct board *, uint32_t offset, uint32_t value);

/* Switch the QPUs on or off.  0, or the firmware's answer when it refuses. */
uint32_t
power_enable(const struct board *, bool on);

bool
power_is_on(const struct board *);

#endif
