/* SPDX-License-Identifier: MIT */
/*
 * board_directory: the private directory of a virtual board.
 */
#ifndef SRC_TOOLS_QPUEMU_BOARD_DIRECTORY_H
#define SRC_TOOLS_QPUEMU_BOARD_DIRECTORY_H

#include <stdbool.h>

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

/*
 * Make an empty private directory, in $TMPDIR if it can be there, else in
 * /dev/shm or /tmp.  It is locked as long as this process lives:
 * directories there that killed processes have left are removed.
 */
bool
board_directory_make(char dir[BOARD_DIRECTORY], struct diag *);

/* Remove it and all files in it. */
void
board_directory_remove(const char *dir);

#endif
