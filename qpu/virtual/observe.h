/* SPDX-License-Identifier: MIT */
/*
 * observe: the trace of what QPUs execute.  Its text is that of qpurun, so the
 * functions are beside that program's.
 */
#ifndef QPU_VIRTUAL_OBSERVE_H
#define QPU_VIRTUAL_OBSERVE_H

#include <stdbool.h>

struct machine;

/* Append to a file; false when it cannot be opened. */
bool
observe_trace(struct machine *, const char *path);

/* Other processes append to the same file. */
void
observe_flush(void);

#endif
