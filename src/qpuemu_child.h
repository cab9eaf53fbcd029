/* SPDX-License-Identifier: MIT */
/*
 * qpuemu_child: the program as a child that is waited for.
 */
#ifndef SRC_QPUEMU_CHILD_H
#define SRC_QPUEMU_CHILD_H

#include "src/diag.h"

/*
 * Start argv[0], found at `path`, with our object between it and the C
 * library; wait until it ends.  Its status, 128 + the signal that killed it,
 * or -1 and the reason when it could not be started.  Until then no signal
 * that can be caught ends us: there is something to clean up.
 */
int
child_run(const char *path, char **argv, const char *dir, struct diag *why);

#endif
