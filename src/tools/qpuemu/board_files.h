/* SPDX-License-Identifier: MIT */
/*
 * board_files: the private directory of a virtual board, and what is in it: its
 * nodes, its memory, and the files of a Raspberry Pi below /proc and /sys.
 */
#ifndef SRC_TOOLS_QPUEMU_BOARD_FILES_H
#define SRC_TOOLS_QPUEMU_BOARD_FILES_H

#include <stdbool.h>

#include "qpu/pi/shared.h"
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

/* Fill the private directory with files; `library` is the absolute path of
 * qpuemu.so. */
bool
board_files_fill(const char *dir, const char *library, struct board_shared *,
		 struct diag *);

#endif
