/* SPDX-License-Identifier: MIT */
/*
 * list_outcome: what an update makes of LIST and of the files that it has found.
 */
#ifndef SRC_INPUTS_LIST_OUTCOME_H
#define SRC_INPUTS_LIST_OUTCOME_H

#include "src/inputs/update.h"

/* Decide what became of each name, replace LIST and LIST.index, and print what has
 * changed.  Return false after a message; LIST is as it was then. */
bool
list_outcome_settle(struct update *, struct results *);

#endif
