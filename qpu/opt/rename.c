/* SPDX-License-Identifier: MIT */
/*
 * rename: finds values and their places, and searches with other registers.
 */
#include "config.h"

#include "qpu/opt/rename.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/opt/block.h"
#include "qpu/opt/slot.h"

enum {
	CHOICES = RES_R4, /* registers that a value may live in */
	BEFORE = INT32_MIN,
	AFTER = INT32_MAX,
	RESULT = 2, /* the place of a result; 0 and 1 are operands */
	RENAME_SEED = 12345,
	END_REGISTER = 14, /* not for the last instructions of a program */
};

/* A place in which an operation names a register. */
struct ref {
	unsigned op;
	uint8_t place;
	int next; /* of the value, or -1 */
};

/* A value, from its first write to its last use: the reads of instruction i are at
 * 2 i, the writes at 2 i + 1. */
struct value {
	uint8_t reg;
	bool fixed;	 /* has to stay there */
	bool needs_a;	 /* it is packed or unpacked */
	bool needs_kind; /* an accumulator, or a register of this file */
	int begin, end;
	int refs;
};

struct renamer {
	struct problem *p;
	struct value *values;
	unsigned nvalues;
	struct ref *refs;
	unsigned nrefs;
	int current[CHOICES]; /* the value that a register has, or -1 */
	struct op *best;
};

static int
open_value(struct renamer *r, unsigned reg, int begin)
{
	r->values[r->nvalues] = (struct value){
		.reg = reg,
		.begin = begin,
		.end = begin,
		.fixed = begin == BEFORE,
		.refs = -1,
	};
	return r->current[reg] = (int)r->nvalues++;
}

static struct value *
current_value(struct renamer *r, unsigned reg)
{
	const int at = r->current[reg];

	return &r->values[at >= 0 ? at : open_value(r, reg, BEFORE)];
}

static void
add_ref(struct renamer *r, struct value *value, unsigned op, unsigned place)
{
	r->refs[r->nrefs] = (struct ref){ op, place, value->refs };
	value->refs = (int)r->nrefs++;
}

/* The register that an operand names, or -1. */
static int
register_of(const struct from *from)
{
	if (from->kind == FROM_ACC)
		return from->value < QPU_MUX_R4 ? RES_ACC + from->value : -1;
	if ((from->kind != FROM_A && from->kind != FROM_B) ||
	    from->value >= QPU_FILE_REGS)
		return -1;
	return (from->kind == FROM_B ? RES_B : RES_A) + from->value;
}

static bool
is_half(const struct op *op)
{
	return op->kind == OP_ADD || op->kind == OP_MUL;
}

/* A load of a large constant into one register. */
static bool
is_load(const struct op *op)
{
	struct qpu_use use;

	if (op->kind != OP_WHOLE || op->inst.kind != QPU_KIND_LOAD)
		return false;
	qpu_use(&op->inst, &use);
	return use.nwrites == 1 && !use.writes[0].of_mul && !op->inst.pack;
}

static void
note_read(struct renamer *r, unsigned at, unsigned reg)
{
	const struct op *op = &r->p->ops[at];
	struct value *value = current_value(r, reg);
	bool found = false;

	value->end = 2 * (int)op->source;
	for (unsigned i = 0; is_half(op) && i < op->nfrom; i++)
		if (register_of(&op->from[i]) == (int)reg) {
			add_ref(r, value, at, i);
			found = true;
		}
	if (!found)
		value->fixed = true;
	if (op->unpack_a > 0 && reg < RES_B)
		value->needs_a = true;
	else if (op->unpack_a > 0 || op->rotate >= 0)
		value->needs_kind = true;
}

static void
note_write(struct renamer *r, unsigned at, unsigned reg)
{
	const struct op *op = &r->p->ops[at];
	const int when = 2 * (int)op->source + 1;
	struct value *value;

	if (!op->partial && !op->is_branch)
		open_value(r, reg, when);
	value = current_value(r, reg);
	value->end = when;
	if (is_half(op) || is_load(op))
		add_ref(r, value, at, RESULT);
	else
		value->fixed = true;
	if (op->pack_a > 0)
		value->needs_a = true;
}

static void
note_all(struct renamer *r, unsigned at, struct res_set set, bool writes)
{
	for (unsigned reg = 0; reg < CHOICES; reg++)
		if (res_has(&set, reg)) {
			if (writes)
				note_write(r, at, reg);
			else
				note_read(r, at, reg);
		}
}

