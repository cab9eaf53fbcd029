/* SPDX-License-Identifier: MIT */
/*
 * list: dependencies between operations, and one pass of the list scheduler.
 */
#include "config.h"

#include "qpu/opt/list.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/opt/mutant.h"
#include "src/base/rows.h"

bool
problem_reserve(struct problem *p, unsigned n)
{
	void **const arrays[] = {
		(void **)&p->ops,      (void **)&p->first,
		(void **)&p->to_end,   (void **)&p->to_begin,
		(void **)&p->section,  (void **)&p->after_branch,
		(void **)&p->priority, (void **)&p->slot_of,
		(void **)&p->waiting,  (void **)&p->earliest,
		(void **)&p->ready,    (void **)&p->successors,
		(void **)&p->lookup,
	};
	const size_t sizes[] = {
		sizeof(*p->ops),      sizeof(*p->first),
		sizeof(*p->to_end),   sizeof(*p->to_begin),
		sizeof(*p->section),  sizeof(*p->after_branch),
		sizeof(*p->priority), sizeof(*p->slot_of),
		sizeof(*p->waiting),  sizeof(*p->earliest),
		sizeof(*p->ready),    sizeof(*p->successors),
		sizeof(*p->lookup),
	};

	if (n <= p->capacity)
		return true;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		void *larger = reallocarray(*arrays[i], n + 1, sizes[i]);

		if (!larger)
			return false;
		*arrays[i] = larger;
	}
	p->capacity = n;
	return true;
}

void
problem_free(struct problem *p)
{
	free(p->ops);
	free(p->first);
	free(p->to_end);
	free(p->to_begin);
	free(p->section);
	free(p->after_branch);
	free(p->priority);
	free(p->slot_of);
	free(p->waiting);
	free(p->earliest);
	free(p->ready);
	free(p->successors);
	free(p->lookup);
	free(p->edges);
}

/* --- Order ------------------------------------------------------------------- */

static bool
add_edge(struct problem *p, unsigned from, unsigned latency, unsigned wish)
{
	if (!rows_grow(&p->edges, &p->edge_capacity, p->nedges,
		       sizeof(*p->edges)))
		return false;
	p->edges[p->nedges++] = (struct edge){ from, latency, wish };
	p->successors[from]++;
	return true;
}

static unsigned
larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Return the largest distance that the resources in a set demand. */
static unsigned
longest(struct res_set set, size_t field)
{
	unsigned most = 0;

	for (unsigned half = 0; half < 2; half++)
		for (uint64_t bits = set.bits[half]; bits; bits &= bits - 1) {
			const unsigned r =
				64 * half + (unsigned)__builtin_ctzll(bits);

			most = larger(most,
				      ((const uint8_t *)&res_rows[r])[field]);
		}
	return most;
}

#define LONGEST(set, field) longest(set, offsetof(struct res_row, field))

/* Resources that an operation still has to be ordered by, while earlier ones
 * are visited: all before the last writer of a resource is ordered already. */
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

/* Order an operation after one of an earlier instruction, if need be. */
static bool
order_after(struct problem *p, unsigned at, unsigned from, struct open *open)
{
	const struct op *a = &p->ops[from], *b = &p->ops[at];

	visit(open, a);
	const struct res_set raw = res_and(a->writes, open->reads);
	const struct res_set late = res_and(a->writes, open->late);
	const struct res_set waw = res_and(a->writes, open->writes);
	const struct res_set war = MUTANT(writes_early) ?
					   (struct res_set){ { 0, 0 } } :
					   res_and(a->reads, open->writes);
	const uint64_t hits[] = { raw.bits[0] | raw.bits[1],
				  late.bits[0] | late.bits[1],
				  waw.bits[0] | waw.bits[1],
				  war.bits[0] | war.bits[1] };
	unsigned latency;

	if (!(hits[0] | hits[1] | hits[2] | hits[3]))
		return true;
	latency = hits[1] ? LATE : 0;
	latency = larger(latency,
			 MUTANT(reads_early) ? !!hits[0] : LONGEST(raw, raw));
	latency = larger(latency, LONGEST(waw, waw));
	latency = larger(latency, LONGEST(war, war));
	if (p->keeps_hazards && latency > b->source - a->source)
		latency = b->source - a->source;
	return add_edge(p, from, latency, latency);
}

