/* SPDX-License-Identifier: MIT */
/*
 * firmware: can the QPUs of this Raspberry Pi be used by way of the VideoCore's
 * firmware, and with which memory; opening the board's nodes; and requests
 * through /dev/vcio (hardware reference, section 14; numbers in
 * qpu/abi/mailbox.h).
 */
#ifndef QPU_WAYS_FIRMWARE_H
#define QPU_WAYS_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/mailbox.h"
#include "qpu/ways/host.h"

struct vcio_nodes {
	struct host host;
	struct finding finding; /* the first obstacle */
	/* A heap with cached memory, "/dev/dma_heap/linux,cma", or NULL for
	 * memory from /dev/vcsm-cma. */
	const char *heap;
};

/* Read the device tree, sysfs and the permissions of nodes.  Return true if the QPUs
 * can be used; else *why_not is one line with the remedy. */
bool
vcio_nodes_find(struct vcio_nodes *, struct diag *why_not);

/*
 * Open a node for reading and writing, with further flags of open(); -1 and
 * errno.  The descriptor is never a standard stream, even where those are
 * closed: a message printed to it would be a request to the firmware.
 */
int
firmware_open_node(const char *name, int flags);

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

/* Return true if the firmware answers and supports QPUs, else false with
 * *finding. Changes nothing. */
bool
firmware_has_qpus(int vcio, struct finding *finding);

/*
 * The clock of the QPUs is full while a process uses them.  Linux turns off the
 * clocks that no driver of its own has claimed, at the end of its boot.  From
 * 6.18 on it does so by setting the lowest rate of the clock and asking the
 * firmware to switch it off (drivers/clk/bcm/clk-raspberrypi.c, unprepare);
 * before that it left clocks alone, and the firmware chose a rate for each
 * launch.  So what was left is asked after the QPUs were enabled, and put back
 * at the end.
 */
struct raised_clock {
	uint32_t hz; /* to put back; 0 = nothing */
	bool was_off;
};

/*
 * Switch the clock on if it is off, and set its highest rate if it has a lower
 * one.  A firmware that does not answer such questions is left alone.  When it
 * is called again, what was found first is what is put back.
 * Async-signal-safe, as is firmware_put_back_clock.
 */
void
firmware_raise_clock(struct raised_clock *, int vcio);

void
firmware_put_back_clock(struct raised_clock *, int vcio);

#endif