/* Find all values of a block. */
static void
find_values(struct renamer *r, const struct res_set *live)
{
	const struct problem *p = r->p;

	r->nvalues = r->nrefs = 0;
	for (unsigned reg = 0; reg < CHOICES; reg++)
		r->current[reg] = -1;
	for (unsigned begin = 0, end; begin < p->n; begin = end) {
		for (end = begin;
		     end < p->n && p->ops[end].source == p->ops[begin].source;
		     end++)
			note_all(r, end,
				 res_or(p->ops[end].reads, p->ops[end].late),
				 false);
		for (unsigned at = begin; at < end; at++)
			note_all(r, at, p->ops[at].writes, true);
	}
	for (unsigned reg = 0; reg < CHOICES; reg++)
		if (res_has(live, reg)) {
			struct value *value = current_value(r, reg);

			value->fixed = true;
			value->end = AFTER;
		}
}

/* --- Changes ----------------------------------------------------------------------- */

static bool
is_movable(const struct value *value)
{
	return !value->fixed && value->refs >= 0;
}

static unsigned
kind_of(unsigned reg)
{
	return reg < RES_B ? 0 : reg < RES_ACC ? 1 : 2;
}

static bool
may_have(const struct value *value, unsigned reg)
{
	if (value->needs_a && reg >= RES_B)
		return false;
	return !value->needs_kind || kind_of(reg) == kind_of(value->reg);
}

static bool
overlap(const struct value *a, const struct value *b)
{
	return a->begin <= b->end && b->begin <= a->end;
}

/* Find values in a register at the time of another one: return how many, and one
 * of them; `except` does not count. */
static unsigned
find_conflicts(const struct renamer *r, const struct value *value, unsigned reg,
	       const struct value *except, struct value **one)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nvalues; i++) {
		struct value *other = &r->values[i];

		if (other->reg != reg || other == except || other == value ||
		    !overlap(other, value))
			continue;
		*one = other;
		n++;
	}
	return n;
}

static void
set_register(struct op *op, unsigned place, unsigned reg)
{
	static const uint8_t kinds[] = { FROM_A, FROM_B, FROM_ACC };
	const unsigned kind = kind_of(reg);
	const unsigned number = kind == 2 ? reg - RES_ACC : reg % 32;

	if (place != RESULT) {
		op->from[place] = (struct from){ kinds[kind], number };
	} else {
		op->waddr = kind == 2 ? QPU_W_R0 + number : number;
		op->file = kind == 2 ? IN_ANY : kind ? IN_B : IN_A;
	}
	if (op->kind != OP_WHOLE) {
		op_find_resources(op);
		return;
	}
	struct qpu_inst inst = op->inst;
	inst.waddr_add = op->waddr;
	inst.ws = kind == 1;
	op_split(&inst, op->source, op);
}

/* Return whether the operations of a value can be encoded with its register. */
static bool
is_encodable(const struct renamer *r, const struct value *value)
{
	for (int i = value->refs; i >= 0; i = r->refs[i].next) {
		struct slot slot;

		slot_clear(&slot, false);
		if (!slot_put(&slot, &r->p->ops[r->refs[i].op]))
			return false;
	}
	return true;
}

static void
move_value(struct renamer *r, struct value *value, unsigned reg)
{
	value->reg = reg;
	for (int i = value->refs; i >= 0; i = r->refs[i].next)
		set_register(&r->p->ops[r->refs[i].op], r->refs[i].place, reg);
}

/* A value that moves, and one that takes its place, or null. */
struct change {
	struct value *value, *other;
	unsigned from, to;
};

/* Choose a change that leaves each register with one value at a time. */
static bool
choose_change(struct renamer *r, uint32_t *random, struct change *change)
{
	struct value *value = &r->values[search_random(random, r->nvalues)];
	const unsigned reg = search_random(random, 3) ?
				     search_random(random, RES_ACC) :
				     RES_ACC + search_random(random, 4);
	struct value *other = NULL, *third;

	if (!is_movable(value) || reg == value->reg || !may_have(value, reg) ||
	    (r->p->end >= 0 && reg < RES_ACC && reg % 32 == END_REGISTER))
		return false;
	if (find_conflicts(r, value, reg, NULL, &other) > 1)
		return false;
	if (other && (!is_movable(other) || !may_have(other, value->reg) ||
		      find_conflicts(r, other, value->reg, value, &third)))
		return false;
	*change = (struct change){ value, other, value->reg, reg };
	return true;
}

