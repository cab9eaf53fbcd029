/* SPDX-License-Identifier: MIT */
/*
 * list: dependencies between operations, and one pass of the list scheduler,
 * which goes backwards: slot 0 is the last instruction of the block.
 */
#include "config.h"

#include "qpu/opt/list.h"

#include <assert.h>
#include <stdlib.h>

#include "qpu/opt/mutant.h"
#include "src/base/rows.h"

/* Slots of a branch, which has three delay slots, and of thrend, which has two. */
enum { BRANCH_SLOT = 3, END_SLOT = 2 };

int
problem_limit(const struct problem *p)
{
	return 4 * (int)(p->block->end - p->block->begin) + 64;
}

bool
problem_allocate(struct problem *p, const struct flow *flow, size_t longest)
{
	const size_t n = longest * OPS_EACH + 1;

	p->flow = flow;
	p->ops = calloc(n, sizeof(*p->ops));
	p->nodes = calloc(n, sizeof(*p->nodes));
	p->ready = calloc(n, sizeof(*p->ready));
	p->priority = calloc(3 * n, sizeof(*p->priority));
	p->slots = calloc(4 * longest + 64, sizeof(*p->slots));
	return p->ops && p->nodes && p->ready && p->priority && p->slots;
}

void
problem_free(struct problem *p)
{
	free(p->ops);
	free(p->nodes);
	free(p->edges);
	free(p->ready);
	free(p->priority);
	free(p->slots);
}

/* --- Order ------------------------------------------------------------------- */

static void
raise_to(unsigned *value, unsigned least)
{
	if (*value < least)
		*value = least;
}

static void
raise_priority(struct node *node, const struct node *from, unsigned distance)
{
	const int far = from->priority + PRIORITY * (int)distance;

	if (node->priority < far)
		node->priority = far;
}

static void
add_edge(struct problem *p, unsigned at, unsigned from, unsigned latency)
{
	assert(from < at);
	if (!rows_grow(&p->edges, &p->edge_capacity, p->nedges,
		       sizeof(*p->edges))) {
		p->no_memory = true;
		return;
	}
	p->edges[p->nedges++] = (struct edge){ from, latency };
	p->nodes[from].successors++;
	raise_priority(&p->nodes[at], &p->nodes[from], latency);
}

/* Return the largest distance that the resources of a set demand; `field` is the
 * offset of that distance in a row. */
static unsigned
longest(struct res_set set, size_t field)
{
	unsigned most = 0;

	for (unsigned half = 0; half < 2; half++)
		for (uint64_t bits = set.bits[half]; bits; bits &= bits - 1) {
			const unsigned r = (unsigned)__builtin_ctzll(bits);
			const struct res_row *row = &res_rows[64 * half + r];

			raise_to(&most, ((const uint8_t *)row)[field]);
		}
	return most;
}

#define LONGEST(set, field) longest(set, offsetof(struct res_row, field))

/* Resources for which an operation may still need an edge from an earlier one.
 * Earlier ones are visited from the last to the first: after the last writer of a
 * resource it is closed, since that writer has the edges from those before it. */
struct open {
	struct res_set reads, late, writes;
	struct res_set written; /* by the instruction that is visited */
	unsigned source;
};

static void
visit(struct open *open, const struct op *op)
{
	if (op->source != open->source) {
		open->reads = res_without(open->reads, open->written);
		open->late = res_without(open->late, open->written);
		open->writes = res_without(open->writes, open->written);
		open->written = (struct res_set){ { 0, 0 } };
		open->source = op->source;
	}
	open->written = res_or(open->written, op->writes);
}

/* Add an edge to an operation from one of an earlier instruction, if it depends on
 * that. */
