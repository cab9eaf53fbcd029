/* SPDX-License-Identifier: MIT */
/*
 * link: where branches through registers may lead.
 *
 * A branch that links leaves an address of code in a register.  If that is only
 * copied, and branched to, each such branch leads behind one that links, wherever
 * that is in the optimised program.  If an operation computes with it, the result is
 * the address of a table's entry; the table, which no other way leads to, has to be
 * behind one of the branches that link to that register, and stays as it is.  An
 * address that comes from elsewhere, or goes elsewhere, cannot be followed.
 */
#include "config.h"

#include <stdlib.h>

#include "qpu/opt/flow.h"

/* For each register: it may hold an address of code; it may hold something else. */
struct held {
	struct res_set link, other;
};

struct links {
	struct flow *flow;
	struct held *in;     /* at the beginning of each block */
	struct held returns; /* where a branch through a register leads */
	struct op ops[OPS_EACH];
};

static struct held
join(struct held a, struct held b)
{
	return (struct held){ res_or(a.link, b.link),
			      res_or(a.other, b.other) };
}

static bool
same(const struct held *a, const struct held *b)
{
	return res_same(a->link, b->link) && res_same(a->other, b->other);
}

/* Registers, without flags and units. */
static struct res_set
registers_of(struct res_set set)
{
	set.bits[1] &= (UINT64_C(1) << (RES_FLAGS - 64)) - 1;
	return set;
}

static bool
is_copy(const struct op *op)
{
	const bool moves =
		op->kind == OP_ADD ?
			op->code == QPU_ADD_OR || op->code == QPU_ADD_AND :
			op->code == QPU_MUL_V8MIN || op->code == QPU_MUL_V8MAX;

	return (op->kind == OP_ADD || op->kind == OP_MUL) && moves &&
	       op->nfrom == 2 && op->from[0].kind == op->from[1].kind &&
	       op->from[0].value == op->from[1].value && op->unpack_a <= 0 &&
	       op->unpack_r4 <= 0 && op->pack_a <= 0 && op->pack_mul <= 0 &&
	       op->rotate < 0;
}

static void
write_held(struct held *held, struct res_set written, bool partial, bool link,
	   bool other)
{
	if (!partial) {
		held->link = res_without(held->link, written);
		held->other = res_without(held->other, written);
	}
	if (link)
		held->link = res_or(held->link, written);
	if (other)
		held->other = res_or(held->other, written);
}

/* Note what an operation other than a branch leaves in registers. */
static void
pass_op(struct held *held, const struct op *op, const struct held *before)
{
	const struct res_set reads = registers_of(op->reads);
	const bool link = res_meet(&reads, &before->link);
	const bool other =
		!link ||
		res_meet(&reads,
			 &(struct res_set){ {
				 before->link.bits[0] & before->other.bits[0],
				 before->link.bits[1] & before->other.bits[1],
			 } });

	write_held(held, registers_of(op->writes), op->partial, link, other);
}

/* Follow the instructions of a block.  `taken` is what holds where its branch leads,
 * `held` what holds where it goes on. */
static void
pass_block(struct links *links, const struct block *block, struct held *held,
	   struct held *taken)
{
	const struct flow *flow = links->flow;

	for (size_t at = block->begin; at < block->end; at++) {
		const unsigned n = op_split(&flow->input->insts[at],
					    (unsigned)at, links->ops);
		const struct held before = *held, taken_before = *taken;

		for (unsigned i = 0; i < n; i++) {
			const struct op *op = &links->ops[i];

			if (op->is_branch) {
				*taken = *held;
				write_held(taken, registers_of(op->writes),
					   false, true, false);
				continue;
			}
			pass_op(held, op, &before);
			if (at > block->branch)
				pass_op(taken, op, &taken_before);
		}
	}
	if (block->table) {
		*taken = join(*taken, links->in[block - flow->blocks]);
		*held = join(*held, links->in[block - flow->blocks]);
	}
}

static bool
flow_into(struct links *links, size_t to, const struct held *held)
{
	struct held *in = &links->in[to];
	const struct held joined = join(*in, *held);

	if (same(&joined, in))
		return false;
	*in = joined;
	return true;
}

