/* SPDX-License-Identifier: MIT */
/*
 * flow: the blocks of a program, and the ways between them.
 *
 * A block begins with the program, at the target of a branch, after the delay slots
 * of a branch or thrend, and where the program begins or ceases to be known.  A
 * branch through a register leads to all instructions after branches that link; one
 * to a computed address also into a table: instructions that no other way leads to,
 * behind the place that the address counts from.  A table stays as it is.
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
	bool reached;
	bool is_return; /* a link leads here */
	bool table;	/* any instruction of it may be jumped to */
	bool frozen;	/* stays as it is */
	struct res_set live_in, live_out;
	/* Distances still missing at its end, by its own operations, and at its
	 * beginning, by operations of other blocks. */
	uint8_t own[RESOURCES], in[RESOURCES];
};

struct flow {
	const struct opt_input *input;
	opt_sink *sink;
	void *context;
	size_t n;
	bool *reached, *leader, *fixed, *table, *is_return;
	size_t *stack;
	struct block *blocks;
	size_t nblocks;
	size_t *block_of; /* the block that begins with a word */
	bool computed;	  /* a branch goes to a computed address */
	bool rotates;	  /* accumulators, somewhere */
	bool textures;	  /* lookups take uniforms */
	bool settled;	  /* these are the blocks */
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
bool
live_find(struct flow *flow);

/* Take a block apart.  The array has room for OPS_EACH operations a word. */
unsigned
flow_split(const struct flow *flow, const struct block *block, struct op *ops);

/* Return the distance that a write of a resource asks of what comes after it. */
unsigned
live_reach(const struct flow *flow, unsigned resource);

#endif