static void
order_after(struct problem *p, unsigned at, unsigned from, struct open *open)
{
	static const struct res_set none = { { 0, 0 } };
	const struct op *a = &p->ops[from], *b = &p->ops[at];
	unsigned latency;

	visit(open, a);
	const struct res_set raw = res_and(a->writes, open->reads);
	const struct res_set late = res_and(a->writes, open->late);
	const struct res_set waw = res_and(a->writes, open->writes);
	const struct res_set war =
		MUTANT(writes_early) ? none : res_and(a->reads, open->writes);
	if (res_same(res_or(res_or(raw, late), res_or(waw, war)), none))
		return;
	latency = MUTANT(reads_early) ? !res_same(raw, none) :
					LONGEST(raw, raw);
	raise_to(&latency, res_same(late, none) ? 0 : LATE);
	raise_to(&latency, LONGEST(waw, waw));
	raise_to(&latency, LONGEST(war, war));
	if (p->keeps_hazards && latency > b->source - a->source)
		latency = b->source - a->source;
	add_edge(p, at, from, latency);
}

/* Add an edge between operations of one instruction whose order matters: reads come
 * before writes, and accesses to one unit stay in the order of the array. */
static void
order_within(struct problem *p, unsigned at, unsigned from)
{
	const struct op *a = &p->ops[from], *b = &p->ops[at];

	/* Operations that read a register precede its writer in the array. */
	assert(!(a->writes.bits[0] & b->reads.bits[0]));
	if (res_meet(&a->reads, &b->writes) ||
	    res_meet(&a->writes, &b->writes) || res_meet(&a->writes, &b->reads))
		add_edge(p, at, from, 0);
}

/* Return whether an operation asks a TMU for what another one may fetch. */
static bool
asks_for(const struct op *op, const struct op *fetch)
{
	const unsigned tmu = res_has(&fetch->writes, RES_TMU0) ? RES_TMU0 :
								 RES_TMU1;

	return fetch->units & UNIT_LDTMU && op->units & UNIT_TMU &&
	       res_has(&op->writes, tmu) && !res_has(&op->writes, RES_NOSWAP);
}

/* Find how far an operation must stay from the edges of its block, which is never
 * farther than in the source. */
static void
find_margins(struct problem *p, unsigned at)
{
	const struct block *block = p->block;
	const struct op *op = &p->ops[at];
	const size_t before = op->source - block->begin;
	const size_t after = block->end - 1 - op->source;
	unsigned to_begin = 0, to_end = 0;

	/* C36: a tile is not there for the first two instructions. */
	if (op->units & UNIT_GRAPHICS)
		to_begin = 2;
	for (unsigned r = 0; r < RESOURCES; r++) {
		const bool state = r < STATE_RESOURCES;

		if (res_has(state && r >= FILE_RESOURCES ? &op->late :
							   &op->reads,
			    r))
			raise_to(&to_begin, p->flow->open[r]);
		if (res_has(&op->writes, r) && block->thrend == SIZE_MAX &&
		    (!state || res_has(&block->live_out, r)) &&
		    live_reach(p->flow, r))
			raise_to(&to_end, live_reach(p->flow, r) - 1);
	}
	p->nodes[at].to_begin = to_begin < before ? to_begin : before;
	p->nodes[at].to_end = to_end < after ? to_end : after;
}

bool
problem_order(struct problem *p)
{
	p->nedges = 0;
	for (unsigned at = 0; at < p->n; at++) {
		const struct op *op = &p->ops[at];
		struct node *node = &p->nodes[at];
		struct open open = { op->reads, op->late, op->writes,
				     .source = op->source };

		find_margins(p, at);
		node->first = (unsigned)p->nedges;
		node->successors = 0;
		node->lookup = -1;
		node->priority = PRIORITY * node->to_begin;
		for (unsigned i = at; i-- > 0;) {
			if (p->ops[i].source == op->source)
				order_within(p, at, i);
			else
				order_after(p, at, i, &open);
			if (node->lookup < 0 && asks_for(&p->ops[i], op))
				node->lookup = (int)i;
		}
		if (node->lookup >= 0)
			raise_priority(node, &p->nodes[node->lookup], LOOKUP);
	}
	p->nodes[p->n].first = (unsigned)p->nedges;
	return !p->no_memory;
}

/* --- One pass ------------------------------------------------------------------ */

/* The state of one pass. */
struct pass {
	struct problem *p;
	const int *priority;
	unsigned nready, left;
	int slot;
};

