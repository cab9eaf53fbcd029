/* SPDX-License-Identifier: MIT */
/*
 * leftovers: GPU memory and enabled QPUs that a program left behind on the
 * virtual board.
 */
#ifndef SRC_TOOLS_QPUEMU_LEFTOVERS_H
#define SRC_TOOLS_QPUEMU_LEFTOVERS_H

#include <stdbool.h>

#include "qpu/virtual/board/virtual_board.h"

/* Print leaks of memory and of enabled QPUs to standard error; false if there
 * are any. */
bool
leftovers_report(const struct board *);

/* Print the counters of all launches to standard error. */
void
leftovers_print_counters(const struct board_shared *);

#endif
