/* SPDX-License-Identifier: MIT */
/*
 * line_editing: lines that a user edits, with a history, where libedit is
 * built in.
 */
#ifndef SRC_TOOLS_QPURUN_LINE_EDITING_H
#define SRC_TOOLS_QPURUN_LINE_EDITING_H

#include "qpu/debugger/line_input.h"

/* For the debugger; null: lines are edited as the terminal does. */
extern line_input_edit *const line_editing;

#endif
