/* SPDX-License-Identifier: MIT */
/*
 * flow: follows a program from its entries.
 */
#include "config.h"

#include "qpu/opt/flow.h"

#include <assert.h>
#include <stdlib.h>

#include "src/base/rows.h"

enum {
	SLOTS = 3,
	END_SLOTS = 2,
	LONGEST_BLOCK = 512 /* its time grows with the square */
};

bool
flow_refuse(const struct flow *flow, size_t index, const char *text)
{
	flow->sink(flow->context, &(struct opt_note){ .refused = true,
						      .index = index,
						      .text = text });
	return false;
}

static void
warn(const struct flow *flow, size_t index, const char *text)
{
	flow->sink(flow->context,
		   &(struct opt_note){ .index = index, .text = text });
}

static const struct qpu_inst *
inst_at(const struct flow *flow, size_t at)
{
	return &flow->input->insts[at];
}

static bool
is_branch(const struct flow *flow, size_t at)
{
	return flow->input->is_inst[at] &&
	       inst_at(flow, at)->kind == QPU_KIND_BRANCH;
}

/* Return the number of instructions that run before one takes effect. */
static unsigned
slots_of(const struct flow *flow, size_t at)
{
	const struct qpu_inst *inst = inst_at(flow, at);

	if (!flow->input->is_inst[at])
		return 0;
	if (inst->kind == QPU_KIND_BRANCH)
		return SLOTS;
	return inst->sig == QPU_SIG_THREND || inst->sig == QPU_SIG_LDCEND ?
		       END_SLOTS :
		       0;
}

size_t
flow_target(const struct flow *flow, size_t branch)
{
	const struct qpu_inst *inst = inst_at(flow, branch);
	const int64_t target = ((int64_t)branch + 1 + SLOTS) * QPU_INST_BYTES +
			       (int32_t)inst->imm;

	if (target < 0 || target % QPU_INST_BYTES ||
	    target / QPU_INST_BYTES >= (int64_t)flow->n)
		return flow->n;
	return target / QPU_INST_BYTES;
}

/* --- Reach --------------------------------------------------------------------- */

static void
lead_to(struct flow *flow, size_t at)
{
	flow->marks[at] |= AT_LEADER;
	if (!(flow->marks[at] & AT_REACHED)) {
		assert(flow->depth < flow->n);
		flow->stack[flow->depth++] = at;
	}
}

static bool
reach_slots(struct flow *flow, size_t at, unsigned slots)
{
	if (at + slots >= flow->n)
		return flow_refuse(flow, at,
				   "the program ends before its delay slots");
	for (size_t i = at + 1; i <= at + slots; i++) {
		if (!flow->input->is_inst[i])
			return flow_refuse(flow, at,
					   "data are in its delay slots");
		if (slots_of(flow, i))
			return flow_refuse(flow, i,
					   "it is in a delay slot, where the "
					   "optimiser does not follow it");
		flow->marks[i] |= AT_REACHED;
	}
	if (at + slots + 1 < flow->n)
		flow->marks[at + slots + 1] |= AT_LEADER;
	return true;
}

static bool
reach_branch(struct flow *flow, size_t at)
{
	const struct qpu_inst *inst = inst_at(flow, at);
	const size_t after = at + 1 + SLOTS;
	const size_t target = flow_target(flow, at);

	if (!inst->rel && (!inst->reg || inst->imm))
		return flow_refuse(flow, at,
				   inst->reg ? "an offset is added to the "
					       "register that it branches to" :
					       "the target is an absolute "
					       "address, which does not move "
					       "with the code");
	if (inst->rel && (target == flow->n || !flow->input->is_inst[target]))
		return flow_refuse(flow, at,
				   "the target is outside of the code");
	if (inst->rel && !inst->reg)
		lead_to(flow, target);
	if (after < flow->n &&
	    (inst->waddr_add != QPU_W_NOP || inst->waddr_mul != QPU_W_NOP)) {
		flow->marks[after] |= AT_RETURN;
		lead_to(flow, after);
	}
	if (inst->cond_br == QPU_BR_ALWAYS)
		return true;
	if (after == flow->n)
		return flow_refuse(flow, at,
				   "the program can run on after this branch");
	lead_to(flow, after);
	return true;
}

static bool
reach_from(struct flow *flow, size_t at)
{
	for (; !(flow->marks[at] & AT_REACHED); at++) {
		const unsigned slots = slots_of(flow, at);

		if (!flow->input->is_inst[at])
			return flow_refuse(flow, at,
					   "the program runs into data");
		flow->marks[at] |= AT_REACHED;
		if (slots)
			return reach_slots(flow, at, slots) &&
			       (!is_branch(flow, at) || reach_branch(flow, at));
		if (at + 1 == flow->n)
			return flow_refuse(flow, at,
					   "the program can run on after its "
					   "last instruction");
	}
	return true;
}

static bool
reach_all(struct flow *flow, size_t from)
{
	lead_to(flow, from);
	while (flow->depth)
		if (!reach_from(flow, flow->stack[--flow->depth]))
			return false;
	return true;
}

