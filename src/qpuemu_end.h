/* SPDX-License-Identifier: MIT */
/*
 * qpuemu_end: what a program left behind on the virtual board.
 */
#ifndef SRC_QPUEMU_END_H
#define SRC_QPUEMU_END_H

#include <stdbool.h>

#include "qpu/virtual/state.h"

/* On standard error, if there is anything to be said; false if there is. */
bool
end_report_leaks(const struct state *);

/* The counters of all launches, on standard error. */
void
end_report_counters(const struct state *);

/* Take away the nodes that the program made and left. */
void
end_remove_links(const struct state *, const char *dir);

#endif
