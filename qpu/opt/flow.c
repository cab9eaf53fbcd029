/* SPDX-License-Identifier: MIT */
/*
 * flow: follows a program from its entries.
 */
#include "config.h"

#include "qpu/opt/flow.h"

#include <stdlib.h>
#include <string.h>

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

static bool
is_thrend(const struct flow *flow, size_t at)
{
	return flow->input->is_inst[at] &&
	       inst_at(flow, at)->sig == QPU_SIG_THREND;
}

static bool
links(const struct qpu_inst *inst)
{
	return inst->waddr_add != QPU_W_NOP || inst->waddr_mul != QPU_W_NOP;
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

/* Instructions on a stack whose ways are still to be followed. */
struct trace {
	struct flow *flow;
	size_t depth;
};

static void
lead_to(struct trace *trace, size_t at)
{
	trace->flow->leader[at] = true;
	if (!trace->flow->reached[at])
		trace->flow->stack[trace->depth++] = at;
}

/* The instructions after a branch or thrend that run before it takes effect. */
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
		if (is_branch(flow, i) || is_thrend(flow, i))
			return flow_refuse(flow, i,
					   "it is in a delay slot, where the "
					   "optimiser does not follow it");
		flow->reached[i] = true;
	}
	if (at + slots + 1 < flow->n)
		flow->leader[at + slots + 1] = true;
	return true;
}

static bool
reach_branch(struct trace *trace, size_t at)
{
	struct flow *flow = trace->flow;
	const struct qpu_inst *inst = inst_at(flow, at);
	const size_t after = at + 1 + SLOTS;
	const bool always = inst->cond_br == QPU_BR_ALWAYS;

	if (!reach_slots(flow, at, SLOTS))
		return false;
	if (!inst->rel && !inst->reg)
		return flow_refuse(flow, at,
				   "the target is an absolute address, which "
				   "does not move with the code");
	if (!inst->rel && inst->imm)
		return flow_refuse(flow, at,
				   "an offset is added to the register that it "
				   "branches to");
	if (!inst->reg || inst->rel) {
		const size_t target = flow_target(flow, at);

		if (target == flow->n || !flow->input->is_inst[target])
			return flow_refuse(flow, at,
					   "the target is outside of the code");
		if (!inst->reg)
			lead_to(trace, target);
	}
	if (links(inst) && after < flow->n) {
		flow->is_return[after] = true;
		lead_to(trace, after);
	}
	if (always)
		return true;
	if (after == flow->n)
		return flow_refuse(flow, at,
				   "the program can run on after this branch");
	lead_to(trace, after);
	return true;
}

static bool
reach_from(struct trace *trace, size_t at)
{
	struct flow *flow = trace->flow;

	for (; !flow->reached[at]; at++) {
		if (!flow->input->is_inst[at])
			return flow_refuse(flow, at,
					   "the program runs into data");
		flow->reached[at] = true;
		if (is_branch(flow, at))
			return reach_branch(trace, at);
		if (is_thrend(flow, at))
			return reach_slots(flow, at, END_SLOTS);
		if (inst_at(flow, at)->sig == QPU_SIG_LDCEND)
			return reach_slots(flow, at, END_SLOTS);
		if (at + 1 == flow->n)
			return flow_refuse(flow, at,
					   "the program can run on after its "
					   "last instruction");
	}
	return true;
}

static bool
reach_all(struct trace *trace)
{
	while (trace->depth)
		if (!reach_from(trace, trace->flow->stack[--trace->depth]))
			return false;
	return true;
}

/* The end of the straight code that begins with a word. */
static size_t
straight_end(const struct flow *flow, size_t at)
{
	for (; at < flow->n && flow->reached[at]; at++)
		if (is_branch(flow, at) &&
		    inst_at(flow, at)->cond_br == QPU_BR_ALWAYS)
			return at + 1 + SLOTS;
	return at;
}

bool
flow_add_table(struct flow *flow, size_t start, size_t reason)
{
	struct trace trace = { .flow = flow };
	size_t end = start;

	if (start < flow->n && flow->reached[start])
		end = straight_end(flow, start);
	const size_t entries = end;
	while (end < flow->n && !flow->reached[end] &&
	       flow->input->is_inst[end])
		end++;
	if (end == entries)
		return flow_refuse(
			flow, reason,
			"it computes an address of code, and there is "
			"no table that it could be in");
	for (size_t i = start; i < end; i++)
		flow->table[i] = true;
	flow->computed = true;
	/* Each instruction of it may be where the program goes on. */
	for (size_t i = entries; i < end; i++)
		if (!flow->reached[i]) {
			lead_to(&trace, i);
			if (!reach_all(&trace))
				return false;
		}
	return true;
}

