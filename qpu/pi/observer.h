/* SPDX-License-Identifier: MIT */
/*
 * observer: what users see of the QPU programs of this process: the session of
 * qpu/debugger, with the files and the debugger that qpuemu's options ask for.
 *
 * One process is debugged: the one that makes the launch at which the debugger
 * starts.  It stops at that launch, and at later ones of this process for
 * breakpoints, hazards, faults and deadlocks.  While it waits for a command
 * the board's lock is held: calls of other processes wait.
 *
 * Called with the board's lock held.
 */
#ifndef QPU_PI_OBSERVER_H
#define QPU_PI_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "qpu/debugger/session.h"
#include "qpu/emulator/emulator.h"
#include "qpu/pi/virtual_board.h"

/* All zeros at first. */
struct observer {
	struct session session;
	bool opened;	/* the files of the options, as far as possible */
	bool failed;	/* to write: reported once */
	pid_t debugged; /* process with the debugger, or 0 */
	struct board_totals counted; /* what the shared totals have */
};

/* Observe a machine that was made here, or inherited from the parent process.
 * What cannot be opened is reported and left out. */
void
observer_attach(struct observer *, struct machine *, const struct board *);

/* A launch begins; its programs may still be queued. */
void
observer_launch(struct observer *, const struct board *);

/* Add to the shared totals what the machine has done since the last time;
 * launches are counted where they are made. */
void
observer_count(struct observer *, const struct board *);

/* Write what there is so far: other processes write to the same files. */
void
observer_flush(struct observer *);

#endif