/* In one instruction all reads come before all writes, and what takes its turn at a
 * unit does so in the order of the array. */
static bool
order_within(struct problem *p, unsigned at)
{
	const struct op *b = &p->ops[at];

	for (unsigned i = at; i-- > 0 && p->ops[i].source == b->source;)
		if ((res_meet(&p->ops[i].reads, &b->writes) ||
		     res_meet(&p->ops[i].writes, &b->writes)) &&
		    !add_edge(p, i, 0, 0))
			return false;
	for (unsigned i = at + 1; i < p->n && p->ops[i].source == b->source;
	     i++)
		if (res_meet(&p->ops[i].reads, &b->writes) &&
		    !add_edge(p, i, 0, 0))
			return false;
	return true;
}

/*
 * A lookup is better asked for long before its result is fetched.  Requests and
 * results of a TMU come in the same order; where one of a pair is in another block,
 * it is as if it were at the edge of this one.
 */
static void
pair_lookups(struct problem *p)
{
	for (unsigned tmu = RES_TMU0; tmu <= RES_TMU1; tmu++) {
		unsigned oldest = 0;

		for (unsigned i = 0; i < p->n; i++) {
			const struct op *op = &p->ops[i];

			if (tmu == RES_TMU0)
				p->lookup[i] = NO_LOOKUP;
			if (!res_has(&op->writes, tmu))
				continue;
			if (op->units & UNIT_TMU && op->waddr >= QPU_W_T0S)
				p->lookup[i] = LOOKUP_ALONE;
			if (!(op->units & UNIT_LDTMU))
				continue;
			while (oldest < i &&
			       (p->lookup[oldest] != LOOKUP_ALONE ||
				!(p->ops[oldest].units & UNIT_TMU) ||
				!res_has(&p->ops[oldest].writes, tmu)))
				oldest++;
			p->lookup[i] = oldest < i ? (int)oldest : LOOKUP_ALONE;
			if (oldest < i)
				p->lookup[oldest] = NO_LOOKUP;
		}
	}
}

/* Number the parts of the block in which the mutex is held. */
static void
find_sections(struct problem *p)
{
	unsigned number = 0;
	unsigned begin = p->n;

	p->nsections = 0;
	memset(p->section, 0, p->n * sizeof(*p->section));
	for (unsigned i = 0; i < p->n; i++) {
		if (p->ops[i].units & UNIT_ACQUIRE)
			begin = i;
		if (!(p->ops[i].units & UNIT_RELEASE) || begin == p->n ||
		    number == UINT8_MAX)
			continue;
		number++;
		for (unsigned j = begin; j <= i; j++)
			p->section[j] = number;
		begin = p->n;
	}
	p->nsections = number;
}

/* Return whether two operations share a register, so that their order counts. */
static bool
share_state(const struct op *a, const struct op *b)
{
	struct res_set shared =
		res_or(res_and(a->writes, res_or(b->reads, b->writes)),
		       res_and(a->reads, b->writes));

	shared.bits[1] &= (UINT64_C(1) << (STATE_RESOURCES - 64)) - 1;
	return shared.bits[0] | shared.bits[1];
}

/*
 * The mutex is taken after all that the operations under it wait for, and given back
 * before all that waits for them.  Others may be done meanwhile.
 */