/* Refuse a way into delay slots: other instructions may come there. */
static bool
check_slots(const struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++) {
		const unsigned slots = !flow->reached[at] || flow->table[at] ?
					       0 :
				       is_branch(flow, at) ? SLOTS :
				       is_thrend(flow, at) ? END_SLOTS :
							     0;

		for (size_t i = at + 1; i <= at + slots; i++)
			if (flow->leader[i])
				return flow_refuse(flow, i,
						   "it is a delay slot, and a "
						   "branch leads there");
	}
	return true;
}

/* --- Blocks ---------------------------------------------------------------------- */

static bool
is_marked(const struct flow *flow, size_t at, unsigned mark)
{
	return flow->input->marks && flow->input->marks[at] & mark;
}

/* Spread the marks of fixed instructions over a branch and its slots. */
static void
find_fixed(struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++)
		flow->fixed[at] |= is_marked(flow, at, OPT_FIXED);
	for (size_t at = 0; at < flow->n; at++) {
		const unsigned slots = is_branch(flow, at) ? SLOTS :
				       is_thrend(flow, at) ? END_SLOTS :
							     0;
		bool any = false;

		for (size_t i = at; slots && i <= at + slots && i < flow->n;
		     i++)
			any |= flow->fixed[i];
		for (size_t i = at; any && i <= at + slots && i < flow->n; i++)
			flow->fixed[i] = true;
	}
}

size_t
flow_alignment(const struct flow *flow, size_t at)
{
	const uint8_t *marks = flow->input->marks;
	const size_t words = (size_t)1
			     << (marks ? marks[at] >> OPT_ALIGN_SHIFT : 0);

	return at % words ? 1 : words;
}

static bool
begins_block(const struct flow *flow, size_t at)
{
	return !at || flow->leader[at] || flow_alignment(flow, at) > 1 ||
	       flow->reached[at] != flow->reached[at - 1] ||
	       flow->table[at] != flow->table[at - 1] ||
	       flow->fixed[at] != flow->fixed[at - 1];
}

static void
freeze_for_signal(struct flow *flow, struct block *block, size_t at)
{
	switch (inst_at(flow, at)->sig) {
	case QPU_SIG_BKPT:
	case QPU_SIG_THRSW:
	case QPU_SIG_LTHRSW:
	case QPU_SIG_LDCEND: break;
	default: return;
	}
	if (flow->settled && !block->frozen)
		warn(flow, at,
		     "what is around it stays as it is, because of its signal");
	block->frozen = true;
}

