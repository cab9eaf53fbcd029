/* SPDX-License-Identifier: MIT */
/*
 * flow: the blocks of a program, and the ways between them.
 *
 * A block begins with the program, at the target of a branch, after the delay slots
 * of a branch or thrend, and where the program begins or ceases to be known.  A
 * branch through a register leads to all instructions after branches that link.  An
 * address that is computed from a link leads into a table: instructions that no other
 * way leads to, behind the branch that links.  A table stays as it is.
 */
#ifndef QPU_OPT_FLOW_H
#define QPU_OPT_FLOW_H

#include "qpu/opt/op.h"
#include "qpu/opt/opt.h"

#define NO_BLOCK SIZE_MAX

struct block {
	size_t begin, end;     /* words */
	size_t branch, thrend; /* word, or SIZE_MAX */
	size_t target, next;   /* blocks that it leads to, or NO_BLOCK */
	bool by_register;      /* it leads to all returns */
	bool is_return;	       /* a link leads here */
	bool reached;
	bool frozen; /* stays as it is */
	/* Registers and flags: read before it writes them, written whole. */
	struct res_set use, def;
	struct res_set live_in, live_out;
	size_t length;	 /* as it is optimised, or 0 */
	size_t position; /* in the output */
};

/* Facts about a word. */
enum flow_mark {
	AT_REACHED = 1,
	AT_LEADER = 2, /* a way leads here */
	AT_FIXED = 4,  /* stays as it is */
	AT_TABLE = 8,  /* an entry of a table, or on its way */
	AT_RETURN = 16,
};

struct flow {
	const struct opt_input *input;
	opt_sink *sink;
	void *context;
	size_t n;
	uint8_t *marks; /* enum flow_mark */
	struct op *ops; /* of all words; word i's begin at first[i] */
	size_t nops, capacity;
	size_t *first;
	size_t *stack, depth; /* words whose ways are still to be followed */
	struct block *blocks;
	size_t nblocks;
	size_t *block_of;	 /* the block that begins with a word */
	uint8_t open[RESOURCES]; /* distances that some block leaves open */
	bool computed;		 /* a branch goes to a computed address */
	bool rotates;		 /* accumulators, somewhere */
	bool no_memory;
};

/* Find blocks and ways.  Return false, with a note or with no_memory, if that
 * fails. */
bool
flow_find(struct flow *flow);
void
flow_free(struct flow *flow);

/* Refuse a program; return false. */
bool
flow_refuse(const struct flow *flow, size_t index, const char *text);

/* Return the word that a relative branch leads to, or n. */
size_t
flow_target(const struct flow *flow, size_t branch);

/* Return the number of words that divides the position of a word. */
size_t
flow_alignment(const struct flow *flow, size_t at);

/* Mark the table that begins with a word, and what it leads to. */
bool
flow_add_table(struct flow *flow, size_t start, size_t reason);

/* Follow links through registers.  Return false if a branch may lead to a place that
 * is not known; set *more if a table was found, which changes the blocks. */
bool
link_check(struct flow *flow, bool *more);

/* Find what is live, and the distances at the edges of blocks. */
void
live_find(struct flow *flow);

/* Return the distance that a write of a resource asks of what comes after it. */
unsigned
live_reach(const struct flow *flow, unsigned resource);

#endif
