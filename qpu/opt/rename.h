/* SPDX-License-Identifier: MIT */
/*
 * rename: other registers for values that begin and end in one block.
 *
 * The registers of a source order its operations where their values do not: a second
 * value waits until the first one in its register was read, and two operands of file
 * A need two instructions.  A value that is written whole in this block, and that
 * nothing reads after it, can live in any register that is free meanwhile.  The
 * search changes registers as it changes priorities, one value, or two that change
 * places, at a time.
 */
#ifndef QPU_OPT_RENAME_H
#define QPU_OPT_RENAME_H

#include "qpu/opt/flow.h"
#include "qpu/opt/search.h"

/*
 * Search as search_run does, and give the operations of the problem the best
 * registers.  Set *length to -1 if every schedule is above the limit.  Return false
 * when memory is short.
 */
bool
rename_run(const struct flow *flow, const struct block *block,
	   struct problem *problem, struct search_limit *limit, int longest,
	   int *priority, int *length);

#endif