static void
make_block(struct flow *flow, size_t begin, size_t end)
{
	struct block *block = &flow->blocks[flow->nblocks];

	flow->block_of[begin] = flow->nblocks++;
	*block = (struct block){
		.begin = begin,
		.end = end,
		.branch = SIZE_MAX,
		.thrend = SIZE_MAX,
		.target = NO_BLOCK,
		.next = NO_BLOCK,
		.reached = flow->reached[begin],
		.table = flow->table[begin],
		.is_return = flow->is_return[begin],
	};
	block->frozen = !block->reached || block->table || flow->fixed[begin];
	for (size_t at = begin; block->reached && at < end; at++) {
		const struct qpu_inst *inst = inst_at(flow, at);

		if (inst->kind == QPU_KIND_BRANCH)
			block->branch = at;
		if (inst->sig == QPU_SIG_THREND)
			block->thrend = at;
		if (inst->kind == QPU_KIND_SMALL &&
		    inst->small >= QPU_SMALL_ROT && inst->op_mul)
			flow->rotates = true;
		freeze_for_signal(flow, block, at);
	}
	/* The last instructions of a table may be delay slots of the block before
	 * it, and others such: let nothing move there. */
	if (block->branch != SIZE_MAX && block->branch + 1 + SLOTS != end)
		block->frozen = true;
	if (block->thrend != SIZE_MAX && block->thrend + 1 + END_SLOTS != end)
		block->frozen = true;
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

/* Return whether a long block may be cut here: outside of delay slots. */
static bool
may_cut(const struct flow *flow, size_t at)
{
	for (size_t i = at > SLOTS ? at - SLOTS : 0; i < at; i++)
		if (is_branch(flow, i) || is_thrend(flow, i))
			return false;
	return true;
}

static void
find_blocks(struct flow *flow)
{
	size_t begin = 0;

	flow->nblocks = 0;
	for (size_t at = 1; at <= flow->n; at++)
		if (at == flow->n || begins_block(flow, at) ||
		    (at - begin >= LONGEST_BLOCK && may_cut(flow, at))) {
			make_block(flow, begin, at);
			begin = at;
		}
	for (size_t i = 0; i < flow->nblocks; i++)
		if (flow->blocks[i].reached)
			find_ways(flow, &flow->blocks[i]);
}

/* Instructions that no way reaches: with a source, they are known to be code. */
static bool
check_unreached(struct flow *flow)
{
	const struct opt_input *input = flow->input;
	bool warned = false;

	for (size_t at = 0; at < flow->n; at++) {
		if (flow->reached[at] || !input->is_inst[at])
			continue;
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
		if (!input->data_is_known && flow->reached[target])
			return flow_refuse(
				flow, at,
				"it is not reached from the first "
				"instruction, and branches to what is");
		flow->leader[target] = true;
	}
	return true;
}

/* Computed branches without a link: the table is behind the branch. */
static bool
find_relative_tables(struct flow *flow)
{
	for (size_t at = 0; at < flow->n; at++)
		if (flow->reached[at] && is_branch(flow, at) &&
		    inst_at(flow, at)->rel && inst_at(flow, at)->reg &&
		    !flow->table[flow_target(flow, at)] &&
		    !flow_add_table(flow, flow_target(flow, at), at))
			return false;
	return true;
}

static bool
allocate(struct flow *flow)
{
	const size_t n = flow->n + 1;

	flow->reached = calloc(n, sizeof(*flow->reached));
	flow->leader = calloc(n, sizeof(*flow->leader));
	flow->fixed = calloc(n, sizeof(*flow->fixed));
	flow->table = calloc(n, sizeof(*flow->table));
	flow->is_return = calloc(n, sizeof(*flow->is_return));
	flow->block_of = calloc(n, sizeof(*flow->block_of));
	flow->stack = calloc(2 * n, sizeof(*flow->stack));
	flow->blocks = calloc(n, sizeof(*flow->blocks));
	flow->no_memory = !flow->reached || !flow->leader || !flow->fixed ||
			  !flow->table || !flow->is_return || !flow->block_of ||
			  !flow->stack || !flow->blocks;
	return !flow->no_memory;
}

static bool
find_entries(struct flow *flow)
{
	struct trace trace = { .flow = flow };

	for (size_t at = 0; at < flow->n; at++) {
		if (at && !is_marked(flow, at, OPT_ENTRY))
			continue;
		if (!flow->input->is_inst[at]) {
			if (!at)
				return flow_refuse(flow, at,
						   "the program begins with "
						   "data");
			continue;
		}
		lead_to(&trace, at);
		if (!reach_all(&trace))
			return false;
	}
	return true;
}

bool
flow_find(struct flow *flow)
{
	bool more = true;

	flow->n = flow->input->n;
	if (!allocate(flow))
		return false;
	if (!flow->n)
		return true;
	find_fixed(flow);
	if (!find_entries(flow) || !find_relative_tables(flow))
		return false;
	while (more) {
		more = false;
		if (!check_slots(flow))
			return false;
		find_blocks(flow);
		if (!link_check(flow, &more) || !find_relative_tables(flow))
			return false;
	}
	if (!check_unreached(flow))
		return false;
	flow->settled = true;
	find_blocks(flow);
	return live_find(flow);
}

void
flow_free(struct flow *flow)
{
	free(flow->reached);
	free(flow->leader);
	free(flow->fixed);
	free(flow->table);
	free(flow->is_return);
	free(flow->block_of);
	free(flow->stack);
	free(flow->blocks);
}

unsigned
flow_split(const struct flow *flow, const struct block *block, struct op *ops)
{
	unsigned n = 0;

	for (size_t at = block->begin; at < block->end; at++)
		n += op_split(inst_at(flow, at), (unsigned)at, &ops[n]);
	/* The parameters of a lookup are uniforms, which come in their order. */
	for (unsigned i = 0; flow->textures && i < n; i++)
		if (ops[i].units & UNIT_TMU) {
			ops[i].takes_uniforms = true;
			res_add(&ops[i].writes, RES_UNIF);
		}
	return n;
}
