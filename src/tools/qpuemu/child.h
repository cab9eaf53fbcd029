/* SPDX-License-Identifier: MIT */
/*
 * child: the program, as a child process with the board in its environment.
 */
#ifndef SRC_TOOLS_QPUEMU_CHILD_H
#define SRC_TOOLS_QPUEMU_CHILD_H

#include "src/base/diag.h"

/*
 * Start argv[0], found at `path`, with qpuemu.so between it and the C library,
 * and wait until it ends.  Returns its status, 128 + the signal that killed it,
 * or -1 and the reason when it could not be started.  Signals that would end
 * this process are passed on to the child, because there is a directory to
 * remove; SIGKILL, which cannot be, kills the child, too.
 */
int
child_run(const char *path, char **argv, const char *dir, struct diag *why);

#endif
