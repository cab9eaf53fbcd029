/* SPDX-License-Identifier: MIT */
/*
 * board_files: what is in the private directory of a virtual board: its nodes,
 * its memory, and the files of a Raspberry Pi below /proc and /sys.
 */
#ifndef SRC_TOOLS_QPUEMU_BOARD_FILES_H
#define SRC_TOOLS_QPUEMU_BOARD_FILES_H

#include <stdbool.h>

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

/* Fill the private directory with files; `library` is the absolute path of
 * qpuemu.so. */
bool
board_files_fill(const char *dir, const char *library, struct board_shared *,
		 struct diag *);

#endif
