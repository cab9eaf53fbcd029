/* SPDX-License-Identifier: MIT */
/*
 * live: which registers are wanted after each block, and how far what it began has
 * come at its end.
 *
 * A result is not there for the next instructions.  Where a block ends before that,
 * the next one has to wait, and here is noted for how long, by resource.  The
 * optimised block leaves no more of that than the source did; its first operations
 * wait as long as any block before it asks.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/opt/flow.h"

/* The registers that a block reads before it writes them, and those written whole. */
struct effect {
	struct res_set use, def;
};

static const struct res_set all_state = {
	{ UINT64_MAX, (UINT64_C(1) << (STATE_RESOURCES - 64)) - 1 }
};

unsigned
live_reach(const struct flow *flow, unsigned resource)
{
	const struct res_row *row = &res_rows[resource];

	if ((resource >= RES_ACC && resource < RES_R4) || resource == RES_R5)
		return flow->rotates ? LATE : 1;
	return row->raw > row->waw ? row->raw : row->waw;
}

static void
find_effect(const struct op *ops, unsigned n, struct effect *effect)
{
	memset(effect, 0, sizeof(*effect));
	for (unsigned i = 0, next; i < n; i = next) {
		for (next = i; next < n && ops[next].source == ops[i].source;
		     next++) {
			struct res_set used =
				res_or(ops[next].reads, ops[next].late);

			if (ops[next].partial)
				used = res_or(used, ops[next].writes);
			effect->use = res_or(effect->use,
					     res_without(used, effect->def));
		}
		for (unsigned k = i; k < next; k++)
			if (!ops[k].partial && !ops[k].is_branch)
				effect->def =
					res_or(effect->def, ops[k].writes);
	}
	effect->use = res_and(effect->use, all_state);
	effect->def = res_and(effect->def, all_state);
}

static struct res_set
live_after(const struct flow *flow, const struct block *block,
	   struct res_set returns)
{
	struct res_set out = { { 0, 0 } };

	if (block->by_register)
		out = flow->computed ? all_state : returns;
	if (block->target != NO_BLOCK)
		out = res_or(out, flow->blocks[block->target].live_in);
	if (block->next != NO_BLOCK)
		out = res_or(out, flow->blocks[block->next].live_in);
	return out;
}

static void
find_live(struct flow *flow, const struct effect *effects)
{
	struct res_set returns = { { 0, 0 } };
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = flow->nblocks; i-- > 0;) {
			struct block *block = &flow->blocks[i];
			const struct res_set out =
				live_after(flow, block, returns);
			struct res_set in =
				res_or(effects[i].use,
				       res_without(out, effects[i].def));

			if (block->frozen)
				in = all_state;
			changed |= !res_same(in, block->live_in) ||
				   !res_same(out, block->live_out);
			block->live_in = in;
			block->live_out = out;
			if (block->is_return)
				returns = res_or(returns, in);
		}
	}
}

/* Find the distances that the operations of a block leave open at its end. */
static void
find_own(const struct flow *flow, struct block *block, const struct op *ops,
	 unsigned n)
{
	memset(block->own, 0, sizeof(block->own));
	for (unsigned i = 0; i < n; i++) {
		const unsigned after = (unsigned)block->end - ops[i].source;

		if (after > MAX_LATENCY)
			continue;
		for (unsigned r = 0; r < RESOURCES; r++) {
			const unsigned reach = live_reach(flow, r);

			if (res_has(&ops[i].writes, r) && reach > after &&
			    block->own[r] < reach - after)
				block->own[r] = reach - after;
		}
	}
}

static bool
raise(uint8_t in[RESOURCES], const struct block *from)
{
	const size_t length = from->end - from->begin;
	bool changed = false;

	for (unsigned r = 0; r < RESOURCES; r++) {
		size_t left = from->own[r];

		if (from->in[r] > length && from->in[r] - length > left)
			left = from->in[r] - length;
		changed |= left > in[r];
		if (left > in[r])
			in[r] = left;
	}
	return changed;
}

/* Pass what is open from block to block, and through short ones. */
static void
find_in(struct flow *flow)
{
	uint8_t returns[RESOURCES] = { 0 };
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < flow->nblocks; i++) {
			struct block *block = &flow->blocks[i];

			if (block->by_register)
				changed |= raise(returns, block);
			if (block->target != NO_BLOCK)
				changed |= raise(flow->blocks[block->target].in,
						 block);
			if (block->next != NO_BLOCK)
				changed |= raise(flow->blocks[block->next].in,
						 block);
			for (unsigned r = 0; block->is_return && r < RESOURCES;
			     r++)
				if (block->in[r] < returns[r]) {
					block->in[r] = returns[r];
					changed = true;
				}
		}
	}
}

static bool
is_texture(const struct qpu_inst *inst)
{
	struct qpu_use use;

	qpu_use(inst, &use);
	for (unsigned i = 0; i < use.nwrites; i++) {
		const unsigned addr = use.writes[i].addr;

		if (addr > QPU_W_T0S && addr != QPU_W_T1S)
			return true;
	}
	return false;
}

bool
live_find(struct flow *flow)
{
	struct effect *effects = calloc(flow->nblocks, sizeof(*effects));
	struct op *ops = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < flow->nblocks; i++) {
		const struct block *block = &flow->blocks[i];
		const size_t length = block->end - block->begin;

		if (block->reached && length > longest)
			longest = length;
		for (size_t at = block->begin; at < block->end; at++)
			flow->textures |= block->reached &&
					  is_texture(&flow->input->insts[at]);
	}
	ops = calloc(longest * OPS_EACH + 1, sizeof(*ops));
	flow->no_memory = !effects || !ops;
	for (size_t i = 0; i < flow->nblocks && !flow->no_memory; i++) {
		struct block *block = &flow->blocks[i];

		if (!block->reached)
			continue;
		const unsigned n = flow_split(flow, block, ops);
		find_effect(ops, n, &effects[i]);
		find_own(flow, block, ops, n);
	}
	if (!flow->no_memory) {
		find_live(flow, effects);
		find_in(flow);
	}
	free(effects);
	free(ops);
	return !flow->no_memory;
}