/* The end of the straight code that begins with a word. */
static size_t
straight_end(const struct flow *flow, size_t at)
{
	for (; at < flow->n && flow->marks[at] & AT_REACHED; at++)
		if (is_branch(flow, at) &&
		    inst_at(flow, at)->cond_br == QPU_BR_ALWAYS)
			return at + 1 + SLOTS;
	return at;
}

bool
flow_add_table(struct flow *flow, size_t start, size_t reason)
{
	const size_t entries = straight_end(flow, start);
	size_t end = entries;

	while (end < flow->n && !(flow->marks[end] & AT_REACHED) &&
	       flow->input->is_inst[end])
		end++;
	if (end == entries)
		return flow_refuse(
			flow, reason,
			"it computes an address of code, and there is "
			"no table that it could be in");
	for (size_t i = start; i < end; i++)
		flow->marks[i] |= AT_TABLE;
	flow->computed = true;
	/* Each instruction of it may be where the program goes on. */
	for (size_t i = entries; i < end; i++)
		if (!(flow->marks[i] & AT_REACHED) && !reach_all(flow, i))
			return false;
	return true;
}

/* Refuse a way into delay slots: other instructions may come there. */
static bool
check_slots(const struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++)
		if ((flow->marks[at] & (AT_REACHED | AT_TABLE)) == AT_REACHED)
			for (size_t i = at; i < at + slots_of(flow, at); i++)
				if (flow->marks[i + 1] & AT_LEADER)
					return flow_refuse(
						flow, i + 1,
						"it is a delay slot, and a "
						"branch leads there");
	return true;
}

/* Computed branches without a link: the table is behind the branch. */
static bool
find_relative_tables(struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++)
		if (flow->marks[at] & AT_REACHED && is_branch(flow, at) &&
		    inst_at(flow, at)->rel && inst_at(flow, at)->reg &&
		    !(flow->marks[flow_target(flow, at)] & AT_TABLE) &&
		    !flow_add_table(flow, flow_target(flow, at), at))
			return false;
	return true;
}

static bool
is_marked(const struct flow *flow, size_t at, unsigned mark)
{
	return flow->input->marks && flow->input->marks[at] & mark;
}

static bool
reach_entries(struct flow *flow)
{
	if (!flow->input->is_inst[0])
		return flow_refuse(flow, 0, "the program begins with data");
	for (size_t at = 0; at < flow->n; at++)
		if ((!at || is_marked(flow, at, OPT_ENTRY)) &&
		    flow->input->is_inst[at] && !reach_all(flow, at))
			return false;
	return true;
}

/* --- Blocks ---------------------------------------------------------------------- */

/* Fix an instruction, and all of a branch and its slots with one of them. */
static void
fix(struct flow *flow, size_t at, unsigned slots, bool any)
{
	for (size_t i = at; i <= at + slots && i < flow->n; i++)
		any |= !!(flow->marks[i] & AT_FIXED);
	for (size_t i = at; any && i <= at + slots && i < flow->n; i++)
		flow->marks[i] |= AT_FIXED;
}

/* Signals after which other code runs, with two slots, or nothing is known. */
static bool
is_odd(const struct flow *flow, size_t at)
{
	const unsigned sig = inst_at(flow, at)->sig;

	return flow->input->is_inst[at] &&
	       (sig == QPU_SIG_BKPT || sig == QPU_SIG_THRSW ||
		sig == QPU_SIG_LTHRSW || sig == QPU_SIG_LDCEND);
}

static void
find_fixed(struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++) {
		fix(flow, at, 0, is_marked(flow, at, OPT_FIXED));
		if (is_odd(flow, at))
			fix(flow, at, END_SLOTS, true);
	}
	for (size_t at = 0; at < flow->n; at++)
		fix(flow, at, slots_of(flow, at), false);
}

size_t
flow_alignment(const struct flow *flow, size_t at)
{
	const uint8_t *marks = flow->input->marks;
	const size_t words = (size_t)1
			     << (marks ? marks[at] >> OPT_ALIGN_SHIFT : 0);

	return at % words ? 1 : words;
}

/* Return whether a block ends before a word; a long one does outside of slots. */
static bool
begins_block(const struct flow *flow, size_t begin, size_t at)
{
	const unsigned differ = flow->marks[at] ^ flow->marks[at - 1];

	if (flow->marks[at] & AT_LEADER || flow_alignment(flow, at) > 1 ||
	    differ & (AT_REACHED | AT_TABLE | AT_FIXED))
		return true;
	if (at - begin < LONGEST_BLOCK)
		return false;
	for (size_t i = at - SLOTS; i < at; i++)
		if (slots_of(flow, i))
			return false;
	return true;
}