/* Pass what holds from block to block until nothing changes. */
static void
find_held(struct links *links)
{
	const struct flow *flow = links->flow;
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < flow->nblocks; i++) {
			const struct block *block = &flow->blocks[i];
			struct held held = links->in[i], taken = held;

			if (!block->reached)
				continue;
			if (block->is_return || block->table)
				held = taken = join(held, links->returns);
			changed |= flow_into(links, i, &held);
			pass_block(links, block, &held, &taken);
			if (block->target != NO_BLOCK)
				changed |=
					flow_into(links, block->target, &taken);
			if (block->next != NO_BLOCK)
				changed |= flow_into(links, block->next, &held);
			if (block->by_register) {
				const struct held all =
					join(links->returns, taken);

				changed |= !same(&all, &links->returns);
				links->returns = all;
			}
		}
	}
}

/* Add to a set of registers those from which addresses of code come into it. */
static void
find_family(struct links *links, struct res_set *family)
{
	const struct flow *flow = links->flow;
	struct res_set before;

	do {
		before = *family;
		for (size_t at = 0; at < flow->n; at++) {
			const unsigned n =
				flow->reached[at] ?
					op_split(&flow->input->insts[at],
						 (unsigned)at, links->ops) :
					0;

			for (unsigned i = 0; i < n; i++)
				if (!links->ops[i].is_branch &&
				    res_meet(&links->ops[i].writes, family))
					*family = res_or(
						*family,
						registers_of(
							links->ops[i].reads));
		}
	} while (!res_same(before, *family));
}

/* Return whether an instruction loads this constant. */
static bool
loads(const struct qpu_inst *inst, uint32_t value)
{
	return inst->kind == QPU_KIND_LOAD && inst->load == QPU_LOAD_32 &&
	       inst->imm == value;
}

static bool
writes(struct links *links, size_t at, unsigned reg)
{
	const unsigned n = op_split(&links->flow->input->insts[at],
				    (unsigned)at, links->ops);
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any |= res_has(&links->ops[i].writes, reg);
	return any;
}

/* Return whether a register has this value where an instruction reads it: by the last
 * write before it, or by all writes. */
static bool
has_value(struct links *links, unsigned reg, size_t before, uint32_t value)
{
	const struct flow *flow = links->flow;
	bool all = true, any = false;

	for (size_t at = before; at > 0 && !flow->leader[at]; at--)
		if (writes(links, at - 1, reg))
			return loads(&flow->input->insts[at - 1], value);
	for (size_t at = 0; at < flow->n; at++)
		if (flow->reached[at] && writes(links, at, reg)) {
			any = true;
			all &= loads(&flow->input->insts[at], value);
		}
	return any && all;
}

/*
 * Return whether an operation takes 32 from a link.  The result leads to the branch
 * that left it, which calls again.  With its delay slots that is a block of four
 * instructions, which stays as it is.
 */
static bool
is_call_again(struct links *links, const struct op *from)
{
	const struct op op = *from;
	const struct from *by = &op.from[1];

	if (op.kind != OP_ADD || op.code != QPU_ADD_SUB || op.partial ||
	    op.unpack_a > 0)
		return false;
	if (by->kind == FROM_ACC)
		return by->value < QPU_MUX_R4 &&
		       has_value(links, RES_ACC + by->value, op.source,
				 4 * QPU_INST_BYTES);
	return (by->kind == FROM_A || by->kind == FROM_B) &&
	       by->value < QPU_FILE_REGS &&
	       has_value(links,
			 (by->kind == FROM_B ? RES_B : RES_A) + by->value,
			 op.source, 4 * QPU_INST_BYTES);
}

/* The branches that link to these registers may be returned to. */
static void
add_calls(struct links *links, struct res_set family, bool *more)
{
	struct flow *flow = links->flow;

	find_family(links, &family);
	for (size_t at = 0; at < flow->n; at++) {
		if (!flow->reached[at] || flow->is_return[at] ||
		    flow->input->insts[at].kind != QPU_KIND_BRANCH)
			continue;
		op_split(&flow->input->insts[at], (unsigned)at, links->ops);
		const struct res_set written =
			registers_of(links->ops[0].writes);
		if (!res_meet(&written, &family))
			continue;
		flow->leader[at] = flow->is_return[at] = true;
		*more = true;
	}
}

