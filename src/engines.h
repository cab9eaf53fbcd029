/* SPDX-License-Identifier: MIT */
/*
 * engines: the table of all engines, in order of preference, and the choice
 * among them.
 */
#ifndef SRC_ENGINES_H
#define SRC_ENGINES_H

#include "cpu/engine.h"

/* Ends with a null pointer. */
extern const struct engine *const engines[];

#endif