static bool
order_section(struct problem *p, unsigned at)
{
	const struct op *op = &p->ops[at];

	for (unsigned i = 0; i < p->n; i++) {
		const unsigned inside = p->section[i];
		unsigned first = i, last = i;

		if (!inside || (i && p->section[i - 1] == inside))
			continue;
		while (last + 1 < p->n && p->section[last + 1] == inside)
			last++;
		if (at <= last && at != first)
			continue;
		for (unsigned k = first + 1; k < last; k++) {
			/* Order it after each earlier one that is needed. */
			for (unsigned z = 0; at == first && z < first; z++)
				if (p->ops[z].source != op->source &&
				    share_state(&p->ops[z], &p->ops[k]) &&
				    !add_edge(p, z, 0, 0))
					return false;
			if (at > last && p->ops[last].source != op->source &&
			    share_state(&p->ops[k], op)) {
				if (!add_edge(p, last, 0, 0))
					return false;
				break;
			}
		}
	}
	return true;
}

/* Find the longest ways from the beginning.  An edge against the order of the
 * array stays within an instruction, so that a few rounds are enough. */
static void
find_priorities(struct problem *p)
{
	bool changed = true;

	for (unsigned i = 0; i < p->n; i++) {
		p->priority[i] = PRIORITY * p->to_begin[i];
		if (p->lookup[i] == LOOKUP_ALONE)
			p->priority[i] = p->ops[i].units & UNIT_LDTMU ?
						 PRIORITY * WISHED_LOOKUP :
						 -PRIORITY * WISHED_LOOKUP;
		p->after_branch[i] = false;
	}
	for (unsigned round = 0; changed && round < 2 * OPS_EACH; round++) {
		changed = false;
		for (unsigned i = 0; i < p->n; i++)
			for (unsigned e = p->first[i]; e < p->first[i + 1];
			     e++) {
				const struct edge *edge = &p->edges[e];
				const int far = p->priority[edge->from] +
						PRIORITY * edge->wish;
				const bool after =
					p->after_branch[edge->from] ||
					(int)edge->from == p->branch;

				changed |= far > p->priority[i] ||
					   (after && !p->after_branch[i]);
				if (far > p->priority[i])
					p->priority[i] = far;
				p->after_branch[i] |= after;
			}
	}
}

bool
problem_order(struct problem *p)
{
	p->nedges = 0;
	memset(p->successors, 0, p->n * sizeof(*p->successors));
	pair_lookups(p);
	find_sections(p);
	for (unsigned at = 0; at < p->n; at++) {
		const struct op *op = &p->ops[at];
		struct open open = { .reads = op->reads,
				     .late = op->late,
				     .writes = op->writes,
				     .source = op->source };

		p->first[at] = (unsigned)p->nedges;
		if (!order_within(p, at))
			return false;
		for (unsigned i = at; i-- > 0;)
			if (p->ops[i].source != op->source &&
			    !order_after(p, at, i, &open))
				return false;
		if (p->nsections && !order_section(p, at))
			return false;
		if (p->lookup[at] >= 0 &&
		    !add_edge(p, p->lookup[at], 1, WISHED_LOOKUP))
			return false;
	}
	p->first[p->n] = (unsigned)p->nedges;
	find_priorities(p);
	return true;
}

/* --- One pass ------------------------------------------------------------------ */

enum { BRANCH_SLOT = 3, END_SLOT = 2 };

/* The state of one pass. */
struct pass {
	struct problem *p;
	const int *priority;
	unsigned nready, left;
	int slot;
	unsigned held; /* the section of the mutex that is open, or 0 */
};

static void
place(struct pass *pass, unsigned at)
{
	struct problem *p = pass->p;
	const struct op *op = &p->ops[at];

	p->slot_of[at] = pass->slot;
	pass->left--;
	if (p->section[at] && op->units & UNIT_RELEASE)
		pass->held = p->section[at];
	if (p->section[at] && op->units & UNIT_ACQUIRE)
		pass->held = 0;
	for (unsigned e = p->first[at]; e < p->first[at + 1]; e++) {
		const struct edge *edge = &p->edges[e];

		p->earliest[edge->from] =
			larger(p->earliest[edge->from],
			       (unsigned)pass->slot + edge->latency);
		if (--p->waiting[edge->from] == 0)
			p->ready[pass->nready++] = edge->from;
	}
}

