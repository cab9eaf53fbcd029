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
 *
 * A register is looked at in the whole program: one that holds an address somewhere
 * is for addresses only.
 */
#include "config.h"

#include "qpu/opt/flow.h"

enum { CALL_BYTES = 4 * QPU_INST_BYTES }; /* a branch and its slots */

static const struct res_set none = { { 0, 0 } };

static bool
is_reached(const struct flow *flow, const struct op *op)
{
	return flow->marks[op->source] & AT_REACHED;
}

static bool
is_copy(const struct op *op)
{
	const bool moves =
		op->kind == OP_ADD ?
			op->code == QPU_ADD_OR || op->code == QPU_ADD_AND :
			op->code == QPU_MUL_V8MIN || op->code == QPU_MUL_V8MAX;

	return op_is_half(op) && moves && op_is_twice(op) &&
	       op->unpack_a <= 0 && op->unpack_r4 <= 0 && op->pack_a <= 0 &&
	       op->pack_mul <= 0 && op->rotate < 0;
}

/* Sets of registers that grow along operations. */
enum closure {
	LINKS, /* may hold an address of code: what a branch, or reading one, writes */
	OTHERS, /* may hold anything else */
	FAMILY, /* registers from which addresses come */
};

static struct res_set
close_set(const struct flow *flow, enum closure what, struct res_set set,
	  struct res_set links)
{
	struct res_set before;

	do {
		const struct res_set mixed = res_and(links, set);

		before = set;
		for (size_t i = 0; i < flow->nops; i++) {
			const struct op *op = &flow->ops[i];
			const bool branch = op->is_branch;
			const bool grows =
				what == LINKS ?
					branch || res_meet(&op->reads, &set) :
				what == OTHERS ?
					!branch &&
						(!res_meet(&op->reads,
							   &links) ||
						 res_meet(&op->reads, &mixed)) :
					!branch && res_meet(&op->writes, &set);

			if (is_reached(flow, op) && grows)
				set = res_or(set, res_state(what == FAMILY ?
								    op->reads :
								    op->writes,
							    false));
		}
	} while (!res_same(before, set));
	return set;
}

static bool
loads(const struct flow *flow, const struct op *op, uint32_t value)
{
	const struct qpu_inst *inst = &flow->input->insts[op->source];

	return inst->kind == QPU_KIND_LOAD && inst->load == QPU_LOAD_32 &&
	       inst->imm == value;
}

/* Return whether a register has this value where an operation reads it: by the last
 * write before it, or by all writes. */
static bool
has_value(const struct flow *flow, unsigned reg, size_t at, uint32_t value)
{
	bool any = false;

	for (; at && !(flow->marks[at] & AT_LEADER); at--)
		for (size_t i = flow->first[at - 1]; i < flow->first[at]; i++)
			if (res_has(&flow->ops[i].writes, reg))
				return loads(flow, &flow->ops[i], value);
	for (size_t i = 0; i < flow->nops; i++) {
		if (!is_reached(flow, &flow->ops[i]) ||
		    !res_has(&flow->ops[i].writes, reg))
			continue;
		if (!loads(flow, &flow->ops[i], value))
			return false;
		any = true;
	}
	return any;
}

/*
 * Return whether an operation takes 32 from a link.  The result leads to the branch
 * that left it, which calls again.  With its delay slots that is a block of four
 * instructions, which stays as it is.
 */
static bool
is_call_again(const struct flow *flow, const struct op *op)
{
	const int by = op_register(&op->from[1]);

	return op->kind == OP_ADD && op->code == QPU_ADD_SUB && !op->partial &&
	       op->unpack_a <= 0 && by >= 0 &&
	       has_value(flow, (unsigned)by, op->source, CALL_BYTES);
}

/*
 * An operation computes with addresses in `links`: find the branches that they may
 * come from.  These are called again, or, of several, there is a table behind any.
 */
static bool
find_callers(struct flow *flow, const struct op *op, struct res_set links,
	     bool *more)
{
	const bool again = is_call_again(flow, op);
	const struct res_set family = close_set(flow, FAMILY, links, none);
	const size_t reason = op->source;
	bool any = false;

	for (size_t i = 0; i < flow->nops; i++) {
		const size_t at = flow->ops[i].source;
		const unsigned place = again ? AT_RETURN : AT_TABLE;
		const size_t marked = again ? at : at + 4;

		if (!flow->ops[i].is_branch ||
		    !is_reached(flow, &flow->ops[i]) || marked >= flow->n ||
		    !res_meet(&flow->ops[i].writes, &family))
			continue;
		any = true;
		if (flow->marks[marked] & place)
			continue;
		*more = true;
		if (again)
			flow->marks[at] |= AT_LEADER | AT_RETURN;
		else if (!flow_add_table(flow, marked, reason))
			return false;
	}
	return any || flow_refuse(flow, reason,
				  "it computes an address of code that comes "
				  "from elsewhere");
}

/* Check that what an operation does with addresses can be followed. */
static bool
check_use(struct flow *flow, const struct op *op, struct res_set links,
	  struct res_set others, bool *more)
{
	const struct qpu_inst *inst = &flow->input->insts[op->source];
	const struct res_set read = res_and(op->reads, links);
	const struct res_set written = res_state(op->writes, false);

	if (op->is_branch) {
		const unsigned reg = RES_A + inst->raddr_a;

		if (!inst->reg || inst->rel ||
		    (res_has(&links, reg) && !res_has(&others, reg)))
			return true;
		return flow_refuse(flow, op->source,
				   "the register that it branches to may hold "
				   "what no branch has left there");
	}
	if (res_same(read, none))
		return true;
	if (op->kind == OP_WHOLE ||
	    (op->waddr != QPU_W_NOP && res_same(written, none)) ||
	    op->units & UNIT_SFU)
		return flow_refuse(flow, op->source,
				   "an address of code leaves the registers");
	return op->waddr == QPU_W_NOP || is_copy(op) ||
	       find_callers(flow, op, read, more);
}

bool
link_check(struct flow *flow, bool *more)
{
	const struct res_set links = close_set(flow, LINKS, none, none);
	const struct res_set others = close_set(flow, OTHERS, none, links);

	for (size_t i = 0; i < flow->nops && !*more; i++) {
		const struct op op = flow->ops[i];

		if (is_reached(flow, &op) &&
		    !check_use(flow, &op, links, others, more))
			return false;
	}
	return true;
}
