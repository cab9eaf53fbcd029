/* SPDX-License-Identifier: MIT */
/*
 * v3d_clock: the clock of the QPUs, which is full while this process uses them.
 *
 * Linux turns off the clocks that no driver of its own has claimed, at the end
 * of its boot.  From 6.18 on it does so by setting the lowest rate of the clock
 * and asking the firmware to switch it off (drivers/clk/bcm/clk-raspberrypi.c,
 * unprepare); before that it left clocks alone, and the firmware chose a rate
 * for each launch.  So what was left is asked after the QPUs were enabled, and
 * put back at the end.
 */
#ifndef QPU_WAYS_V3D_CLOCK_H
#define QPU_WAYS_V3D_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* What has to be put back. */
struct v3d_clock {
	uint32_t hz; /* 0 = nothing */
	bool was_off;
};

/*
 * Switch the clock on if it is off, and set its highest rate if it has a lower
 * one.  A firmware that does not answer such questions is left alone.  When it
 * is called again, what was found first is what is put back.
 * Async-signal-safe, as is v3d_clock_put_back.
 */
void
v3d_clock_raise(struct v3d_clock *, int vcio);

void
v3d_clock_put_back(struct v3d_clock *, int vcio);

#endif
