/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/vcio_options.h"

/* A launch by the firmware costs 0.1 ms, during which the CPU is free; one by
 * registers costs nearly nothing, but the CPU has to poll for its end. */
static const double SHORT_MS = 1;

#define FIELD(member) OPTION_FIELD(struct vcio_options, member)

const struct option_row vcio_option_rows[] = {
	{ .name = "mailbox",
	  .kind = OPTION_CONSTANT,
	  FIELD(start),
	  .constant = START_BY_MAILBOX },
	{ .name = "registers",
	  .kind = OPTION_CONSTANT,
	  FIELD(start),
	  .constant = START_BY_REGISTERS },
	{ .name = "short",
	  .kind = OPTION_CONSTANT,
	  FIELD(start),
	  .constant = START_SHORT },
	{ .name = "counters", .kind = OPTION_FLAG, FIELD(counts) },
	{ .name = NULL }
};

/*
 * A process that waits for the firmware dies only when the firmware has
 * answered; one that waits for registers dies at once by SIGKILL.  The kernel
 * would then give its memory to others while programs still write to it, so
 * with the kernel's memory registers are used on request only.  The firmware
 * keeps its own memory.
 */
bool
vcio_options_want_registers(const struct vcio_options *options,
			    enum memory_kind memory, double expected_ms)
{
	const bool is_short = expected_ms > 0 && expected_ms <= SHORT_MS;

	switch (options->start) {
	case START_CHEAPLY: return memory == MEMORY_DEV_MEM && is_short;
	case START_SHORT: return is_short;
	case START_BY_REGISTERS: return true;
	case START_BY_MAILBOX: break;
	}
	return false;
}