static void
apply(struct renamer *r, const struct change *change, bool back)
{
	move_value(r, change->value, back ? change->from : change->to);
	if (change->other)
		move_value(r, change->other, back ? change->to : change->from);
}

/* --- Search ------------------------------------------------------------------------- */

struct state {
	struct renamer *r;
	const struct flow *flow;
	const struct block *block;
	int *best, *kept, *tried;
	int cost, lowest, shortest, longest;
	uint32_t random;
	bool no_memory;
};

static bool
order(struct state *s)
{
	block_find_margins(s->flow, s->block, s->r->p);
	s->no_memory = !problem_order(s->r->p);
	return !s->no_memory;
}

/* Try a pass; keep it, or say that it was worse. */
static bool
try_pass(struct state *s, const int *priority, unsigned left)
{
	struct problem *p = s->r->p;
	const int margin = 4;
	const int length = list_schedule(p, priority,
					 s->shortest < 0 ? 4 * s->longest + 64 :
							   s->shortest + margin,
					 NULL);
	int cost;

	if (length < 0)
		return false;
	cost = list_cost(p, length);
	if (!search_keeps(&s->random, cost - s->cost, left))
		return false;
	s->cost = cost;
	if (cost >= s->lowest)
		return true;
	s->lowest = cost;
	s->shortest = length;
	memcpy(s->best, priority, p->n * sizeof(*priority));
	memcpy(s->r->best, p->ops, p->n * sizeof(*p->ops));
	return true;
}

static void
try_registers(struct state *s, unsigned left)
{
	struct change change;

	if (!choose_change(s->r, &s->random, &change))
		return;
	apply(s->r, &change, false);
	if (is_encodable(s->r, change.value) &&
	    (!change.other || is_encodable(s->r, change.other)) && order(s) &&
	    try_pass(s, s->kept, left))
		return;
	apply(s->r, &change, true);
	if (!s->no_memory)
		order(s);
}

static void
search(struct state *s, struct search_limit *limit)
{
	struct problem *p = s->r->p;
	const size_t bytes = p->n * sizeof(*s->best);

	if (!order(s))
		return;
	memcpy(s->best, p->priority, bytes);
	memcpy(s->kept, p->priority, bytes);
	memcpy(s->r->best, p->ops, p->n * sizeof(*p->ops));
	try_pass(s, s->kept, 1024);
	for (unsigned left;
	     p->n && !s->no_memory && (left = search_left(limit));) {
		if (s->r->nvalues && search_random(&s->random, 2)) {
			try_registers(s, left);
			continue;
		}
		memcpy(s->tried, s->kept, bytes);
		search_change(&s->random, p, limit->done, s->tried);
		if (try_pass(s, s->tried, left))
			memcpy(s->kept, s->tried, bytes);
	}
	memcpy(p->ops, s->r->best, p->n * sizeof(*p->ops));
	if (!s->no_memory)
		order(s);
}

bool
rename_run(const struct flow *flow, const struct block *block,
	   struct problem *p, struct search_limit *limit, int longest,
	   int *priority, int *length)
{
	struct renamer r = {
		.p = p,
		.values = calloc(2 * (size_t)p->n + CHOICES, sizeof(*r.values)),
		.refs = calloc(3 * (size_t)p->n + 1, sizeof(*r.refs)),
		.best = calloc((size_t)p->n + 1, sizeof(*r.best)),
	};
	struct state s = {
		.r = &r,
		.flow = flow,
		.block = block,
		.best = priority,
		.kept = priority + p->n,
		.tried = priority + 2 * p->n,
		.cost = INT32_MAX / 2,
		.lowest = INT32_MAX / 2,
		.shortest = -1,
		.longest = longest,
		.random = RENAME_SEED,
		.no_memory = !r.values || !r.refs || !r.best,
	};

	p->keeps_hazards = false;
	if (!s.no_memory) {
		find_values(&r, &block->live_out);
		search(&s, limit);
	}
	free(r.values);
	free(r.refs);
	free(r.best);
	*length = s.shortest > longest ? -1 : s.shortest;
	return !s.no_memory;
}