/* An operation computes with a link: find the tables that it may lead into. */
static bool
find_tables(struct links *links, struct res_set family, size_t reason,
	    bool *more)
{
	struct flow *flow = links->flow;
	bool any = false;

	find_family(links, &family);
	for (size_t at = 0; at + 4 < flow->n; at++) {
		if (!flow->reached[at] ||
		    flow->input->insts[at].kind != QPU_KIND_BRANCH)
			continue;
		op_split(&flow->input->insts[at], (unsigned)at, links->ops);
		const struct res_set written =
			registers_of(links->ops[0].writes);
		if (!res_meet(&written, &family))
			continue;
		any = true;
		if (flow->table[at + 4])
			continue;
		/* Of several places, it may be any that has a table. */
		*more = true;
		if (!flow_add_table(flow, at + 4, reason))
			return false;
	}
	return any || flow_refuse(flow, reason,
				  "it computes an address of code that comes "
				  "from elsewhere");
}

/* Check one instruction against what holds before it. */
static bool
check_use(struct links *links, size_t at, const struct held *held, bool *more)
{
	struct flow *flow = links->flow;
	const struct qpu_inst *inst = &flow->input->insts[at];
	const unsigned n = op_split(inst, (unsigned)at, links->ops);

	if (inst->kind == QPU_KIND_BRANCH) {
		if (!inst->reg || inst->rel ||
		    !res_has(&held->other, RES_A + inst->raddr_a))
			return true;
		return flow_refuse(flow, at,
				   "the register that it branches to may hold "
				   "what no branch has left there");
	}
	for (unsigned i = 0; i < n; i++) {
		const struct op op = links->ops[i];
		const struct res_set read =
			res_and(registers_of(op.reads), held->link);
		const struct res_set written = registers_of(op.writes);

		if (!res_meet(&read, &read))
			continue;
		if ((op.kind == OP_WHOLE && inst->kind != QPU_KIND_LOAD) ||
		    (op.waddr != QPU_W_NOP && !res_meet(&written, &written)) ||
		    op.units & UNIT_SFU)
			return flow_refuse(flow, at,
					   "an address of code leaves the "
					   "registers");
		if (is_call_again(links, &op))
			add_calls(links, read, more);
		else if (!is_copy(&op) && op.waddr != QPU_W_NOP &&
			 !find_tables(links, read, at, more))
			return false;
		op_split(inst, (unsigned)at, links->ops);
	}
	return true;
}

static bool
check_block(struct links *links, const struct block *block, bool *more)
{
	struct held held = links->in[block - links->flow->blocks];

	for (size_t at = block->begin; at < block->end; at++) {
		struct block one = *block;
		struct held taken = held;

		if (!check_use(links, at, &held, more))
			return false;
		one.begin = at;
		one.end = at + 1;
		one.table = false;
		pass_block(links, &one, &held, &taken);
		/* Its slots run after a branch that was taken, or was not. */
		if (at == block->branch)
			held = join(held, taken);
	}
	return true;
}

bool
link_check(struct flow *flow, bool *more)
{
	struct links links = { .flow = flow };
	const struct res_set all =
		registers_of((struct res_set){ { UINT64_MAX, UINT64_MAX } });
	bool good = true, any = false;

	for (size_t i = 0; i < flow->nblocks; i++)
		any |= flow->blocks[i].by_register || flow->blocks[i].is_return;
	if (!any)
		return true;
	links.in = calloc(flow->nblocks, sizeof(*links.in));
	if (!links.in) {
		flow->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < flow->nblocks; i++) {
		const size_t begin = flow->blocks[i].begin;

		if (!begin || (flow->input->marks &&
			       flow->input->marks[begin] & OPT_ENTRY))
			links.in[i].other = all;
	}
	find_held(&links);
	for (size_t i = 0; i < flow->nblocks && good && !*more; i++)
		if (flow->blocks[i].reached)
			good = check_block(&links, &flow->blocks[i], more);
	free(links.in);
	return good;
}
