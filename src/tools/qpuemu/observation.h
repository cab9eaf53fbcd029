/* SPDX-License-Identifier: MIT */
/*
 * observation: the files by which users see more of QPU programs.
 */
#ifndef SRC_TOOLS_QPUEMU_OBSERVATION_H
#define SRC_TOOLS_QPUEMU_OBSERVATION_H

#include <stdbool.h>

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

/* Can the processes read them later? */
bool
observation_check(const struct board_options *, struct diag *why);

#endif
