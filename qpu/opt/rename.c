/* SPDX-License-Identifier: MIT */
/*
 * rename: finds a value and a register that is free, and moves it there.
 *
 * Operations stand in an order in which they can be done one after the other, so that
 * a value is in its register from the operation that writes it to the last that uses
 * it, and an operation reads before it writes.
 */
#include "config.h"

#include "qpu/opt/rename.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/opt/search.h"

enum {
	CHOICES = RES_R4,  /* registers that a value may live in */
	RESULT = 2,	   /* the place of a result; 0 and 1 are operands */
	END_REGISTER = 14, /* not for the last instructions of a program */
};

bool
rename_begin(struct renamer *r, struct problem *p)
{
	*r = (struct renamer){
		.p = p,
		.best = calloc((size_t)p->n + 1, sizeof(*r->best)),
	};
	return r->best;
}

void
rename_free(struct renamer *r)
{
	free(r->best);
}

void
rename_note_best(struct renamer *r)
{
	memcpy(r->best, r->p->ops, r->p->n * sizeof(*r->best));
}

void
rename_take_best(struct renamer *r)
{
	memcpy(r->p->ops, r->best, r->p->n * sizeof(*r->best));
	problem_order(r->p);
}

static unsigned
kind_of(unsigned reg)
{
	return reg < RES_B ? 0 : reg < RES_ACC ? 1 : 2;
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

static bool
writes_whole(const struct op *op, unsigned reg)
{
	return res_has(&op->writes, reg) && !op->partial && !op->is_branch;
}

/* Return whether an operation can name another register, of another kind or not. */
static bool
may_name(const struct op *op, bool other_kind)
{
	return (op_is_half(op) || is_load(op)) &&
	       !(other_kind &&
		 (op->unpack_a > 0 || op->pack_a > 0 || op->rotate >= 0));
}

/* Find the span of the value that its first operation writes, if it may move. */
static bool
find_span(struct renamer *r)
{
	const struct problem *p = r->p;
	const bool other_kind = kind_of(r->from) != kind_of(r->to);
	unsigned i = r->first + 1;

	r->last = r->first;
	if (!may_name(&p->ops[r->first], other_kind))
		return false;
	for (; i < p->n; i++) {
		const struct op *op = &p->ops[i];

		if (res_has(&op->reads, r->from) ||
		    (res_has(&op->writes, r->from) &&
		     !writes_whole(op, r->from))) {
			if (!may_name(op, other_kind))
				return false;
			r->last = i;
		}
		if (writes_whole(op, r->from))
			return true;
	}
	return !res_has(&p->block->live_out, r->from);
}

/* Return whether the other register holds nothing that is wanted meanwhile. */
static bool
is_free(const struct renamer *r)
{
	const struct problem *p = r->p;

	for (unsigned i = r->first; i < p->n; i++) {
		const struct op *op = &p->ops[i];
		const bool writes = writes_whole(op, r->to);

		if ((i != r->first && res_has(&op->reads, r->to)) ||
		    (res_has(&op->writes, r->to) && !writes) ||
		    (writes && (i < r->last || i == r->first)))
			return false;
		if (writes)
			return true;
	}
	return !res_has(&p->block->live_out, r->to);
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
	/* It stays whole, as its constant is large. */
	const unsigned n = op_split(&inst, op->source, op);
	assert(n == 1 && op->kind == OP_WHOLE);
	(void)n;
}

/* Move the value; return whether its operations can be encoded. */
static bool
move(struct renamer *r, unsigned from, unsigned to)
{
	bool good = true;

	for (unsigned i = r->first; i <= r->last; i++) {
		struct op *op = &r->p->ops[i];
		const bool result = res_has(&op->writes, from) &&
				    (i == r->first || op->partial);
		struct slot slot;

		for (unsigned k = 0; i != r->first && k < op->nfrom; k++)
			if (op_register(&op->from[k]) == (int)from)
				set_register(op, k, to);
		if (result)
			set_register(op, RESULT, to);
		slot_clear(&slot, false);
		good &= slot_put(&slot, op);
	}
	return good;
}

bool
rename_try(struct renamer *r, uint32_t *random)
{
	const struct problem *p = r->p;
	const struct op *op;

	r->first = search_random(random, p->n);
	r->to = search_random(random, 3) ? search_random(random, RES_ACC) :
					   RES_ACC + search_random(random, 4);
	op = &p->ops[r->first];
	for (r->from = 0; r->from < CHOICES; r->from++)
		if (writes_whole(op, r->from))
			break;
	if (r->from == CHOICES || r->from == r->to || !find_span(r) ||
	    !is_free(r) ||
	    (p->block->thrend != SIZE_MAX && r->to < RES_ACC &&
	     r->to % 32 == END_REGISTER))
		return false;
	assert(r->first <= r->last && r->last < p->n);
	if (move(r, r->from, r->to))
		return problem_order(r->p);
	move(r, r->to, r->from);
	return false;
}

void
rename_undo(struct renamer *r)
{
	move(r, r->to, r->from);
	problem_order(r->p);
}
