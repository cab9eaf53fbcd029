/* SPDX-License-Identifier: MIT */
/*
 * op: an instruction taken apart into operations that may move on their own.
 *
 * An instruction does up to three things: an operation of each ALU, and a signal.
 * Each becomes an operation that knows which resources it reads and writes, and what it
 * needs of an instruction: an ALU, ports, the small immediate, the one file for each
 * ALU, the one pack and unpack mode.  What cannot be taken apart with the same
 * meaning stays whole: loads of large constants, semaphores, branches, graphics, reads
 * of a port whose value nothing uses, but which take a uniform or wait, and
 * instructions whose halves write what the other one reads.
 */
#ifndef QPU_OPT_OP_H
#define QPU_OPT_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/isa/isa.h"

enum {
#define RESOURCE(name, first, count, raw, war, waw) RES_##name = first,
#include "qpu/opt/resource.def"
	RESOURCES = 83,
	FILE_RESOURCES = 64,
	STATE_RESOURCES = 71, /* registers and flags, which may be live */
};

/* A set of resources. */
struct res_set {
	uint64_t bits[2];
};

static inline void
res_add(struct res_set *set, unsigned resource)
{
	set->bits[resource / 64] |= UINT64_C(1) << resource % 64;
}

static inline bool
res_has(const struct res_set *set, unsigned resource)
{
	return set->bits[resource / 64] >> resource % 64 & 1;
}

static inline bool
res_meet(const struct res_set *a, const struct res_set *b)
{
	return (a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1]);
}

static inline struct res_set
res_or(struct res_set a, struct res_set b)
{
	return (struct res_set){ { a.bits[0] | b.bits[0],
				   a.bits[1] | b.bits[1] } };
}

static inline struct res_set
res_and(struct res_set a, struct res_set b)
{
	return (struct res_set){ { a.bits[0] & b.bits[0],
				   a.bits[1] & b.bits[1] } };
}

static inline struct res_set
res_without(struct res_set a, struct res_set b)
{
	return (struct res_set){ { a.bits[0] & ~b.bits[0],
				   a.bits[1] & ~b.bits[1] } };
}

static inline bool
res_same(struct res_set a, struct res_set b)
{
	return a.bits[0] == b.bits[0] && a.bits[1] == b.bits[1];
}

/* The registers, and with `flags` the flags as well. */
static inline struct res_set
res_state(struct res_set set, bool flags)
{
	set.bits[1] &= (UINT64_C(1) << (RES_FLAGS + flags - 64)) - 1;
	return set;
}

/* Distances of a resource: resource.def. */
struct res_row {
	uint8_t raw, war, waw;
};
extern const struct res_row res_rows[RESOURCES];

/* The distance of a rotation to the write of what it rotates. */
enum { LATE = 2, MAX_LATENCY = 4 };

enum op_kind {
	OP_ADD, /* the unit that the source has; see `twin` */
	OP_MUL,
	OP_SIGNAL, /* ldtmu or thrend */
	OP_WHOLE,  /* an instruction as it is */
};

enum from_kind {
	FROM_ACC, /* r0 to r5 */
	FROM_A,
	FROM_B,
	FROM_EITHER, /* a peripheral that either port delivers */
	FROM_SMALL,
};

struct from {
	uint8_t kind, value;
};

/* Units; slot.c knows which of them exclude each other in an instruction. */
enum op_unit {
	UNIT_TMU = 1,	/* a write to one */
	UNIT_LDTMU = 2, /* the signal */
	UNIT_SFU = 4,
	UNIT_SYNC = 8, /* mutex, semaphore, interrupt */
	UNIT_GRAPHICS = 16,
	UNIT_VPM = 32,
};

enum file { IN_A, IN_B, IN_ANY };

struct op {
	uint8_t kind;
	uint8_t code; /* of the ALU that kind names */
	uint8_t twin; /* the code that does the same on the other ALU, or 0 */
	uint8_t waddr, cond;
	uint8_t file; /* that the result goes to */
	uint8_t sig;
	uint8_t nfrom;
	bool sets_flags;
	bool partial; /* writes some lanes or bytes only */
	bool is_branch, is_end;
	struct from from[2];
	/* Modes, or -1 where any will do; rotate: the small immediate. */
	int8_t unpack_a, unpack_r4, pack_a, pack_mul, rotate;
	uint8_t units;
	struct res_set reads, writes;
	struct res_set late;  /* what it rotates, or rotates by */
	struct qpu_inst inst; /* of OP_WHOLE */
	unsigned source;      /* index of its word */
};

enum { OPS_EACH = 3 }; /* at most, of an instruction */

/*
 * Take an instruction apart; return the number of operations.  They come in an order
 * in which they can be done one after the other, unless one is whole.
 */
unsigned
op_split(const struct qpu_inst *inst, unsigned source, struct op *ops);

/* Find anew what an operation reads and writes, after a register was changed. */
void
op_find_resources(struct op *op);

/* Let an operation whose flags are not wanted set none. */
void
op_drop_flags(struct op *op);

/* Return the register that an operand names, or -1. */
int
op_register(const struct from *from);

static inline bool
op_is_half(const struct op *op)
{
	return op->kind == OP_ADD || op->kind == OP_MUL;
}

/* Return whether two operands are the same, as of a move. */
static inline bool
op_is_twice(const struct op *op)
{
	return op->nfrom == 2 && op->from[0].kind == op->from[1].kind &&
	       op->from[0].value == op->from[1].value;
}

#endif
