/* SPDX-License-Identifier: MIT */
/*
 * observation: the options with which users look at QPU programs, and what is
 * written at their request before and behind the program's run.
 */
#ifndef SRC_TOOLS_QPUEMU_OBSERVATION_H
#define SRC_TOOLS_QPUEMU_OBSERVATION_H

#include <stdbool.h>

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

/* Its input is the struct board_options. */
extern const struct argp observation_argp;

/* Check and make the files; `dir` is the private directory. */
bool
observation_begin(const char *dir, const struct board_options *,
		  struct diag *why);

/* End the timeline and print the profile; false, with a message, on failure. */
bool
observation_end(const char *dir, const struct board_options *);

#endif
