/* SPDX-License-Identifier: MIT */
/*
 * qpuemu_program: can anything be put between a program and the kernel?
 */
#ifndef SRC_QPUEMU_PROGRAM_H
#define SRC_QPUEMU_PROGRAM_H

#include <stdbool.h>

#include "qpu/virtual/state.h"
#include "src/diag.h"

/* As the shell and env have it. */
enum program_verdict {
	PROGRAM_GOOD = 0,
	PROGRAM_UNFIT = 126,
	PROGRAM_MISSING = 127
};

/* Look it up as execvp() does; `path` is where it is. */
enum program_verdict
program_find(const char *name, char path[STATE_PATH], struct diag *why_not);

/* Looks at the file, and at the interpreter of a script. */
enum program_verdict
program_check(const char *path, struct diag *why_not);

#endif
