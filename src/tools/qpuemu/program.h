/* SPDX-License-Identifier: MIT */
/*
 * program: can qpuemu.so be loaded into a program?
 */
#ifndef SRC_TOOLS_QPUEMU_PROGRAM_H
#define SRC_TOOLS_QPUEMU_PROGRAM_H

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

/* Exit statuses, as in shells and env. */
enum program_verdict {
	PROGRAM_GOOD = 0,
	PROGRAM_UNFIT = 126,
	PROGRAM_MISSING = 127
};

/* Find it as execvp() does; `path` becomes its place. */
enum program_verdict
program_find(const char *name, char path[BOARD_PATH], struct diag *why_not);

/* Check the file, or the interpreter of a script. */
enum program_verdict
program_check(const char *path, struct diag *why_not);

#endif