/* Return a rank: highest for what must be in a delay slot, lowest for what can be done
 * when the mutex is free. */
static int
rank(const struct pass *pass, unsigned at)
{
	const struct problem *p = pass->p;
	int rank = pass->priority[at];

	if (pass->slot < BRANCH_SLOT && p->after_branch[at])
		rank += 1 << 20;
	if (pass->held && p->section[at] != pass->held)
		rank -= 1 << 20;
	return rank;
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
			int r;

			if (p->earliest[at] > (unsigned)pass->slot ||
			    (int)at == p->branch || (int)at == p->end)
				continue;
			r = rank(pass, at);
			if (best == pass->nready || r > highest ||
			    (r == highest && at > p->ready[best])) {
				best = i;
				highest = r;
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

/* Place the branch or thrend where it has to be. */
static bool
place_fixed(struct pass *pass, struct slot *slot, int at)
{
	struct problem *p = pass->p;

	if (p->waiting[at] || p->earliest[at] > (unsigned)pass->slot ||
	    !slot_put(slot, &p->ops[at]))
		return false;
	for (unsigned i = 0; i < pass->nready; i++)
		if (p->ready[i] == (unsigned)at) {
			p->ready[i] = p->ready[--pass->nready];
			break;
		}
	place(pass, (unsigned)at);
	return true;
}

static void
begin_pass(struct pass *pass)
{
	struct problem *p = pass->p;

	for (unsigned i = 0; i < p->n; i++) {
		p->waiting[i] = p->successors[i];
		p->earliest[i] = p->to_end[i];
		if (!p->waiting[i])
			p->ready[pass->nready++] = i;
	}
}

int
list_schedule(struct problem *p, const int *priority, int limit,
	      struct slot *slots)
{
	struct pass pass = { .p = p, .priority = priority, .left = p->n };
	const int least = p->branch >= 0 ? BRANCH_SLOT :
			  p->end >= 0	 ? END_SLOT :
					   -1;
	int length;

	begin_pass(&pass);
	for (; pass.left || pass.slot <= least; pass.slot++) {
		struct slot own, *slot = slots ? &slots[pass.slot] : &own;

		if (pass.slot >= limit)
			return -1;
		slot_clear(slot, p->end >= 0 && pass.slot <= END_SLOT);
		if (p->branch >= 0 && pass.slot == BRANCH_SLOT &&
		    !place_fixed(&pass, slot, p->branch))
			return -1;
		if (p->end >= 0 && pass.slot == END_SLOT &&
		    !place_fixed(&pass, slot, p->end))
			return -1;
		fill(&pass, slot);
	}
	length = pass.slot;
	for (unsigned i = 0; i < p->n; i++)
		if (p->slot_of[i] + 1 + p->to_begin[i] > length)
			length = p->slot_of[i] + 1 + p->to_begin[i];
	if (length > limit)
		return -1;
	for (int i = pass.slot; slots && i < length; i++)
		slot_clear(&slots[i], false);
	return length;
}

int
list_cost(const struct problem *p, int length)
{
	int cost = COST_LENGTH * length;
	int released[UINT8_MAX + 1] = { 0 };

	for (unsigned i = p->n; i-- > 0;) {
		if (!p->section[i])
			continue;
		if (p->ops[i].units & UNIT_RELEASE)
			released[p->section[i]] = p->slot_of[i];
		if (p->ops[i].units & UNIT_ACQUIRE)
			cost += COST_HELD *
				(p->slot_of[i] - released[p->section[i]]);
	}
	for (unsigned i = 0; i < p->n; i++) {
		const int at = p->slot_of[i];
		int far = LONG_LOOKUP;

		if (p->lookup[i] >= 0)
			far = p->slot_of[p->lookup[i]] - at;
		else if (p->lookup[i] == LOOKUP_ALONE)
			far = p->ops[i].units & UNIT_LDTMU ? length - 1 - at :
							     at;
		if (far < LONG_LOOKUP)
			cost += COST_LOOKUP * (LONG_LOOKUP - far);
	}
	return cost;
}