static void
place(struct pass *pass, unsigned at)
{
	struct problem *p = pass->p;

	assert(!p->nodes[at].waiting && pass->left);
	assert(p->nodes[at].earliest <= (unsigned)pass->slot);
	p->nodes[at].slot = pass->slot;
	pass->left--;
	for (unsigned e = p->nodes[at].first; e < p->nodes[at + 1].first; e++) {
		const struct edge *edge = &p->edges[e];
		struct node *from = &p->nodes[edge->from];

		raise_to(&from->earliest, (unsigned)pass->slot + edge->latency);
		assert(from->waiting);
		if (--from->waiting == 0)
			p->ready[pass->nready++] = edge->from;
	}
}

/* Return true if an operation has to be in another slot.  *here: it has to be in
 * this one, before all others. */
static bool
is_elsewhere(const struct pass *pass, const struct op *op, bool *here)
{
	*here = (op->is_branch && pass->slot == BRANCH_SLOT) ||
		(op->is_end && pass->slot == END_SLOT);
	return (op->is_branch || op->is_end) && !*here;
}

/* Fill one instruction. `tried` counts the ready operations at the head of
 * the array that do not fit; an operation that becomes ready is added behind
 * them. */
static void
fill(struct pass *pass, struct slot *slot)
{
	struct problem *p = pass->p;
	unsigned tried = 0;

	while (!slot->whole) {
		unsigned best = pass->nready;
		int highest = 0;

		for (unsigned i = tried; i < pass->nready; i++) {
			const unsigned at = p->ready[i];
			int rank = pass->priority[at];
			bool here;

			if (p->nodes[at].earliest > (unsigned)pass->slot ||
			    is_elsewhere(pass, &p->ops[at], &here))
				continue;
			if (here)
				rank = INT32_MAX;
			if (best == pass->nready || rank > highest ||
			    (rank == highest && at > p->ready[best])) {
				best = i;
				highest = rank;
			}
		}
		if (best == pass->nready)
			return;
		const unsigned at = p->ready[best];
		if (slot_put(slot, &p->ops[at])) {
			p->ready[best] = p->ready[--pass->nready];
			place(pass, at);
		} else {
			p->ready[best] = p->ready[tried];
			p->ready[tried++] = at;
		}
	}
}

int
list_schedule(struct problem *p, const int *priority, int limit)
{
	struct pass pass = { .p = p, .priority = priority, .left = p->n };
	const bool ends = p->block->thrend != SIZE_MAX;
	const int least = p->block->branch != SIZE_MAX ? BRANCH_SLOT :
			  ends			       ? END_SLOT :
							 -1;
	int length;

	assert(limit <= problem_limit(p));
	for (unsigned i = 0; i < p->n; i++) {
		struct node *node = &p->nodes[i];

		node->waiting = node->successors;
		node->earliest = node->to_end;
		if (!node->waiting)
			p->ready[pass.nready++] = i;
	}
	for (; pass.left || pass.slot <= least; pass.slot++) {
		if (pass.slot >= limit)
			return -1;
		slot_clear(&p->slots[pass.slot], ends && pass.slot <= END_SLOT);
		fill(&pass, &p->slots[pass.slot]);
		if (pass.slot == least &&
		    p->slots[least].sig !=
			    (ends ? QPU_SIG_THREND : QPU_SIG_BRANCH))
			return -1;
	}
	length = pass.slot;
	for (unsigned i = 0; i < p->n; i++)
		if (p->nodes[i].slot + 1 + p->nodes[i].to_begin > length)
			length = p->nodes[i].slot + 1 + p->nodes[i].to_begin;
	if (length > limit)
		return -1;
	for (int i = pass.slot; i < length; i++)
		slot_clear(&p->slots[i], false);
	return length;
}

int
list_cost(const struct problem *p, int length)
{
	int cost = COST_LENGTH * length;

	for (unsigned i = 0; i < p->n; i++) {
		const struct node *node = &p->nodes[i];
		const int far = node->lookup < 0 ? LONG_LOOKUP :
						   p->nodes[node->lookup].slot -
							   node->slot;

		if (far < LONG_LOOKUP)
			cost += COST_LOOKUP * (LONG_LOOKUP - far);
	}
	return cost;
}
