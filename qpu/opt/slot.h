/* SPDX-License-Identifier: MIT */
/*
 * slot: one instruction that is being filled with operations.
 *
 * An operation goes in if the ALU, the ports, the immediate, the files of the
 * results, the modes and the units that it needs are free or shared.  What has gone
 * in stays.
 */
#ifndef QPU_OPT_SLOT_H
#define QPU_OPT_SLOT_H

#include "qpu/opt/op.h"

struct slot {
	const struct op *add, *mul, *whole;
	const struct op *ops[OPS_EACH];
	unsigned nops;
	struct from add_from[2], mul_from[2]; /* the ports are chosen */
	/* Addresses, the immediate, modes; -1: free.  ws as in the word. */
	int8_t a, b, small, ws, unpack_a, unpack_r4, pack_a, pack_mul;
	uint8_t sig;
	bool sets_flags;
	unsigned units;
	bool ends; /* one of the last three instructions of a program */
};

void
slot_clear(struct slot *slot, bool ends);

/* Put an operation in.  Return false, without a change, if it has no room. */
bool
slot_put(struct slot *slot, const struct op *op);

uint64_t
slot_encode(const struct slot *slot);

#endif
