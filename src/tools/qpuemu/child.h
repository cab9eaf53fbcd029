/* SPDX-License-Identifier: MIT */
/*
 * child: the program, as a child process with the board in its environment.
 */
#ifndef SRC_TOOLS_QPUEMU_CHILD_H
#define SRC_TOOLS_QPUEMU_CHILD_H

#include "src/base/diag.h"

/* Exit statuses, as in shells and env, of what was not run. */
enum { CHILD_FAILED = 125, CHILD_UNFIT, CHILD_MISSING };

/*
 * Start argv[0], found in PATH, with qpuemu.so between it and the C library,
 * and wait until it ends.  Return its status, 128 + the signal that killed it,
 * or one of the above and the reason ("" otherwise) if it could not be started.
 * Signals that would end this process are passed on to the child, because there is
 * a directory to remove.  If this process is killed by SIGKILL, so is the child.
 */
int
child_run(char **argv, const char *dir, struct diag *why);

#endif
