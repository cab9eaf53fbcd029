/* SPDX-License-Identifier: MIT */
/*
 * mailbox: requests to the VideoCore's firmware through /dev/vcio.
 */
#ifndef QPU_DRIVER_MAILBOX_H
#define QPU_DRIVER_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/mailbox.h"

/*
 * Send one tag: values[0..request) go in, values[0..response) come back; at
 * most MAILBOX_VALUES of either.  False and errno when the firmware did not
 * answer.  Async-signal-safe.
 */
enum { MAILBOX_VALUES = 16 };

bool
mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values, unsigned request,
	     unsigned response);

#endif
