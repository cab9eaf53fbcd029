/* SPDX-License-Identifier: MIT */
/*
 * vcio_options: the options of the real device, as in
 * --device=qpu:mailbox,counters.
 */
#ifndef QPU_DRIVER_VCIO_OPTIONS_H
#define QPU_DRIVER_VCIO_OPTIONS_H

#include <stdbool.h>

#include "qpu/ways/pi_board.h"
#include "src/base/option.h"

/* How launches start. */
enum vcio_start {
	START_CHEAPLY,	  /* none was given: by registers when short and without
				 * danger, else by mailbox */
	START_BY_MAILBOX, /* "mailbox" */
	START_SHORT,	  /* "short": short ones by registers */
	START_BY_REGISTERS /* "registers" */
};

struct vcio_options {
	enum vcio_start start; /* the last one given */
	bool counts;	       /* "counters": read the event counters */
};

extern const struct option_row vcio_option_rows[];

/* Should a launch go by registers?  expected_ms is its expected duration, 0 =
 * unknown; safety depends on the memory it uses. */
bool
vcio_options_want_registers(const struct vcio_options *, enum memory_kind,
			    double expected_ms);

#endif