static void
make_block(struct flow *flow, size_t begin, size_t end)
{
	struct block *block = &flow->blocks[flow->nblocks];
	const unsigned marks = flow->marks[begin];

	flow->block_of[begin] = flow->nblocks++;
	*block = (struct block){
		.begin = begin,
		.end = end,
		.branch = SIZE_MAX,
		.thrend = SIZE_MAX,
		.target = NO_BLOCK,
		.next = NO_BLOCK,
		.reached = marks & AT_REACHED,
		.is_return = marks & AT_RETURN,
		.frozen = !(marks & AT_REACHED) ||
			  marks & (AT_TABLE | AT_FIXED),
	};
	for (size_t at = begin; block->reached && at < end; at++) {
		const unsigned slots = slots_of(flow, at);

		if (slots)
			*(slots == SLOTS ? &block->branch : &block->thrend) =
				at;
		/* The last instructions of a table may be delay slots of the
		 * block before it, and others such: let nothing move there. */
		if (slots && at + 1 + slots != end)
			block->frozen = true;
	}
}

static void
find_ways(struct flow *flow, struct block *block)
{
	bool goes_on = block->thrend == SIZE_MAX;

	if (block->branch != SIZE_MAX) {
		const struct qpu_inst *inst = inst_at(flow, block->branch);

		block->by_register = inst->reg;
		if (!inst->reg)
			block->target =
				flow->block_of[flow_target(flow, block->branch)];
		goes_on = inst->cond_br != QPU_BR_ALWAYS;
	}
	if (goes_on && block->end < flow->n)
		block->next = flow->block_of[block->end];
}

static void
find_blocks(struct flow *flow)
{
	size_t begin = 0;

	for (size_t at = 1; at <= flow->n; at++)
		if (at == flow->n || begins_block(flow, begin, at)) {
			make_block(flow, begin, at);
			begin = at;
		}
	for (size_t i = 0; i < flow->nblocks; i++)
		if (flow->blocks[i].reached)
			find_ways(flow, &flow->blocks[i]);
}

/*
 * Say what stays as it is.  Instructions that no way reaches are known to be code if
 * there is a source; else those that branch to what is reached may be code, and data.
 */
static bool
check_kept(struct flow *flow)
{
	const struct opt_input *input = flow->input;
	bool warned = false;

	for (size_t at = 0; at < flow->n; at++) {
		if (!input->is_inst[at])
			continue;
		if (flow->marks[at] & AT_REACHED) {
			if (is_odd(flow, at))
				warn(flow, at,
				     "what is around it stays as it is, "
				     "because of its signal");
			continue;
		}
		if (!warned)
			warn(flow, at,
			     "it is not reached from the first instruction, and "
			     "stays as it is");
		warned = true;
		if (!is_branch(flow, at) || !inst_at(flow, at)->rel)
			continue;
		const size_t target = flow_target(flow, at);
		if (target == flow->n)
			continue;
		if (!input->data_is_known && flow->marks[target] & AT_REACHED)
			return flow_refuse(
				flow, at,
				"it is not reached from the first "
				"instruction, and branches to what is");
		flow->marks[target] |= AT_LEADER;
	}
	return true;
}

/* Take all instructions apart. */
static bool
find_ops(struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++) {
		struct op ops[OPS_EACH];
		const unsigned n =
			flow->input->is_inst[at] ?
				op_split(inst_at(flow, at), (unsigned)at, ops) :
				0;

		flow->first[at] = flow->nops;
		for (unsigned i = 0; i < n; i++) {
			if (!rows_grow(&flow->ops, &flow->capacity, flow->nops,
				       sizeof(*flow->ops)))
				return false;
			flow->rotates |= ops[i].rotate >= 0;
			flow->ops[flow->nops++] = ops[i];
		}
	}
	flow->first[flow->n] = flow->nops;
	return true;
}

static bool
allocate(struct flow *flow)
{
	const size_t n = flow->n + 1;

	flow->marks = calloc(n, sizeof(*flow->marks));
	flow->first = calloc(n, sizeof(*flow->first));
	flow->block_of = calloc(n, sizeof(*flow->block_of));
	flow->stack = calloc(n, sizeof(*flow->stack));
	flow->blocks = calloc(n, sizeof(*flow->blocks));
	return flow->marks && flow->first && flow->block_of && flow->stack &&
	       flow->blocks;
}

bool
flow_find(struct flow *flow)
{
	bool more = true;

	flow->n = flow->input->n;
	flow->no_memory = !allocate(flow) || !find_ops(flow);
	if (flow->no_memory)
		return false;
	if (!flow->n)
		return true;
	find_fixed(flow);
	if (!reach_entries(flow))
		return false;
	while (more) {
		more = false;
		if (!find_relative_tables(flow) || !check_slots(flow) ||
		    !link_check(flow, &more))
			return false;
	}
	if (!check_kept(flow))
		return false;
	find_blocks(flow);
	live_find(flow);
	return true;
}

void
flow_free(struct flow *flow)
{
	free(flow->marks);
	free(flow->ops);
	free(flow->first);
	free(flow->block_of);
	free(flow->stack);
	free(flow->blocks);
}
