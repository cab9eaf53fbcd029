/* SPDX-License-Identifier: MIT */
/*
 * observe: what users see of the programs of this process: trace, timeline,
 * costs, messages with source lines.  It is qpurun's, on a board.
 *
 * There is one for each process, as there is one machine.  Called with the
 * board's lock held.
 */
#ifndef QPU_VIRTUAL_BOARD_OBSERVE_H
#define QPU_VIRTUAL_BOARD_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/virtual/board/board.h"

struct trace_lines;

/*
 * A machine was made, or a child has got that of its parent: open what the
 * options ask for.  What cannot be opened is said and left out.
 */
void
observe_machine(struct machine *, const struct board *);

/* Look at each instruction, which is slow, if the debugger or a file wants it. */
void
observe_steps(struct machine *, bool debugged);

/* A program of a launch, by code address; the lowest one is the first line's. */
void
observe_launch(bool first, uint32_t code);

/* The source lines, where they are known. */
const struct trace_lines *
observe_lines(void);

/* Print it; true if it is a hazard. */
bool
observe_finding(const struct machine_finding *);

/* Print where programs stand behind a deadlock or fault. */
void
observe_places(const struct machine *);

/* Write out what is there so far: other processes write to the same files. */
void
observe_flush(struct machine *, const struct board *);

#endif
