/* SPDX-License-Identifier: MIT */
/*
 * firmware: opening the board's nodes, and requests to the VideoCore's firmware
 * through /dev/vcio (hardware reference, section 14; numbers in
 * qpu/abi/mailbox.h).
 */
#ifndef QPU_WAYS_FIRMWARE_H
#define QPU_WAYS_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/mailbox.h"
#include "src/base/diag.h"

/*
 * Open a node for reading and writing, with further flags of open(); -1 and
 * errno.  The descriptor is never a standard stream, even where those are
 * closed: a message printed to it would be a request to the firmware.
 */
int
firmware_open_node(const char *name, int flags);

/* The same descriptor under a number that is none of a standard stream's; -1
 * stays -1, with its errno. */
int
firmware_lift(int fd);

/* Open /dev/vcio and lock it against other users until it is closed; -1 and
 * the reason. */
int
firmware_open(struct diag *why_not);

enum { FIRMWARE_VALUES = 16 };

/*
 * Send one tag: values[0..request) are sent, values[0..response) come back, at
 * most FIRMWARE_VALUES of either.  False and errno when the firmware did not
 * answer.  Async-signal-safe.
 */
bool
firmware_call(int vcio, enum mailbox_tag tag, uint32_t *values,
	      unsigned request, unsigned response);

/* Does the firmware answer, and does it support QPUs?  Changes nothing. */
bool
firmware_has_qpus(int vcio, struct diag *why_not);

/* The clock of the QPUs at this moment, in Hz; 0 = unknown. */
uint32_t
firmware_clock(int vcio);

#endif
