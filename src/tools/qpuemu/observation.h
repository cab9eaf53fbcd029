/* SPDX-License-Identifier: MIT */
/*
 * observation: what users see of QPU programs, as far as qpuemu itself writes
 * it before and after the program's run.
 */
#ifndef SRC_TOOLS_QPUEMU_OBSERVATION_H
#define SRC_TOOLS_QPUEMU_OBSERVATION_H

#include <stdbool.h>

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

/* Check and make the files. */
bool
observation_begin(struct board_options *, struct diag *why);

/* End the timeline; false, with a message, on failure. */
bool
observation_end(const struct board_options *);

#endif
