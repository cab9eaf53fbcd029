/* SPDX-License-Identifier: MIT */
/*
 * rename: other registers for values that begin and end in one block.
 *
 * The registers of a source order its operations where their values do not: a second
 * value waits until the first one in its register was read, and two operands of file
 * A need two instructions.  A value that is written whole in this block, and that
 * nothing reads after it, can live in any register that is free meanwhile.  The
 * search changes registers as it changes priorities, one value at a time.
 */
#ifndef QPU_OPT_RENAME_H
#define QPU_OPT_RENAME_H

#include "qpu/opt/list.h"

struct renamer {
	struct problem *p;
	struct op *best;
	/* The last change: the operations from the one that writes the value to
	 * the last one that uses it, and registers. */
	unsigned first, last, from, to;
};

/* Return false when memory is short. */
bool
rename_begin(struct renamer *renamer, struct problem *problem);
void
rename_free(struct renamer *renamer);

/* Change a register, and find the order anew; return false if nothing was changed. */
bool
rename_try(struct renamer *renamer, uint32_t *random);
void
rename_undo(struct renamer *renamer);

/* Remember the registers, and go back to them. */
void
rename_note_best(struct renamer *renamer);
void
rename_take_best(struct renamer *renamer);

#endif
