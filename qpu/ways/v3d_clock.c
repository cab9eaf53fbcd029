/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/v3d_clock.h"

#include "qpu/ways/firmware.h"

/* Ask for a property of the clock; 0 = not known. */
static uint32_t
ask(int vcio, enum mailbox_tag tag)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D };

	return firmware_call(vcio, tag, values, 1, 2) ? values[1] : 0;
}

static bool
is_off(int vcio)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D };

	return firmware_call(vcio, MAILBOX_CLOCK_STATE, values, 1, 2) &&
	       !(values[1] & (MAILBOX_CLOCK_ON | MAILBOX_CLOCK_MISSING));
}

static void
set_state(int vcio, uint32_t state)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D, state };

	firmware_call(vcio, MAILBOX_SET_CLOCK_STATE, values, 2, 2);
}

/* The third word is 0: the voltage goes with the rate. */
static void
set_rate(int vcio, uint32_t hz)
{
	uint32_t values[3] = { MAILBOX_CLOCK_V3D, hz, 0 };

	firmware_call(vcio, MAILBOX_SET_CLOCK_RATE, values, 3, 2);
}

void
v3d_clock_raise(struct v3d_clock *clock, int vcio)
{
	uint32_t hz, most;

	if (is_off(vcio)) {
		set_state(vcio, MAILBOX_CLOCK_ON);
		clock->was_off = true;
	}
	hz = ask(vcio, MAILBOX_CLOCK_RATE);
	most = ask(vcio, MAILBOX_MAX_CLOCK_RATE);
	if (hz == 0 || hz >= most)
		return;
	set_rate(vcio, most);
	if (clock->hz == 0)
		clock->hz = hz;
}

void
v3d_clock_put_back(struct v3d_clock *clock, int vcio)
{
	if (clock->hz > 0)
		set_rate(vcio, clock->hz);
	if (clock->was_off)
		set_state(vcio, 0);
	*clock = (struct v3d_clock){ 0 };
}
