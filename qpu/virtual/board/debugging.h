/* SPDX-License-Identifier: MIT */
/*
 * debugging: the debugger of qpuemu --debug.
 *
 * One process is debugged: the one that makes the launch at which the debugger
 * starts.  It stops at that launch, and at later ones of this process for
 * breakpoints, hazards, faults and deadlocks.  While it waits for a command
 * the board's lock is held: calls of other processes wait.
 */
#ifndef QPU_VIRTUAL_BOARD_DEBUGGING_H
#define QPU_VIRTUAL_BOARD_DEBUGGING_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/virtual/board/board.h"

enum debugging {
	DEBUGGING_OFF,	  /* the launch goes on without the debugger */
	DEBUGGING_PAUSED, /* the slice is used up */
	DEBUGGING_OVER,	  /* the status says how the launch ended */
};

/* Programs run at most until these totals are reached; 0: no limit. */
struct debugging_limits {
	uint64_t instructions, clocks;
	bool slice; /* it is not the end of the launch */
};

/* A launch begins; programs may still be queued. */
void
debugging_launch(const struct board *, struct machine *);

/* Run the launch under the debugger. */
enum debugging
debugging_run(const struct debugging_limits *, enum machine_status *status,
	      struct diag *why);

/* Steps and findings of the machine. */
void
debugging_observe(const struct machine_step *);
void
debugging_hazard(const struct machine_finding *);

#endif
